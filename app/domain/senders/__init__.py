"""Social accounts and mailboxes: connect, sign in, health, DNS check."""
