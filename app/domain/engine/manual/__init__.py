"""Manual messages."""
