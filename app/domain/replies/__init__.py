"""Replies: what a letter says, by one way from its text: own words, what it is, and until when."""
