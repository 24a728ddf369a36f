"""Lists and leads: import, export, tags, timeline, do-not-contact list."""
