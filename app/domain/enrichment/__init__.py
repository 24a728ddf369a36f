"""Find emails, phones and signals, paid for only when found."""
