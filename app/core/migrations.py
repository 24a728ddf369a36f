"""Migrations move a database to a revision of the schema: all of it or nothing, and one process at a time.

Alembic is loaded by the functions that need it, because no request and hardly a test does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import click
import sqlalchemy as sa
from flask import Flask
from flask_sqlalchemy import SQLAlchemy

from app.core.db import create_privately, db, session
from app.core.errors import NotSupported
from app.core.installation import ROOT

if TYPE_CHECKING:
    from alembic.config import Config

SCRIPTS = ROOT / "migrations"
STEPS = "migrations/versions/0063_choices.py"  # a file of older commits, whose migrations upgrade step by step
VERSIONS = sa.table("alembic_version", sa.column("version_num"))
ADVISORY_LOCK = 0x6F7665727475  # an arbitrary number that nothing else locks; in ASCII: "overtu"


def upgrade(database_url: str, revision: str = "head") -> None:
    """Migrate the database to `revision`."""
    from alembic import command

    command.upgrade(_config(database_url), revision)


def downgrade(database_url: str, revision: str) -> None:
    """Take the database back to the schema of the older `revision`; `base` leaves no table of ours."""
    from alembic import command

    command.downgrade(_config(database_url), revision)


def current(database_url: str) -> str | None:
    """Return the database's revision, or None for an empty database."""
    from alembic.runtime.migration import MigrationContext

    engine = sa.create_engine(database_url, poolclass=sa.NullPool)
    if engine.dialect.name == "sqlite":
        create_privately(engine)
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@cache
def newest() -> str | None:
    """Return the newest revision, which this version of the program needs."""
    return max(revisions(), default=None)


def refuse_older(revision: str | None) -> None:
    """Refuse a database from before the oldest revision, which makes the whole schema at once."""
    oldest = min(revisions())
    if revision and revision < oldest:
        raise NotSupported(
            f"The database is at revision {revision}; this version can only upgrade from {oldest} or later.",
            f"First upgrade with the last commit that contains {STEPS}; see Upgrade in docs/operations.md.",
        )


def revisions() -> list[str]:
    """Return every revision that this version knows."""
    return [script.name.partition("_")[0] for script in (SCRIPTS / "versions").glob("*.py")]


def is_newest() -> bool:
    """Return whether the session's database answers and has the schema that this version of the program needs."""
    current = session()
    if not sa.inspect(current.connection()).has_table(VERSIONS.name):
        return False
    return bool(current.scalar(sa.select(VERSIONS)) == newest())


def is_newer() -> bool:
    """Return whether the session's database was made by a later version of the program than this one."""
    current = session()
    known = sa.inspect(current.connection()).has_table(VERSIONS.name)
    return known and str(current.scalar(sa.select(VERSIONS)) or "") > (newest() or "")


def differences(connection: sa.Connection) -> list[Any]:
    """Return the differences between the models and the database's schema, in Alembic's form."""
    from alembic.autogenerate import compare_metadata
    from alembic.runtime.migration import MigrationContext

    options = {"compare_server_default": True, "include_name": described}
    found = compare_metadata(MigrationContext.configure(connection, opts=options), db.metadata)
    return [one for each in found for one in (each if isinstance(each, list) else [each])]


def module(revision: str) -> Any:
    """Return the module of a migration, which says how each database's own parts are made."""
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(SCRIPTS)).get_revision(revision).module


class FlaskCommands(click.Command):
    """Flask-Migrate's commands as `flask db`, loaded when they are used."""

    def __init__(self, app: Flask, db: SQLAlchemy) -> None:
        super().__init__("db", help="Perform database migrations.")
        self._app, self._db = app, db

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Run the commands of Flask-Migrate."""
        from flask_migrate import Migrate
        from flask_migrate.cli import db as commands

        migrate = Migrate(self._app, self._db, directory=SCRIPTS)
        migrate.configure(lambda config: _prepared(config, self._app.config["DATABASE_URL"]))
        handed_over: click.Context = commands.make_context(*args, **more)
        return handed_over


def described(name: str | None, kind: str, parents: Any) -> bool:
    """Return whether the models describe it, unlike full-text indexes and procrastinate's tables."""
    return not (name or "").startswith(("fulltext_", "procrastinate_"))


@contextmanager
def locked(database_url: str) -> Iterator[sa.Connection]:
    """Connect in one transaction, under a lock that excludes other migrations."""
    engine = sa.create_engine(database_url, poolclass=sa.NullPool)
    if engine.dialect.name == "sqlite":
        create_privately(engine)
        _lock_file(engine)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
        if sa.inspect(connection).has_table(VERSIONS.name):
            refuse_older(connection.scalar(sa.select(VERSIONS)))
        yield connection
        _refuse_orphans(connection)


def _config(database_url: str) -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    return _prepared(config, database_url)


def _prepared(config: "Config", database_url: str) -> "Config":
    config.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    config.attributes["database_url"] = database_url
    return config


def _lock_file(engine: sa.Engine) -> None:
    """Lock SQLite and turn foreign keys off: migrations rebuild tables inside our transaction."""

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
        raise RuntimeError(f"The migration would leave an orphaned row in {orphan[0]}.")
