"""Personal notes of invitations: a free account of the network may send a few a month, and the rest go without."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import fetch
from app.domain.ledger.usage import COUNTED, INVITES
from app.domain.rules.schedules import working_hours
from app.models.ledger import Action

FREE_ACCOUNT = 5  # a month; the network's help says five, others found 3 to 20, so that each sender has its own

_A: Any = Action.__table__
_USED = sa.select(sa.func.count()).where(
    _A.c.sender_id == sa.bindparam("sender"),
    _A.c.at >= sa.bindparam("since", type_=_A.c.at.type),
    _A.c.budget == INVITES,
    _A.c.state.in_(COUNTED),
    _A.c.text != "",
)


def left(account: Any, at: datetime) -> int | None:
    """Return how many notes the account may still send in its local month; None when it has no such limit."""
    if account.monthly_notes is None:
        return None
    today, _ = working_hours.local_day(account.timezone, at)
    [row] = fetch(_USED, sender=account.id, since=working_hours.midnight(account.timezone, today.replace(day=1)))
    return max(0, int(account.monthly_notes) - int(row[0]))


def shortage(sequence: Sequence[Any], accounts: Iterable[Any], at: datetime) -> str:
    """Return the sentence that says whose invitations go without the note of these steps, '' for none."""
    if not any(step["type"] == "connection_request" and step.get("message") for step in sequence):
        return ""
    few = [f"{one.name} {number}" for one in accounts if (number := left(one, at)) is not None]
    if not few:
        return ""
    return (
        f"Free accounts can only send a few notes. Left this month: {', '.join(few)}. Further connection requests"
        f" are sent without a note."
    )
