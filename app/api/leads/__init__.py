"""`/v1` of lists, leads, people, imports and the do-not-contact list."""
