"""What most tests begin with, made once and then put back row by row, in a tenth of the time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from app import ports
from app.core import clock
from app.core.db import Base, counted, db, end_read, session, transaction
from app.domain.platform import audit_log
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from app.ports.registry import Port

STALE = timedelta(minutes=20)  # on a clock that goes, whoever was made so long ago is made anew
AUDIT = sa.inspect(AuditEntry).local_table
# Keys and sessions are random, sign-ins come when they come; none of it, nor what was noted, changes what is done.
UNSEEN = ("api_key", "browser_session", "throttle", AUDIT.name)
Rows = dict[sa.Table, list[dict[str, Any]]]
Sent = list[tuple[str, list[Any]]]


class Change(NamedTuple):
    """Which rows came, changed and went, and what each database was sent when that was done to it again."""

    at: datetime
    added: Rows
    changed: Rows
    removed: Rows
    sent: dict[str, Sent]


class Cast:
    """Workspaces as they are right after they were made."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, bool], tuple[int, Change]] = {}

    def enter(self, name: str, make: Callable[[], Workspace]) -> Workspace:
        """The workspace, as `make` makes it."""
        kept = self._kept.get((name, _moved()))
        if kept is None:
            before = _everything()
            made = make()
            self._kept[name, _moved()] = made.id, _change(before, _everything())
            return made
        if not _is_fresh(kept[1]):
            return make()
        try:
            _apply(kept[1])
        except _taken():
            return make()
        return session().get_one(Workspace, kept[0])


def _taken() -> tuple[type[Exception], ...]:
    """What SQLAlchemy and the driver raise where the test has made something that is in the place of what was kept."""
    return IntegrityError, db.engine.dialect.loaded_dbapi.IntegrityError


class Scenes:
    """Actions that many tests begin with: done the first time, and then what they changed is put back."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, tuple[type, ...], str], Change] = {}

    def play(self, name: str, act: Callable[[], object]) -> None:
        """The database is as `act` leaves it. What differs from one `act` to the other stands in the name.

        Where a test has plugged in something of its own, it is done for real.
        """
        end_read()
        adapters = tuple(
            type(each.adapter) for each in vars(ports).values() if isinstance(each, Port) and each.connected
        )
        if not all(each.__module__.startswith("app.") for each in adapters):
            act()
            return
        before = _everything()
        seen = {table.name: rows for table, rows in before.items() if table.name not in UNSEEN}
        scene = (db.engine.name, name, adapters, repr(seen))
        kept = self._kept.get(scene)
        if kept and _is_fresh(kept):
            _apply(kept)
        else:
            act()
            end_read()
            change = _change(before, _everything())
            if _can_be_put_back(change):
                self._kept[scene] = change
        end_read()


scenes = Scenes()


def _moved() -> bool:
    """Whether the test moves the clock."""
    return abs(clock.now() - datetime.now(UTC)) > timedelta(seconds=1)


def _is_fresh(change: Change) -> bool:
    passed = abs(clock.now() - change.at)
    return not passed if _moved() else passed <= STALE


def _everything() -> Rows:
    with_rows = set(session().connection().exec_driver_sql(_filled()).scalars())
    return {
        table: [dict(row) for row in session().execute(_rows_of(table)).mappings()]
        for table in Base.metadata.sorted_tables
        if table.name in with_rows
    }


@cache
def _filled() -> str:
    names = [table.name for table in Base.metadata.sorted_tables]
    return " UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in names)


@cache
def _rows_of(table: sa.Table) -> sa.Select[Any]:
    return sa.select(table).order_by(*table.primary_key)


def _change(before: Rows, after: Rows) -> Change:
    added: Rows = {}
    changed: Rows = {}
    removed: Rows = {}
    for table in Base.metadata.sorted_tables:
        old, new = _by_key(table, before.get(table, [])), _by_key(table, after.get(table, []))
        added[table] = [row for key, row in new.items() if key not in old]
        changed[table] = [row for key, row in new.items() if key in old and old[key] != row]
        removed[table] = [row for key, row in old.items() if key not in new]
    parts = ({table: rows for table, rows in part.items() if rows} for part in (added, changed, removed))
    return Change(clock.now(), *parts, sent={})


def _can_be_put_back(change: Change) -> bool:
    """Of what is not compared, only the audit log can: what was noted is noted anew, behind whatever is there."""
    parts = (change.added, change.changed, change.removed)
    touched = {(number, table) for number, part in enumerate(parts) for table in part if table.name in UNSEEN}
    return touched <= {(0, AUDIT)}


def _by_key(table: sa.Table, rows: list[dict[str, Any]]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(row[column.key] for column in table.primary_key): row for row in rows}


def _apply(change: Change) -> None:
    with transaction() as current:
        connection = current.connection()
        if sent := change.sent.get(db.engine.name):
            _send(connection, sent)
        else:
            with _heard() as statements:
                _do(connection, change)
            change.sent[db.engine.name] = _in_one(connection, statements)
        _note(change.added.get(AUDIT, []))


def _do(connection: sa.Connection, change: Change) -> None:
    added = {table: rows for table, rows in change.added.items() if table is not AUDIT}
    for table, rows in added.items():
        connection.execute(sa.insert(table), rows)
    for table, rows in change.changed.items():
        for row in rows:
            connection.execute(sa.update(table).where(*_is_row(table, row)).values(row))
    for table, rows in reversed(change.removed.items()):
        for row in rows:
            connection.execute(sa.delete(table).where(*_is_row(table, row)))
    if db.engine.name == "postgresql":
        go_on = [
            sa.func.setval(sa.func.pg_get_serial_sequence(table.name, "id"), counted(table.c.id, rows[-1]["id"]))
            for table, rows in added.items()
            if "id" in table.c
        ]
        if go_on:
            connection.execute(sa.select(*go_on))


@contextmanager
def _heard() -> Iterator[Sent]:
    """Every statement that the driver is given, with all it is given it for."""
    heard: Sent = []

    def hear(connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool) -> None:
        heard.append((statement, list(parameters) if many else [parameters]))

    sa.event.listen(db.engine, "before_cursor_execute", hear)
    yield heard
    sa.event.remove(db.engine, "before_cursor_execute", hear)


def _in_one(connection: sa.Connection, statements: Sent) -> Sent:
    """On Postgres all of it is one text: each statement by itself is a way there and back."""
    if connection.dialect.name == "sqlite":
        return statements
    import psycopg

    driver: Any = connection.connection.driver_connection
    writing = psycopg.ClientCursor(driver)
    return [("; ".join(writing.mogrify(text, given) for text, some in statements for given in some), [])]


def _send(connection: sa.Connection, sent: Sent) -> None:
    driver: Any = connection.connection.driver_connection
    for text, given in sent:
        if given:
            driver.executemany(text, given)
        else:
            driver.execute(text, prepare=False)


def _note(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        audit_log.record(row["workspace_id"], row["kind"], row["subject"], before=row["before"], after=row["after"])


def _is_row(table: sa.Table, row: dict[str, Any]) -> list[sa.ColumnElement[bool]]:
    return [column == row[column.key] for column in table.primary_key]
