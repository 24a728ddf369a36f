"""Claim due rows, so that only one worker processes each: one guarded UPDATE sets a lease; there is no other lock.

Their tables have a due time (under any name) and `claimed_until`. Leases use real time, never a sandbox's clock,
because they show that the process is alive.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import clock
from app.core.db import Base, defer_fsync, fetch, transaction


class Due(NamedTuple):
    """A unit that is due: its key, and the workspace it works for."""

    key: int
    workspace_id: int


class Busy(NamedTuple):
    """Rows that a look leaves out: keys that are being worked on, and workspaces that use their share of the slots."""

    keys: Collection[int] = ()
    workspaces: Collection[int] = ()

    @property
    def parameters(self) -> dict[str, list[int]]:
        """Return the parameters of a query with `leave_out_busy`."""
        return {"busy_keys": list(self.keys), "full": list(self.workspaces)}


NONE_BUSY = Busy()


def share_fairly(
    key: Any, workspace_id: Any, moment: Any, *where: sa.ColumnElement[bool], group_by: Sequence[Any] = ()
) -> sa.Select[Any]:
    """Select due keys, the first of each workspace before the second of any; for `due_units`."""
    place = sa.func.row_number().over(partition_by=workspace_id, order_by=moment).label("place")
    free = sa.select(key.label("key"), workspace_id.label("workspace_id"), moment.label("moment"), place)
    free = free.where(*where).group_by(*group_by)
    due = leave_out_busy(free, key, workspace_id).subquery("due")
    most = sa.bindparam("most", type_=sa.Integer())
    return sa.select(due.c.key, due.c.workspace_id).order_by(due.c.place, due.c.moment).limit(most)


def leave_out_busy(query: sa.Select[Any], key: Any, workspace_id: Any) -> sa.Select[Any]:
    """Add the conditions that leave out busy rows; pass `Busy.parameters()` when the query is run."""
    busy = key.in_(sa.bindparam("busy_keys", expanding=True))
    return query.where(~busy, ~workspace_id.in_(sa.bindparam("full", expanding=True)))


def due_units(query: sa.Select[Any], most: int, busy: Busy, **parameters: Any) -> list[Due]:
    """Return up to `most` due units that are not busy."""
    rows = fetch(query, most=most, **busy.parameters, **parameters)
    return [Due(row.key, row.workspace_id) for row in rows]


def is_free(claimed_until: Any, real: Any) -> sa.ColumnElement[bool]:
    """Return the condition that no worker holds a lease on the row at that moment of real time."""
    return sa.or_(claimed_until.is_(None), claimed_until <= real)


class Claim:
    """The statements that claim rows of one table, built once. `where` and `values` may have bind parameters.

    A claimed row has the columns of the table and those of `more`.
    """

    def __init__(
        self,
        model: type[Base],
        due: Any,
        where: Sequence[sa.ColumnElement[bool]] = (),
        values: Mapping[str, Any] | None = None,
        more: Sequence[Any] = (),
    ) -> None:
        table: Any = model.__table__
        column = table.c[due.key]
        self.due = due.key
        moment = table.c.claimed_until.type
        real, until = sa.bindparam("real", type_=moment), sa.bindparam("lease_end", type_=moment)
        free = is_free(table.c.claimed_until, real)
        ready = (column <= sa.bindparam("at", type_=column.type), free, *where)
        waiting = sa.select(table.c.id).where(*ready).order_by(column).limit(sa.bindparam("most", type_=sa.Integer()))
        self._peek = sa.select(table.c.id).where(*ready).limit(1)
        # A CTE is computed once; a planner may repeat a subquery for each row, which would pick further rows.
        picked = waiting.with_for_update(skip_locked=True).cte("picked")
        self._take = (
            sa.update(table)
            .where(table.c.id.in_(sa.select(picked.c.id)), free)
            .values(claimed_until=until, **(values or {}))
            .returning(*table.c, *more)
        )

    def take(
        self, at: datetime, limit: int, lease: timedelta, *, looked: bool = False, **parameters: Any
    ) -> Sequence[Any]:
        """Claim up to `limit` rows due by `at`, in no order, until the lease ends.

        A dead worker's row is due again after its lease, or at once if the claim was not committed. With `looked`, the
        caller knows that a row is due; without it, that is checked first, without a lock.
        """
        real = clock.now()
        parameters |= {"at": at, "real": real}
        if not looked and not fetch(self._peek, **parameters):
            return []
        parameters |= {"most": limit, "lease_end": real + lease}
        with defer_fsync(), transaction():
            return fetch(self._take, **parameters)


def claim(
    model: type[Base],
    due: Any,
    at: datetime,
    *,
    limit: int,
    lease: timedelta,
    where: Sequence[sa.ColumnElement[bool]] = (),
) -> list[int]:
    """Claim up to `limit` rows whose `due` column has come by `at`, earliest first; return their ids."""
    taken = Claim(model, due, where).take(at, limit, lease)
    return [row.id for row in sorted(taken, key=lambda row: (getattr(row, due.key), row.id))]
