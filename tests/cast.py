"""The workspaces that most tests begin with, made once and then put back row by row, in a tenth of the time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from app.core import clock
from app.core.db import Base, db, session, transaction
from app.models.workspaces import Workspace

STALE = timedelta(minutes=20)  # on a clock that goes, whoever was made so long ago is made anew
Rows = dict[sa.Table, list[dict[str, Any]]]


class Cast:
    """Workspaces as they are right after they were made."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], tuple[datetime, int, Rows]] = {}

    def enter(self, name: str, make: Callable[[], Workspace]) -> Workspace:
        """The workspace, as `make` makes it."""
        at = clock.now()
        moved = abs(at - datetime.now(UTC)) > timedelta(seconds=1)
        kept = self._kept.get((name, moved))
        if kept is None:
            before = _everything()
            made = make()
            self._kept[name, moved] = at, made.id, _added(before, _everything())
            return made
        if at != kept[0] if moved else abs(at - kept[0]) > STALE:
            return make()
        try:
            return _put_back(*kept[1:])
        except IntegrityError:  # the test has made something that is in its place
            return make()


def _added(before: Rows, after: Rows) -> Rows:
    added = {table: [row for row in rows if row not in before[table]] for table, rows in after.items()}
    return {table: rows for table, rows in added.items() if rows}


def _everything() -> Rows:
    tables = Base.metadata.sorted_tables
    return {table: [dict(row) for row in session().execute(sa.select(table)).mappings()] for table in tables}


def _put_back(workspace_id: int, rows: Rows) -> Workspace:
    with transaction() as current:
        for table, values in rows.items():
            current.execute(sa.insert(table), values)
        if db.engine.name == "postgresql":
            counted = [
                sa.func.setval(sa.func.pg_get_serial_sequence(table.name, "id"), values[-1]["id"])
                for table, values in rows.items()
                if "id" in table.c
            ]
            current.execute(sa.select(*counted))
    return session().get_one(Workspace, workspace_id)
