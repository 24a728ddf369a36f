"""Drafts that wait for a human: write, check, decide, release."""
