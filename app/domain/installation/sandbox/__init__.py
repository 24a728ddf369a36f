"""Sandbox: its clock, its first days, and the demo workspace."""
