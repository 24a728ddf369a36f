"""What all other packages are built on. Knows nothing of outreach and imports nothing above itself."""
