"""Changes of many people at once."""
