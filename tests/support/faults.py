"""Faults of the disk and the database, made with what the database itself offers: no rights of root are needed."""

import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import db, end_read, is_sqlite

_WAL_FRAME = 4120


@contextmanager
def read_only() -> Iterator[None]:
    """Every connection refuses to write, as it does on a disk that was mounted read-only."""
    with _every_connection(_refuse_writes, _allow_writes):
        yield


@contextmanager
def no_room() -> Iterator[None]:
    """No file of this process can grow beyond a page of SQLite: what is written to the end of a log fails."""
    _require_a_file()
    end_read()
    db.engine.dispose()  # the log begins anew
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (_WAL_FRAME, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def full() -> Iterator[None]:
    """The SQLite database cannot get another page, nor has it one to spare."""
    _require_a_file()
    end_read()
    with db.engine.connect() as connection:
        _driver_of(connection).execute("VACUUM")  # what other tests deleted left pages that would be used first
    with _every_connection(_allow_no_page, _allow_pages):
        yield


def _require_a_file() -> None:
    if not is_sqlite():
        pytest.skip("The disk of a Postgres is its own.")


@contextmanager
def locked(tables: str = "alembic_version, api_key, browser_session") -> Iterator[None]:
    """Another program holds the database, on Postgres these tables, for itself and does not let go."""
    end_read()
    other = sa.create_engine(db.engine.url, poolclass=sa.NullPool)
    with closing(other.raw_connection()) as connection:
        driver: Any = connection.driver_connection
        if is_sqlite():
            driver.isolation_level = None
            driver.execute("BEGIN IMMEDIATE")
        else:
            driver.execute(f"LOCK TABLE {tables} IN EXCLUSIVE MODE")
        yield
        driver.rollback()


@contextmanager
def _every_connection(spoil: Any, mend: Any) -> Iterator[None]:
    def checkout(connection: Any, record: Any, proxy: Any) -> None:
        spoil(connection)

    end_read()
    sa.event.listen(db.engine, "checkout", checkout)
    try:
        yield
    finally:
        sa.event.remove(db.engine, "checkout", checkout)
        end_read()
        with db.engine.connect() as connection:
            mend(_driver_of(connection))
        db.engine.dispose()


def _driver_of(connection: sa.Connection) -> Any:
    return connection.connection.driver_connection


def _refuse_writes(connection: Any) -> None:
    if is_sqlite():
        connection.execute("PRAGMA query_only = 1")
    else:
        connection.read_only = True


def _allow_writes(connection: Any) -> None:
    if is_sqlite():
        connection.execute("PRAGMA query_only = 0")


def _allow_no_page(connection: Any) -> None:
    connection.execute("PRAGMA max_page_count = 1")  # it means: as many as there are


def _allow_pages(connection: Any) -> None:
    connection.execute("PRAGMA max_page_count = 4294967294")
