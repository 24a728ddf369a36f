"""Sequences as people go through them: conditions, branches, and the keys by which a step is known for good."""
