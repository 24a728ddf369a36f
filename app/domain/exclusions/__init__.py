"""Who must not be contacted, and why: one gate in front of everything that reaches people."""
