"""`/v1` of the workspace itself: its settings, keys, members and saved views."""
