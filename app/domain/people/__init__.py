"""People: who is who, what is known of them, and where it came from."""
