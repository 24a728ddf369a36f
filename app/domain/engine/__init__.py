"""The engine: everything that sends and everything that comes in."""
