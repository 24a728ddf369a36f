"""Copies of a whole database, made while others write: of SQLite the file, of Postgres what `pg_dump` writes."""

import os
import re
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa


class DamagedCopy(Exception):
    """The copy cannot be read."""


class ProgramFailed(Exception):
    """A program of Postgres failed; the text is its last line."""


@contextmanager
def connected(url: str, **options: Any) -> Iterator[sa.Connection]:
    """Open a connection of its own to a database, in one transaction that is committed at the end."""
    engine = sa.create_engine(url, poolclass=sa.NullPool, hide_parameters=True, **options)
    with engine.begin() as connection:
        yield connection


@contextmanager
def snapshot(url: str) -> Iterator[tuple[sa.Connection, str]]:
    """Open a read-only transaction that sees Postgres as of one moment; other connections see the same by its name."""
    with connected(url, isolation_level="REPEATABLE READ") as connection:
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")
        yield connection, str(connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar_one())


def tables(connection: sa.Connection) -> list[str]:
    """Return the names of the tables."""
    return sa.inspect(connection).get_table_names()


def count_rows(connection: sa.Connection, names: list[str]) -> dict[str, int]:
    """Return the number of rows of each of these tables."""
    counted = {name: sa.select(sa.func.count()).select_from(sa.table(name)) for name in names}
    return {name: connection.execute(query).scalar_one() for name, query in counted.items()}


def size(connection: sa.Connection) -> int:
    """Return the size of the database in bytes."""
    sqlite = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    query = sqlite if connection.dialect.name == "sqlite" else "SELECT pg_database_size(current_database())"
    return int(connection.exec_driver_sql(query).scalar_one())


def sqlite_file(url: str) -> Path:
    """Return the file of an SQLite database."""
    return Path(sa.make_url(url).database or "")


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy an SQLite database as of one moment into `target`, replacing all its content in one step."""
    with closing(sqlite3.connect(source, timeout=60)) as one, closing(sqlite3.connect(target, timeout=60)) as other:
        one.backup(other)


def make_single_file(file: Path) -> None:
    """Turn SQLite's write-ahead log off, so that this one file holds the whole database."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def check_sqlite(file: Path) -> None:
    """Raise DamagedCopy unless SQLite can read every page of the file."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as problem:
        raise DamagedCopy(str(problem)) from problem
    if verdict != "ok":
        raise DamagedCopy(str(verdict))


def sqlite_code(file: Path) -> dict[str, str]:
    """Return the SQL of each trigger and view: code that runs when their tables are used."""
    with closing(sqlite3.connect(file)) as connection:
        query = "SELECT name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
        return {name: " ".join(sql.split()) for name, sql in connection.execute(query)}


def postgres_program(name: str, least: int) -> str | None:
    """Return the path of a program of Postgres of that major version or later; None if there is none on PATH."""
    path = shutil.which(name)
    if path is None:
        return None
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"\d+", answer)
    return path if version and int(version.group()) >= least else None


def server_version(connection: sa.Connection) -> int:
    """Return the major version of a Postgres server."""
    return int(connection.exec_driver_sql("SHOW server_version_num").scalar_one()) // 10000


def dump_postgres(program: str, url: str, snapshot_name: str, to: Path) -> None:
    """Write what the snapshot sees into a file that `pg_restore` reads."""
    target, environment = _address(url)
    how = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges", f"--snapshot={snapshot_name}"]
    _run([program, *how, f"--file={to}", f"--dbname={target}"], environment)


def load_postgres(program: str, url: str, file: Path, without: str) -> None:
    """Restore a file of `dump_postgres` into an empty database, all or nothing, leaving out the rows of one table."""
    contents = _run([program, "--list", str(file)], dict(os.environ)).splitlines()
    wanted = [line for line in contents if f" TABLE DATA public {without} " not in line]
    chosen = file.with_suffix(".list")
    chosen.write_text("\n".join(wanted))
    target, environment = _address(url)
    how = ["--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", f"--use-list={chosen}"]
    _run([program, *how, f"--dbname={target}", str(file)], environment)


def count_dump(program: str, file: Path) -> dict[str, int]:
    """Return the number of rows of each table in a file of `dump_postgres`, read to its end."""
    counted: Counter[str] = Counter()
    name = ""
    with subprocess.Popen(
        [program, "--data-only", "--file=-", str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as reader:
        for line in reader.stdout or ():
            if name and line == b"\\.\n":
                name = ""
            elif name:
                counted[name] += 1
            elif begun := re.match(rb'COPY public\."?(\w+)"? ', line):
                name = begun.group(1).decode()
                counted[name] = 0
    if reader.returncode:
        raise DamagedCopy("pg_restore cannot read it")
    return dict(counted)


def _address(url: str) -> tuple[str, dict[str, str]]:
    """Return the address without its password, and an environment with it, because others can read a command line."""
    known = sa.make_url(url)
    password = {"PGPASSWORD": str(known.password)} if known.password else {}
    plain = sa.URL.create("postgresql", known.username, None, known.host, known.port, known.database, known.query)
    return plain.render_as_string(), {**os.environ, **password}


def _run(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ProgramFailed((done.stderr.strip().splitlines() or ["no reason given"])[-1])
    return done.stdout
