"""Learning: what edits, votes and replies teach, what that changes, and how it is taken back."""
