"""A sender that is away hands its new people over: those nothing has been done for go to the sender who stands in."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, insert, session, transaction
from app.domain.engine.outbound import recipient_hours
from app.domain.platform import locks
from app.domain.rules.planner import SenderView
from app.domain.rules.schedules.stored_schedule import HandOver
from app.domain.senders import wake
from app.models.accounts import Account, Channel
from app.models.campaigns import CampaignAccount, CampaignLead, LeadState

_PEOPLE: Any = CampaignLead.__table__
_STANDS_IN = sa.select(Account.id, Account.channel, Account.workspace_id).where(
    Account.id == sa.bindparam("to"), Account.active.is_(True)
)


def hand_over(senders: Mapping[int, SenderView], at: datetime) -> None:
    """Hand over the new people of the senders that are away, where another one stands in. Before a turn is chosen."""
    away = [(sender_id, one.to) for sender_id, view in senders.items() for one in view.hand_overs if _holds(one, at)]
    if away:
        with transaction(many_small=True):
            locks.lock_workspaces(recipient_hours.workspaces_of(sender_id for sender_id, _ in away))
            for sender_id, to in away:
                _move(sender_id, to, at)


def next_begin(view: SenderView, at: datetime) -> datetime | None:
    """Return when the sender next hands people over: its turn comes then, although it is away."""
    return min((one.begins for one in view.hand_overs if one.begins > at), default=None)


def _holds(one: HandOver, at: datetime) -> bool:
    return one.begins <= at < one.ends


def _move(sender_id: int, to: int, at: datetime) -> None:
    """Move the people who are new and wait for no draft, and open the lanes that they go to."""
    found = fetch(_STANDS_IN, to=to)
    if not found:  # it was removed or switched off: they wait
        return
    column = _PEOPLE.c.mailbox_id if found[0].channel == Channel.EMAIL else _PEOPLE.c.account_id
    moved = fetch(
        sa.update(_PEOPLE)
        .where(
            _PEOPLE.c.sender_id == sender_id,
            _PEOPLE.c.workspace_id == found[0].workspace_id,
            column == sender_id,
            _PEOPLE.c.state == LeadState.PENDING,
            _PEOPLE.c.begun_at.is_(None),
            _PEOPLE.c.last_action_at.is_(None),
            _PEOPLE.c.approval_id.is_(None),
            _PEOPLE.c.due_at.is_not(None),
        )
        .values({"sender_id": to, column.name: to})
        .returning(_PEOPLE.c.campaign_id)
    )
    if moved:
        _open_lanes({row.campaign_id for row in moved}, to, found[0].workspace_id)
        wake.wake_senders([to], at)


def _open_lanes(campaign_ids: Iterable[int], to: int, workspace_id: int) -> None:
    lanes = [
        {"campaign_id": campaign_id, "account_id": to, "workspace_id": workspace_id}
        for campaign_id in sorted(campaign_ids)
    ]
    session().execute(insert(CampaignAccount).on_conflict_do_nothing(), lanes)
