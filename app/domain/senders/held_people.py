"""People who were passed over outside their hours: check them again when hours or holidays have changed."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch
from app.domain.rules.reasons import OF_RECIPIENTS
from app.domain.senders import wake
from app.models.campaigns import OPEN_STATES, CampaignLead

_PEOPLE: Any = CampaignLead.__table__


def look_again(
    workspace_id: int, at: datetime, *, campaign_id: int | None = None, sender_id: int | None = None
) -> None:
    """Make people who wait for their own hours due at once: of one campaign, sender or all. Inside a transaction."""
    theirs = [
        _PEOPLE.c.workspace_id == workspace_id,
        _PEOPLE.c.state.in_(OPEN_STATES),
        _PEOPLE.c.reason.in_(OF_RECIPIENTS),
        _PEOPLE.c.due_at > at,
    ]
    if campaign_id is not None:
        theirs.append(_PEOPLE.c.campaign_id == campaign_id)
    if sender_id is not None:
        theirs.append(_PEOPLE.c.sender_id == sender_id)
    again = sa.update(_PEOPLE).where(*theirs).values(due_at=at, reason="", error="").returning(_PEOPLE.c.sender_id)
    wake.wake_senders({row.sender_id for row in fetch(again)}, at)
