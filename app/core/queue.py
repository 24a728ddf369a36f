"""Rows that wait to be worked on. A claim is one guarded UPDATE with a lease; there is no other lock.

Tables that wait have `due_at` (under any name) and `claimed_until`. Leases run on real time: they say that a process
is alive, whatever the clock of a sandbox says.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import Base, session, transaction


def claim(
    model: type[Base],
    due: Any,
    at: datetime,
    *,
    limit: int,
    lease: timedelta,
    where: Sequence[sa.ColumnElement[bool]] = (),
) -> list[int]:
    """The ids of up to `limit` rows whose `due` column has come by `at`, earliest first, ours until the lease ends.

    A row whose owner died comes back by itself when its lease has passed.
    """
    table: Any = model
    real = clock.now()
    free = sa.or_(table.claimed_until.is_(None), table.claimed_until <= real)
    waiting = sa.select(table.id).where(due <= at, free, *where).order_by(due).limit(limit)
    if session().execute(waiting.limit(1)).first() is None:
        return []
    with transaction() as current:
        taken = current.execute(
            sa.update(model)
            .where(table.id.in_(waiting.with_for_update(skip_locked=True)), free)
            .values(claimed_until=real + lease)
            .returning(table.id, due)
            .execution_options(synchronize_session=False)
        )
        return [row[0] for row in sorted(taken, key=lambda row: (row[1], row[0]))]
