"""Threads and messages, as they are kept and found."""
