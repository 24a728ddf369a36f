"""Alerts: the news they report, where they are sent, and when."""
