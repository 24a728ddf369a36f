"""Invite health of a sender: pending invitations, and the acceptance rate of those old enough to be decided."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import execute_many, fetch, in_batches
from app.domain.ledger.usage import INVITES
from app.domain.rules import limits
from app.models.accounts import Account
from app.models.ledger import Action, ActionState

WINDOW = timedelta(days=60)
DECIDED_AFTER = timedelta(days=14)  # hardly anyone accepts later; counting younger ones would flatter
BY_HAND = "hand:"  # tokens of what the owner did themselves begin so; whether those are accepted is not known

_A: Any = Action.__table__
_ACCOUNTS: Any = Account.__table__
_OPEN = sa.and_(_A.c.accepted_at.is_(None), _A.c.withdrawn_at.is_(None))
_OLD = _A.c.at <= sa.bindparam("old", type_=_A.c.at.type)
_MEASURE = (
    sa.select(
        _A.c.sender_id,
        sa.func.count(sa.case((_OPEN, 1))),
        sa.func.count(sa.case((_OLD, 1))),
        sa.func.count(sa.case((sa.and_(_OLD, _A.c.accepted_at.is_not(None)), 1))),
    )
    .where(
        _A.c.sender_id.in_(sa.bindparam("senders", expanding=True)),
        _A.c.at > sa.bindparam("since", type_=_A.c.at.type),
        _A.c.budget == INVITES,
        _A.c.state.in_([ActionState.SENT, ActionState.UNKNOWN]),
        _A.c.token.not_like(BY_HAND + "%"),
    )
    .group_by(_A.c.sender_id)
)
_STORE = (
    sa.update(_ACCOUNTS)
    .where(_ACCOUNTS.c.id == sa.bindparam("of"))
    .values(health=sa.bindparam("measured", type_=_ACCOUNTS.c.health.type))
)


def refresh_invite_health(sender_ids: Collection[int], at: datetime) -> dict[int, dict[str, int]]:
    """Recompute and store the senders' invitation health at `at`; return it by id. Inside a transaction."""
    found = {sender_id: {"pending": 0, "decided": 0, "accepted": 0} for sender_id in sorted(sender_ids)}
    for batch in in_batches(list(found)):
        for sender_id, pending, decided, accepted in fetch(
            _MEASURE, senders=batch, old=at - DECIDED_AFTER, since=at - WINDOW
        ):
            found[sender_id] = {"pending": pending, "decided": decided, "accepted": accepted}
    execute_many(_STORE, [{"of": sender_id, "measured": health} for sender_id, health in found.items()])
    return found


def blocks_invites(health: Mapping[str, int]) -> bool:
    """Return whether the invitation health forbids new invitations."""
    decided = health.get("decided", 0)
    few = decided >= limits.DECIDED_ENOUGH and health.get("accepted", 0) / decided < limits.STOP_BELOW
    return few or health.get("pending", 0) >= limits.PENDING_MOST
