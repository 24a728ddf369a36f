"""People for whom it is not the time: their own hours are over, or it is a holiday where they are.

They stand at the head of a sender's queue, since they are due, and would hold up the people behind them. So they are
moved on to when it is their time, with the reason.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core.db import execute_many, fetch, transaction
from app.domain.platform import locks
from app.domain.rules import planner
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.schedules import places
from app.models.accounts import Account
from app.models.campaigns import CampaignLead
from app.models.people import Person

SOME = 500
LOOK_AGAIN = timedelta(days=1)  # at a person whose hours and the sender's never meet
_PEOPLE: Any = CampaignLead.__table__
_PERSONS: Any = Person.__table__
_ACCOUNTS: Any = Account.__table__


class Queue(NamedTuple):
    """The people of one sender and campaign who wait for the same kind of action."""

    sender: SenderView
    campaign: CampaignView
    state: str
    budget: str


_OUR_DUE = sa.bindparam("at", type_=_PEOPLE.c.due_at.type)
_DUE = (
    sa.select(_PEOPLE.c.id, _PEOPLE.c.due_at, _PERSONS.c.location)
    .join(_PERSONS, _PERSONS.c.id == _PEOPLE.c.person_id)
    .where(
        _PEOPLE.c.sender_id == sa.bindparam("sender"),
        _PEOPLE.c.campaign_id == sa.bindparam("campaign"),
        _PEOPLE.c.state == sa.bindparam("state"),
        _PEOPLE.c.next_budget == sa.bindparam("budget"),
        _PEOPLE.c.due_at <= _OUR_DUE,
    )
    .order_by(_PEOPLE.c.due_at, _PEOPLE.c.id)
    .limit(SOME)
)
_MOVE = (
    sa.update(_PEOPLE)
    .where(_PEOPLE.c.id == sa.bindparam("of"), _PEOPLE.c.due_at == sa.bindparam("was", type_=_PEOPLE.c.due_at.type))
    .values(
        due_at=sa.bindparam("until", type_=_PEOPLE.c.due_at.type),
        reason=sa.bindparam("code"),
        error=sa.bindparam("sentence"),
    )
)
_OF_WORKSPACE = sa.select(_ACCOUNTS.c.workspace_id).where(_ACCOUNTS.c.id.in_(sa.bindparam("ids", expanding=True)))


def workspaces_of(sender_ids: Iterable[int]) -> set[int]:
    """Return the workspaces of these senders."""
    return {row.workspace_id for row in fetch(_OF_WORKSPACE, ids=sorted(set(sender_ids)))}


def move_on(queues: Sequence[Queue], at: datetime) -> int:
    """Move on those of the first people of each queue whose time it is not; return how many."""
    with transaction(many_small=True):
        locks.lock_workspaces(workspaces_of(one.sender.id for one in queues))
        rows = [row for queue in queues for row in _moves(queue, at)]
        if rows:
            execute_many(_MOVE, rows)
    return len(rows)


def _moves(queue: Queue, at: datetime) -> list[dict[str, Any]]:
    place = {"sender": queue.sender.id, "campaign": queue.campaign.id, "state": queue.state, "budget": queue.budget}
    found = []
    for row in fetch(_DUE, **place, at=at):
        why = planner.recipient_wait(queue.sender, queue.campaign, places.place_of(row.location), at)
        if why:
            until = why.until or at + LOOK_AGAIN
            found.append({"of": row.id, "was": row.due_at, "until": until, "code": why.code, "sentence": why.detail})
    return found
