"""`/v1` of the autopilot: the setup, its documents, plays and sources."""
