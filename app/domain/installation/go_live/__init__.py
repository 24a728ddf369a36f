"""Going live: the workspace for real people beside a sandbox, the checklist to its first launch, and the copy."""
