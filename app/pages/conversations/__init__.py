"""The inbox of conversations."""
