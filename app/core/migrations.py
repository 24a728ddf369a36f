"""Moves a database to a revision of the schema: all of it or nothing, and one process at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

SCRIPTS = Path(__file__).resolve().parents[2] / "migrations"
ADVISORY_LOCK = 0x6F7665727475  # any number that nobody else takes; this one spells "overtu"


def upgrade(database_url: str, revision: str = "head") -> None:
    """The database has the schema of `revision`, by default the newest."""
    _run(database_url, lambda config: command.upgrade(config, revision))


def downgrade(database_url: str, revision: str) -> None:
    """The database has the schema of the older `revision`; `base` leaves no table of ours."""
    _run(database_url, lambda config: command.downgrade(config, revision))


def current(database_url: str) -> str | None:
    """The revision the database is at, or None where nothing was created yet."""
    with _connection(database_url) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def described(name: str | None, kind: str, parents: Any) -> bool:
    """Whether models say how it looks: a database's own index for full-text search is written out in its revision."""
    return not (name or "").startswith("fulltext_")


@cache
def newest() -> str | None:
    """The newest revision this version of the program knows, which is the one it needs."""
    return ScriptDirectory(str(SCRIPTS)).get_current_head()


def revise(database_url: str, message: str, number: str) -> None:
    """A new revision file is written, with what the models have and the database has not."""
    _run(database_url, lambda config: command.revision(config, message, autogenerate=True, rev_id=number))


def _run(database_url: str, work: Callable[[Config], Any]) -> None:
    with _connection(database_url) as connection:
        config = Config()
        config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
        config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
        config.attributes["connection"] = connection
        work(config)
        _refuse_orphans(connection)


@contextmanager
def _connection(database_url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(database_url, poolclass=sa.NullPool)
    if engine.dialect.name == "sqlite":
        _one_transaction(engine)
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
            yield connection
    finally:
        engine.dispose()


def _one_transaction(engine: sa.Engine) -> None:
    """SQLite changes its schema inside our transaction. Foreign keys stay unchecked meanwhile: tables are rebuilt."""

    @sa.event.listens_for(engine, "connect")
    def connect(connection: Any, record: Any) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA busy_timeout=15000")
        connection.execute("PRAGMA foreign_keys=OFF")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _refuse_orphans(connection: sa.Connection) -> None:
    if connection.dialect.name != "sqlite":
        return
    orphan = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
    if orphan:
        raise RuntimeError(f"The migration would leave a row of {orphan[0]} that belongs to nothing.")
