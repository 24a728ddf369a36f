"""Monitors: searches and signals that are watched, and fill a list, and perhaps a campaign, with a few people a day."""
