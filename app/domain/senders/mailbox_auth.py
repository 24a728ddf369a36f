"""The ways to sign in to a mailbox; the command line offers them without loading anything else."""

WAYS = {"password": "Password", "google": "Google token", "microsoft": "Microsoft token"}
