"""Fresh databases for tests: a template is migrated once, every worker copies it, every test starts with it empty."""

import os
import shutil
import sqlite3
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from tests.postgres import administer, text_of
from tests.support.templates import Templates

TABLES = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
SEQUENCES = "SELECT quote_ident(sequencename) FROM pg_sequences WHERE schemaname = 'public'"
# Of the search only its index is no table of ours; the table that it is made of keeps it.
TABLES_OF_FILE = """SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
    AND name NOT LIKE 'sqlite_%' AND name <> 'alembic_version'"""
FILLED = "SELECT 'DELETE FROM {0}' WHERE EXISTS (SELECT 1 FROM {0})"
USED = "SELECT 'SELECT setval(''{0}'', 1, false)' FROM {0} WHERE is_called"


class Sqlite:
    """A copy of the template file, emptied under connections that may stay: what they have learnt of it holds."""

    def __init__(self, template: str) -> None:
        self._template = Path(template)
        self._folder = Path(tempfile.mkdtemp(prefix="overture-db-", dir=_quick_folder()))
        self._file = self._folder / "test.db"
        self.url = f"sqlite:///{self._file}"
        shutil.copyfile(self._template, self._file)
        self._file.chmod(0o600)
        self._connection = sqlite3.connect(self._file, isolation_level=None, timeout=15, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._made = self._ask("PRAGMA schema_version")
        self._what_is_left = " UNION ALL ".join(FILLED.format(f'"{name}"') for name in self._ask(TABLES_OF_FILE))

    def clean(self) -> None:
        """No row is left, and ids begin at 1 again. Nothing else may be connected."""
        if self._ask("PRAGMA schema_version") != self._made:
            with closing(sqlite3.connect(self._template)) as template:
                template.backup(self._connection)
            self._made = self._ask("PRAGMA schema_version")
        elif left := self._ask(self._what_is_left):
            whole = ["BEGIN IMMEDIATE", *left, "DELETE FROM sqlite_sequence", "COMMIT"]
            self._connection.executescript("; ".join(whole))

    def _ask(self, query: str) -> list[Any]:
        return [row[0] for row in self._connection.execute(query)]

    def drop(self) -> None:
        """The file is gone."""
        self._connection.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class Postgres:
    """A copy of the template database, emptied by deleting from the tables that have rows."""

    def __init__(self, template: str) -> None:
        import psycopg

        self._admin, name = sa.make_url(template), f"overture_{uuid.uuid4().hex[:12]}"
        self.url = text_of(self._admin.set(database=name))
        self._create = f'CREATE DATABASE "{name}" TEMPLATE "{self._admin.database}"'
        self._drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
        administer(template, self._create)
        self._connection = psycopg.connect(self.url.replace("+psycopg", ""), autocommit=True)
        tables, sequences = self._ask(TABLES), self._ask(SEQUENCES)
        parts = [FILLED.format(name) for name in tables] + [USED.format(name) for name in sequences]
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
        administer(text_of(self._admin), self._drop)


@contextmanager
def empty_postgres(templates: Templates) -> Iterator[str]:
    """A Postgres database that nothing was created in."""
    server = templates.make("postgres")
    url = sa.make_url(server).set(database=f"overture_{uuid.uuid4().hex[:12]}")
    administer(server, f'CREATE DATABASE "{url.database}" TEMPLATE template0')
    yield text_of(url)
    administer(server, f'DROP DATABASE "{url.database}" WITH (FORCE)')


def fresh(kind: str, templates: Templates) -> Sqlite | Postgres:
    """A database of this worker's own."""
    template = templates.make(kind)
    return Sqlite(template) if kind == "sqlite" else Postgres(template)


def _quick_folder() -> str | None:
    """Memory instead of a disk, where the system offers it: every commit waits for its file."""
    memory = Path("/dev/shm")
    usable = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 256 * 2**20
    return str(memory) if usable else None
