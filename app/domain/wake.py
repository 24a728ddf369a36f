"""Waking senders: something may be due earlier than they knew."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.models.accounts import Account

_TABLE: Any = Account.__table__


def senders(account_ids: Iterable[int | None], at: datetime) -> None:
    """These senders take a turn at `at`, or when their pause ends, unless one is due before. Inside a transaction."""
    wanted = sorted({account_id for account_id in account_ids if account_id})
    if not wanted:
        return
    moment = sa.bindparam("at", at, type_=_TABLE.c.turn_at.type)
    free = sa.case((_TABLE.c.free_at > moment, _TABLE.c.free_at), else_=moment)
    session().execute(
        sa.update(_TABLE)
        .where(_TABLE.c.id.in_(wanted), sa.or_(_TABLE.c.turn_at.is_(None), _TABLE.c.turn_at > moment))
        .values(turn_at=free)
    )
