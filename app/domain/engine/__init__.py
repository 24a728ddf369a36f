"""Everything that sends and everything that comes in."""
