"""Reminders of drafts that wait for a decision: once a day, while some have waited for longer than a day."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import session
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign, CampaignStatus
from app.models.workspaces import Workspace

PATIENCE = timedelta(days=1)  # before the first reminder, and between two
SOON = timedelta(days=2)  # drafts that expire by then are mentioned


class Waiting(NamedTuple):
    """How many drafts wait and since when, and how many of them expire soon and from when on."""

    drafts: int
    oldest: datetime
    expiring: int
    first_expiry: datetime


def oldest(workspace_id: Any) -> sa.ScalarSelect[datetime]:
    """Return the expression of when the oldest draft was written that waits in a running campaign."""
    mine = sa.select(Approval.created_at).where(Approval.workspace_id == workspace_id, _WAITS)
    # This query runs every second: an index covers it.
    return mine.order_by(Approval.created_at).limit(1).scalar_subquery()


def is_due(oldest_draft: datetime | None, told_at: datetime | None, at: datetime) -> bool:
    """Return whether the drafts have waited long enough, and nothing was said of them for long enough."""
    return oldest_draft is not None and max(oldest_draft, told_at or oldest_draft) + PATIENCE <= at


def look(workspace: Workspace, told_at: datetime | None) -> Waiting | None:
    """Return what waits if a reminder is due, else None."""
    at = workspace.now()
    soon = sa.case((Approval.expires_at <= at + SOON, Approval.id))
    query = sa.select(
        sa.func.count(), sa.func.min(Approval.created_at), sa.func.count(soon), sa.func.min(Approval.expires_at)
    )
    found = Waiting(*session().execute(query.where(Approval.workspace_id == workspace.id, _WAITS)).one())
    return found if is_due(found.oldest, told_at, at) else None


_WAITS = sa.and_(
    Approval.status == ApprovalStatus.PENDING,
    sa.exists().where(Campaign.id == Approval.campaign_id, Campaign.status == CampaignStatus.RUNNING),
)
