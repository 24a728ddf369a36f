"""Lists, imports, people, enrichment, signals, do-not-contact list."""
