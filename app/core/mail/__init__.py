"""How the text of an email reads, as plain text and as HTML."""
