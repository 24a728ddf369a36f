"""Bytes of what was erased: a database keeps them in its files until it needs the room, or is told not to."""

import logging

import sqlalchemy as sa

from app.core.db import alone, is_sqlite

LOG = logging.getLogger(__name__)
WAITS = 3  # seconds for the lock of a table on Postgres; until then others wait for it too
SMALL = 64 * 2**20  # bytes of a table that Postgres writes anew in about a second
TRIES = 5


def wipe() -> bool:
    """Write the database's files anew without what was deleted; return False where others kept it from being done.

    On SQLite everyone who writes waits meanwhile, some seconds per gigabyte. On Postgres large tables are cleaned
    without being written anew, and its write-ahead log is the server's.
    """
    return _wipe_sqlite() if is_sqlite() else _wipe_postgres()


def size() -> int:
    """Return the size of the database in bytes."""
    query = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    with alone() as connection:
        text = query if is_sqlite() else "SELECT pg_database_size(current_database())"
        return int(connection.exec_driver_sql(text).scalar_one())


def _wipe_sqlite() -> bool:
    with alone() as connection:
        driver = connection.connection.driver_connection
        before = driver.execute("PRAGMA secure_delete").fetchone()[0]  # type: ignore[union-attr]
        try:
            driver.execute("PRAGMA secure_delete=ON")  # type: ignore[union-attr]
            driver.execute("VACUUM")  # type: ignore[union-attr]
            for _ in range(TRIES):  # each waits for readers of what was
                busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # type: ignore[union-attr]
                if not busy:
                    return True
        finally:
            driver.execute(f"PRAGMA secure_delete={before}")  # type: ignore[union-attr]
    return False


def _wipe_postgres() -> bool:
    whole = True
    with alone() as connection:
        names = connection.exec_driver_sql(
            "SELECT quote_ident(schemaname) || '.' || quote_ident(relname), pg_total_relation_size(relid)"
            " FROM pg_stat_user_tables ORDER BY 1"
        ).all()
        connection.exec_driver_sql(f"SET lock_timeout = '{WAITS}s'")
        try:
            for name, bytes_of in names:
                whole &= _wipe_table(connection, name, bytes_of)
        finally:
            connection.exec_driver_sql("RESET lock_timeout")
    return whole


def _wipe_table(connection: sa.Connection, name: str, bytes_of: int) -> bool:
    try:
        connection.exec_driver_sql(f"VACUUM {'(FULL) ' if bytes_of <= SMALL else ''}{name}")
    except sa.exc.OperationalError:
        LOG.info("A table is in use and could not be written anew", extra={"fields": {"table": name}})
        return False
    return True
