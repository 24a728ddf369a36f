"""Alerts: about what, where and when."""
