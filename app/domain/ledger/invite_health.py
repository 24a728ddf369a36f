"""Invite health of a sender: pending invitations, and how many of those that have had their time were accepted."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch, in_batches, update_each
from app.domain.ledger import acceptance
from app.domain.ledger.acceptance import Invitation
from app.domain.ledger.usage import INVITES
from app.models.accounts import Account
from app.models.ledger import Action, ActionState

WINDOW = acceptance.WINDOW
BY_HAND = "hand:"  # tokens of what the owner did themselves begin so; whether those are accepted is not known

_A: Any = Action.__table__
_MEASURED = sa.select(_A.c.sender_id, _A.c.at, _A.c.accepted_at, _A.c.withdrawn_at, _A.c.campaign_lead_id).where(
    _A.c.sender_id.in_(sa.bindparam("senders", expanding=True)),
    _A.c.at > sa.bindparam("since", type_=_A.c.at.type),
    _A.c.budget == INVITES,
    _A.c.state.in_([ActionState.SENT, ActionState.UNKNOWN]),
    _A.c.token.not_like(BY_HAND + "%"),
)


def _sent(sender_ids: Collection[int], at: datetime) -> Sequence[Any]:
    return fetch(_MEASURED, senders=sender_ids, since=at - WINDOW)


def sent_invitations(sender_ids: Collection[int], at: datetime) -> Sequence[Any]:
    """Return the invitations from which the senders' health is measured, with the campaign lead of each."""
    return [row for batch in in_batches(sorted(sender_ids)) for row in _sent(batch, at)]


def refresh_invite_health(sender_ids: Collection[int], at: datetime) -> dict[int, dict[str, int]]:
    """Recompute and store the senders' invitation health at `at`; return it by id. Inside a transaction."""
    invited: defaultdict[int, list[Invitation]] = defaultdict(list)
    pending: Counter[int] = Counter()
    for batch in in_batches(sorted(sender_ids)):
        for row in _sent(batch, at):
            delay = row.accepted_at - row.at if row.accepted_at else None
            invited[row.sender_id].append(Invitation((row.withdrawn_at or at) - row.at, delay))
            pending[row.sender_id] += not (row.accepted_at or row.withdrawn_at)
    found = {
        one: {"sent": len(invited[one]), "pending": pending[one], **acceptance.measure(invited[one])._asdict()}
        for one in sorted(sender_ids)
    }
    update_each(Account, ({"id": sender_id, "health": health} for sender_id, health in found.items()))
    return found
