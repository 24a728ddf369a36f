"""Edits of drafts: what a person changed between the text offered and the text sent, and which rule that suggests."""
