"""Database copy: copy a whole database, with every row and id, into another, from SQLite to Postgres or back.

The copy is one transaction, compared row by row with its source before the commit, so the other database is empty
or complete. Nothing is encrypted or signed again: with the same SECRET_KEY, existing keys and links stay valid.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import chain, zip_longest

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from app.core import clock, migrations
from app.core.db import Base, db, without_writers, write_elsewhere
from app.core.errors import Conflict, InvalidRequest, Unavailable
from app.domain.installation import engine_processes, table_rows
from app.models.platform.jobs import EngineProcess

OFTEN = 50_000  # rows of a table after which its progress is told
STOP = "Stop every `overture serve` and `overture worker` that uses this database, wait a minute, then try again."
Tell = Callable[[str], None]


def copy(target: str, tell: Tell) -> int:
    """Copy this installation's database into the empty one at that address; return the number of rows."""
    _prepare(target)
    with _at_rest() as source:
        for name in table_rows.unknown_tables(source):
            tell(f"{name}: left out, because Overture doesn't use this table.")
        with _writing(target) as connection:
            if table_rows.is_filled(connection):
                raise _not_empty()
            total = sum(_copy_table(source, connection, table, tell) for table in table_rows.tables())
            table_rows.set_last_ids(connection, table_rows.last_ids(source))
            tell("Comparing every row …")
            for table in table_rows.tables():
                _compare(source, connection, table)
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("ANALYZE"))  # else queries are planned badly until Postgres does this itself
    return total


def _prepare(target: str) -> None:
    """Bring the empty database to the schema of this version."""
    if sa.make_url(target) == db.engine.url:
        raise InvalidRequest("This is the database you are copying.", "Choose an empty database.")
    engine = sa.create_engine(target, poolclass=sa.NullPool)
    try:
        with engine.connect() as connection:
            there = sa.inspect(connection).get_table_names()
            ours = [name for name in there if name in Base.metadata.tables or table_rows.is_left_out(name)]
            if len(ours) < len(there) or table_rows.is_filled(connection):
                raise _not_empty()
        revision = migrations.current(target)
    except DBAPIError as problem:
        raise Unavailable(f"The other database is not reachable: {_first_line(problem)}", "Check --to.") from problem
    if revision is not None and revision > (migrations.newest() or ""):
        raise InvalidRequest(
            "The other database was migrated by a newer version of Overture.", "Choose an empty database, or upgrade."
        )
    migrations.upgrade(target)


def _not_empty() -> Conflict:
    return Conflict("The other database is not empty.", "Nothing was copied. Choose an empty database.")


@contextmanager
def _at_rest() -> Iterator[sa.Connection]:
    """Read the source while no process works on it."""
    try:
        with without_writers() as connection:
            if at_work := _at_work(connection):
                raise Conflict(f"A process is using this database ({', '.join(at_work)}).", STOP)
            yield connection
    except DBAPIError as problem:
        raise Conflict(f"This database is in use: {_first_line(problem)}", STOP) from problem


def _at_work(connection: sa.Connection) -> list[str]:
    """Return the live processes, and the tables with unexpired leases, whose processes may be alive."""
    now = clock.now()
    alive = sa.select(EngineProcess.command, EngineProcess.host, EngineProcess.pid).where(
        EngineProcess.seen_at >= now - engine_processes.LEASE
    )
    named = [f"{each.command} on {each.host}, process {each.pid}" for each in connection.execute(alive)]
    leased = [table for table in Base.metadata.sorted_tables if "claimed_until" in table.c]
    return named + [
        table.name
        for table in leased
        if connection.execute(sa.select(1).select_from(table).where(table.c.claimed_until > now).limit(1)).first()
    ]


@contextmanager
def _writing(target: str) -> Iterator[sa.Connection]:
    try:
        with write_elsewhere(target) as connection:
            yield connection
    except DBAPIError as problem:
        raise Unavailable(
            f"The other database refused a row: {_first_line(problem)}", "Nothing was copied. Fix it, then try again."
        ) from problem


def _first_line(problem: DBAPIError) -> str:
    return str(problem.orig or problem).strip().splitlines()[0]


def _copy_table(source: sa.Connection, target: sa.Connection, table: sa.Table, tell: Tell) -> int:
    done = 0
    with closing(table_rows.read(source, table)) as batches:
        for rows in batches:
            table_rows.write(target, table, rows)
            if done // OFTEN < (done + len(rows)) // OFTEN:
                tell(f"{table.name}: {done + len(rows)} rows so far")
            done += len(rows)
    tell(f"{table.name}: {done} rows")
    return done


def _compare(source: sa.Connection, target: sa.Connection, table: sa.Table) -> None:
    """Refuse the copy if any row of that table is not the same in both databases, value by value."""
    with closing(table_rows.read(source, table)) as ours, closing(table_rows.read(target, table)) as copied:
        both = zip_longest(chain.from_iterable(ours), chain.from_iterable(copied))
        for number, (one, other) in enumerate(both, 1):
            if one is None or other is None or table_rows.encode(table, one) != table_rows.encode(table, other):
                raise Conflict(f"Row {number} of {table.name} is not the same in the copy.", "Nothing was copied.")
