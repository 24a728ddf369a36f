"""Bytes of what was erased: a database keeps them in its files until it needs the room, or is told not to."""

import logging
import time
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from app.core.db import alone, is_sqlite

LOG = logging.getLogger(__name__)
WAITS = 3  # seconds for earlier readers, and on Postgres for the lock of a table, for which others then wait too
# Whether Postgres may still keep what the given transaction deleted: an older transaction is open, which wrote in any
# database of the server or read in this one.
IS_KEPT = """
    SELECT pg_snapshot_xmin(pg_current_snapshot()) < %(now)s::xid8 OR EXISTS (
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) > age(%(now)s::xid8::xid)
    )
"""
# ANALYZE passes over tables without rows. A column that is given its own type anew loses what is known of its values.
STATISTICS_OF_NOTHING = """
    SELECT format(
            'ALTER TABLE %%s ALTER %%I TYPE %%s', c.oid::regclass, a.attname, format_type(a.atttypid, a.atttypmod)
        ), c.oid::regclass::text
    FROM pg_stats s
    JOIN pg_class c ON c.oid = format('%%I.%%I', s.schemaname, s.tablename)::regclass
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname
    JOIN pg_stat_user_tables u ON u.relid = c.oid
    WHERE c.relpages = 0 AND a.attlen = -1
"""


def wipe(before_each: Callable[[], object] = lambda: None) -> bool:
    """Write the database's files anew without what was deleted; return False where others kept it from being done.

    On SQLite everyone who writes waits meanwhile, some seconds per gigabyte; on Postgres whoever needs the table that
    is being written, and its write-ahead log is the server's. `before_each` is called before each table of Postgres.
    """
    return _wipe_sqlite() if is_sqlite() else _wipe_postgres(before_each)


def size() -> int:
    """Return the size of the database in bytes."""
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    with alone() as connection:
        text = query if is_sqlite() else "SELECT pg_database_size(current_database())"
        return int(connection.exec_driver_sql(text).scalar_one())


def _wipe_sqlite() -> bool:
    with alone() as connection:
        driver: Any = connection.connection.driver_connection
        before = {name: driver.execute(f"PRAGMA {name}").fetchone()[0] for name in ("secure_delete", "busy_timeout")}
        try:
            driver.execute("PRAGMA secure_delete=ON")
            driver.execute("VACUUM")
            driver.execute(f"PRAGMA busy_timeout={WAITS * 1000}")
            busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # which waits for earlier readers
            return not busy
        finally:
            for name, value in before.items():
                driver.execute(f"PRAGMA {name}={value}")


def _wipe_postgres(before_each: Callable[[], object]) -> bool:
    whole = True
    with alone() as connection:
        if not _is_of_no_one(connection):
            return False
        names = connection.exec_driver_sql(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(relname) FROM pg_stat_user_tables ORDER BY 1"
        )
        connection.exec_driver_sql(f"SET lock_timeout = '{WAITS}s'")
        try:
            for name in names.scalars().all():
                before_each()
                whole &= _wipe_table(connection, name)
            whole &= _wipe_statistics(connection)
        finally:
            connection.exec_driver_sql("RESET lock_timeout")
    return whole


def _is_of_no_one(connection: sa.Connection) -> bool:
    """Wait for who began before now: until they end, a table that is written anew keeps what was deleted."""
    now = connection.exec_driver_sql("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").scalar_one()
    deadline = time.monotonic() + WAITS
    while connection.exec_driver_sql(IS_KEPT, {"now": now}).scalar_one():
        if time.monotonic() > deadline:
            LOG.info("Someone is at work since before the erasure; the files are written anew later")
            return False
        time.sleep(0.1)
    return True


def _wipe_table(connection: sa.Connection, name: str) -> bool:
    return _unless_in_use(connection, f"VACUUM (ANALYZE, FULL) {name}", name)


def _wipe_statistics(connection: sa.Connection) -> bool:
    """The planner keeps frequent values of each column: of tables that are empty now, those of the last look too."""
    whole = True
    for statement, name in connection.exec_driver_sql(STATISTICS_OF_NOTHING).all():
        whole &= _unless_in_use(connection, statement, name)
    return whole and _is_of_no_one(connection) and _wipe_table(connection, "pg_catalog.pg_statistic")


def _unless_in_use(connection: sa.Connection, statement: str, name: str) -> bool:
    try:
        connection.exec_driver_sql(statement)
    except sa.exc.OperationalError as problem:
        why = str(problem.orig).partition("\n")[0]
        LOG.info("A table could not be written anew", extra={"fields": {"table": name, "why": why}})
        return False
    return True
