"""Companies: by which domain or name one is known."""
