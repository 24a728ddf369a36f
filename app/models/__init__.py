"""The nouns: tables, their states and their legal moves. Nothing here opens a session, asks the time or calls out."""

from app.models import accounts, billing, campaigns, conversations, jobs, leads, ledger, traffic, webhooks, workspaces

__all__ = [
    "accounts",
    "billing",
    "campaigns",
    "conversations",
    "jobs",
    "leads",
    "ledger",
    "traffic",
    "webhooks",
    "workspaces",
]
