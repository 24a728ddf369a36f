"""Lists, imports, people, enrichment, signals, never-contact list."""
