"""What every room of the house stands on. Knows nothing of outreach and imports nothing above itself."""
