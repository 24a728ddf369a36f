"""Event payloads: emptied when the workspace's retention time is over; the event and its number stay."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, session, transaction
from app.domain.platform import retention
from app.models.webhooks import Delivery, DeliveryState, Event
from app.models.workspaces import Workspace

CHUNK = 1000


def purge() -> int:
    """Empty the payloads of old events, a bounded number at a time; return how many."""
    return sum(_purge(workspace_id) for workspace_id in retention.workspaces_with("payloads"))


def _purge(workspace_id: int) -> int:
    with transaction() as current:
        workspace = current.get_one(Workspace, workspace_id, with_for_update=True, populate_existing=True)
        before = workspace.now() - timedelta(days=retention.days(workspace, "payloads"))
        here = Event.workspace_id == workspace_id
        oldest = sa.select(Event.sequence, Event.created_at).where(here, Event.sequence > workspace.payloads_gone_to)
        unsent = _first_unsent(workspace_id)
        gone = 0
        for row in current.execute(oldest.order_by(Event.sequence).limit(CHUNK)):
            if row.created_at >= before or (unsent is not None and row.sequence >= unsent):
                break
            workspace.payloads_gone_to, gone = row.sequence, gone + 1
        if gone:
            old = Event.sequence.between(workspace.payloads_gone_to - gone + 1, workspace.payloads_gone_to)
            change_rows(sa.update(Event).where(here, old).values(body=""))
        return gone


def _first_unsent(workspace_id: int) -> Any:
    """Return the number of the first event that a webhook still waits for."""
    query = sa.select(sa.func.min(Event.sequence)).join(Delivery, Delivery.event_id == Event.id)
    return session().scalar(query.where(Delivery.workspace_id == workspace_id, Delivery.state == DeliveryState.PENDING))
