"""Going live: creating a live workspace from a sandbox, its checklist before the first launch, and copying data into it."""
