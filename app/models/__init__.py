"""The database tables, their states and allowed moves. Nothing here opens a session, reads the clock or calls out."""

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
