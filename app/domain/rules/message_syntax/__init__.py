"""The syntax of message texts: our own grammar, and what other tools write instead."""
