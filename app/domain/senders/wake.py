"""Wake senders when something may be due earlier than they expect."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import execute_many, in_batches
from app.core.wakes import wake
from app.models.accounts import Account

AT_ONCE = datetime(2000, 1, 1, tzinfo=UTC)
_TABLE: Any = Account.__table__
_AT = sa.bindparam("at", type_=_TABLE.c.turn_at.type)
_AT_ONCE = sa.literal(AT_ONCE, _TABLE.c.turn_at.type)
# A sender in the middle of a turn chose its step before this change, so it checks again after the turn.
_WAKE = (
    sa.update(_TABLE)
    .where(
        _TABLE.c.id.in_(sa.bindparam("senders", expanding=True)),
        sa.or_(_TABLE.c.turn_at.is_(None), _TABLE.c.turn_at > _AT, _TABLE.c.claimed_until.is_not(None)),
    )
    .values(
        turn_at=sa.case(
            (_TABLE.c.claimed_until.is_not(None), _AT_ONCE), (_TABLE.c.free_at > _AT, _TABLE.c.free_at), else_=_AT
        )
    )
)


def wake_senders(account_ids: Iterable[int | None], at: datetime) -> None:
    """Wake senders at `at`, or when their pause ends, unless they are due earlier. Inside a transaction."""
    wanted = sorted({account_id for account_id in account_ids if account_id})
    for batch in in_batches(wanted):
        execute_many(_WAKE, [{"senders": batch, "at": at}])
    for sender_id in wanted:
        wake("turn", sender_id, at)
