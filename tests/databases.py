"""Databases for tests: a template of each kind is migrated once a run, every worker copies it and empties its copy."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.core import migrations
from tests.postgres import Server, create_database, drop_database

KINDS = ("sqlite", "postgres")
TABLES = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
SEQUENCES = "SELECT quote_ident(sequencename) FROM pg_sequences WHERE schemaname = 'public'"
# Of the search only its index is no table of ours; the table that it is made of keeps it.
TABLES_OF_FILE = """SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
    AND name NOT LIKE 'sqlite_%' AND name <> 'alembic_version'"""
FILLED = "SELECT 'DELETE FROM {0}' WHERE EXISTS (SELECT 1 FROM {0})"
USED = "SELECT 'SELECT setval(''{0}'', 1, false)' FROM {0} WHERE is_called"

templates: dict[str, str] = {}  # what `template` made here, or in the process that started the workers
_own: list[Any] = []  # is deleted when this process ends


def template(kind: str) -> str:
    """A migrated database without rows: the path of a file, or the URL of a database on a server of our own."""
    if kind not in templates and kind == "sqlite":
        folder = tempfile.TemporaryDirectory(prefix="overture-template-")
        _own.append(folder)
        templates[kind] = f"{folder.name}/migrated.db"
        migrations.upgrade(f"sqlite:///{templates[kind]}")
    elif kind not in templates:
        server = Server()
        _own.append(server)
        templates[kind] = create_database(server.url)
        migrations.upgrade(templates[kind])
    return templates[kind]


class Sqlite:
    """A copy of the template file, emptied under connections that may stay: what they have learnt of it holds."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="overture-db-", dir=_quick_folder())
        file = Path(self._folder.name) / "test.db"
        self.url = f"sqlite:///{file}"
        shutil.copyfile(template("sqlite"), file)
        file.chmod(0o600)
        self._connection = sqlite3.connect(file, isolation_level=None, timeout=15, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._made = self._ask("PRAGMA schema_version")
        self._what_is_left = " UNION ALL ".join(FILLED.format(f'"{name}"') for name in self._ask(TABLES_OF_FILE))

    def clean(self) -> None:
        """No row is left, and ids begin at 1 again. Nothing else may be connected."""
        if self._ask("PRAGMA schema_version") != self._made:
            with closing(sqlite3.connect(template("sqlite"))) as migrated:
                migrated.backup(self._connection)
            self._made = self._ask("PRAGMA schema_version")
        elif left := self._ask(self._what_is_left):
            whole = ["BEGIN IMMEDIATE", *left, "DELETE FROM sqlite_sequence", "COMMIT"]
            self._connection.executescript("; ".join(whole))

    def _ask(self, query: str) -> list[Any]:
        return [row[0] for row in self._connection.execute(query)]

    def drop(self) -> None:
        """The file is gone."""
        self._connection.close()
        self._folder.cleanup()


class Postgres:
    """A copy of the template database, emptied by deleting from the tables that have rows."""

    def __init__(self) -> None:
        import psycopg

        self.url = create_database(template("postgres"), sa.make_url(template("postgres")).database)
        self._connection = psycopg.connect(self.url.replace("+psycopg", ""), autocommit=True)
        parts = [FILLED.format(name) for name in self._ask(TABLES)]
        parts += [USED.format(name) for name in self._ask(SEQUENCES)]
        self._what_is_left = " UNION ALL ".join(parts)

    def clean(self) -> None:
        """See Sqlite."""
        with self._connection.transaction():
            if left := self._ask(self._what_is_left):
                self._connection.execute("; ".join(["SET LOCAL session_replication_role = replica", *left]))

    def _ask(self, query: str) -> list[str]:
        return [row[0] for row in self._connection.execute(query, prepare=True)]

    def drop(self) -> None:
        """The database is gone."""
        self._connection.close()
        drop_database(self.url)


Database = Sqlite | Postgres


def fresh(kind: str) -> Database:
    """A migrated database without rows, of the caller's own."""
    return Sqlite() if kind == "sqlite" else Postgres()


@contextmanager
def empty_postgres() -> Iterator[str]:
    """A Postgres database that nothing was created in."""
    url = create_database(template("postgres"))
    yield url
    drop_database(url)


def _quick_folder() -> str | None:
    """Memory instead of a disk, where the system offers it: every commit waits for its file."""
    memory = Path("/dev/shm")
    usable = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 256 * 2**20
    return str(memory) if usable else None
