"""Changes to a campaign that runs: preview, apply, undo, and the log of what was changed."""
