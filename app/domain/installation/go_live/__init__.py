"""Going live: creating a live workspace from a sandbox, its checklist for the first launch, and copying data into it."""
