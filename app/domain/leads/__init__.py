"""Lists and leads: import, export, tags, timeline, never-contact list."""
