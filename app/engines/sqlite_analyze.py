"""What SQLite knows about its own rows when it chooses an index."""

from weakref import WeakKeyDictionary

import sqlalchemy as sa

from app.core.db import db, end_read, is_sqlite, session, transaction

# SQLite's own advice: enough to tell a wide index from a narrow one, within milliseconds.
ROWS_OF_EACH_INDEX = 400
MUCH, MANY = 1.5, 1000  # a table that has grown by half and by a thousand rows is another one to a planner
_counted: WeakKeyDictionary[sa.Engine, dict[str, int]] = WeakKeyDictionary()
_GIVEN = sa.text("SELECT name, seq FROM sqlite_sequence")  # how many ids each table has given out


def analyze() -> int:
    """Run ANALYZE on SQLite, which may otherwise scan a whole workspace for a few rows; return 0.

    Postgres does this by itself. The engine calls it, and there is never more to do at once.
    """
    if is_sqlite():
        with transaction() as current:
            current.execute(sa.text(f"PRAGMA analysis_limit = {ROWS_OF_EACH_INDEX}"))
            current.execute(sa.text("ANALYZE"))
    return 0


def analyze_if_grown() -> int:
    """Run ANALYZE if a table has grown much since, as after an import or a launch; return 0.

    It reads one number per table, cheap enough for every few seconds.
    """
    if not is_sqlite():
        return 0
    given: dict[str, int] = {row.name: row.seq for row in session().execute(_GIVEN)}
    end_read()
    known = _counted.setdefault(db.engine, {})
    if any(_is_much(known.get(name, 0), number) for name, number in given.items()):
        analyze()
        known.update(given)
    return 0


def _is_much(before: int, now: int) -> bool:
    before = before if before <= now else 0  # the database was replaced
    return now > max(before * MUCH, before + MANY)
