"""Campaigns: list, builder, people, revisions, statistics, forecast, sandbox clock."""
