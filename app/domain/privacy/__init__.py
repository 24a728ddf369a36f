"""Erase, export, block and unsubscribe a person."""
