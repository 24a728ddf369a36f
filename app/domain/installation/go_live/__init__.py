"""Going live: creating a live workspace from a sandbox, its checklist for the first launch, and the copy of data."""
