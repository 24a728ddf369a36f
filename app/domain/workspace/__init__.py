"""The tenant: members, roles, sessions, passwords, two-factor, API keys, search."""
