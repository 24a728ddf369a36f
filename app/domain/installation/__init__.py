"""Installation: backup, restore, doctor, engine status; the sandbox, going live, and moving a workspace."""
