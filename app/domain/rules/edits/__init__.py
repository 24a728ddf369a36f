"""Changes of texts: what became of each step and each sentence."""
