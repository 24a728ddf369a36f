"""Rows that wait to be worked on. A claim is one guarded UPDATE with a lease; there is no other lock.

Tables that wait have `due_at` (under any name) and `claimed_until`. Leases run on real time: they say that a process
is alive, whatever the clock of a sandbox says.
"""

from collections.abc import Mapping, Sequence
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
    taken = claim_rows(model, due, at, limit=limit, lease=lease, where=where)
    return [row.id for row in sorted(taken, key=lambda row: (getattr(row, due.key), row.id))]


def claim_rows(
    model: type[Base],
    due: Any,
    at: datetime,
    *,
    limit: int,
    lease: timedelta,
    where: Sequence[sa.ColumnElement[bool]] = (),
    values: Mapping[str, Any] | None = None,
) -> Sequence[Any]:
    """The same as whole rows in no order; `values` are set along with the lease, and shown by the rows."""
    table: Any = model.__table__
    column = table.c[due.key]
    real = clock.now()
    free = sa.or_(table.c.claimed_until.is_(None), table.c.claimed_until <= real)
    waiting = sa.select(table.c.id).where(column <= at, free, *where).order_by(column).limit(limit)
    if session().connection().execute(waiting.limit(1)).first() is None:
        return []
    with transaction() as current:
        return (
            current.connection()
            .execute(
                sa.update(table)
                .where(table.c.id.in_(waiting.with_for_update(skip_locked=True)), free)
                .values(claimed_until=real + lease, **(values or {}))
                .returning(*table.c)
            )
            .all()
        )
