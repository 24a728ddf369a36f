"""Doctor, sandbox clock and demo data."""
