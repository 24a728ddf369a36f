"""Claims of a text: which sentences assert something, and what they rest on."""
