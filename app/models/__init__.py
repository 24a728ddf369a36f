"""The nouns: tables, their states and their legal moves. Nothing here opens a session, asks the time or calls out."""

from app.models import (
    accounts,
    approvals,
    autopilot,
    billing,
    campaigns,
    conversations,
    crm,
    exclusions,
    hosted_sign_ins,
    leads,
    ledger,
    meetings,
    monitors,
    people,
    platform,
    sessions,
    signals,
    tasks,
    webhooks,
    workspaces,
)
