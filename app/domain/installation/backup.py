"""Backup: one file with the whole database as of one moment, made while the service writes, and read back at once."""

import fcntl
import logging
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.core import clock, database_copy, migrations
from app.core.crypto import Keyring
from app.core.database_copy import DamagedCopy, ProgramFailed
from app.core.db import Base, end_read
from app.core.errors import Conflict, Unavailable
from app.core.installation import VERSION
from app.domain.installation import backup_archive, table_rows
from app.domain.installation.backup_archive import Manifest
from app.domain.workspace import workspaces

LOG = logging.getLogger(__name__)
NAME = re.compile(r"overture-(\d{8}-\d{6})(-\d+)?\.zip")
NIGHT = 3  # o'clock, UTC
SPARE = 64 * 2**20  # bytes that stay free on the disk


@dataclass(frozen=True)
class Plan:
    """Where and how this installation is backed up."""

    url: str
    folder: Path
    mode: str  # on, without-secret or off, for the nightly backup
    keep: int
    secret: str
    older: tuple[str, ...] = ()

    @classmethod
    def read(cls, settings: Mapping[str, Any]) -> "Plan":
        """Return the plan of these settings."""
        names = ("DATABASE_URL", "OVERTURE_BACKUP_FOLDER", "OVERTURE_BACKUP", "OVERTURE_BACKUP_KEEP", "SECRET_KEY")
        url, folder, mode, keep, secret = (settings[name] for name in names)
        return cls(url, Path(folder), mode, keep, secret, settings["OVERTURE_OLD_SECRET_KEYS"])


_plan: Plan | None = None


def use(plan: Plan) -> None:
    """Set how this installation is backed up; called once by create_app."""
    global _plan
    _plan = plan


def plan() -> Plan:
    """Return how this installation is backed up."""
    if _plan is None:
        raise RuntimeError("No backup folder is set.")
    return _plan


def made(folder: Path) -> list[Path]:
    """Return the backups in a folder, the newest first."""
    files = folder.iterdir() if folder.is_dir() else ()
    return sorted((file for file in files if NAME.fullmatch(file.name)), key=_order, reverse=True)


def made_at(file: Path) -> datetime:
    """Return the moment of a backup, as its name has it."""
    found = NAME.fullmatch(file.name)
    if found is None:
        raise ValueError(f"{file.name} is not the name of a backup.")
    return datetime.strptime(found.group(1), "%Y%m%d-%H%M%S").replace(tzinfo=UTC)


def _order(file: Path) -> tuple[datetime, int, str]:
    return made_at(file), len(file.name), file.name


def run_due() -> int:
    """Make the backup of the night unless it was made or is switched off; return how many were made."""
    how = plan()
    if how.mode == "off" or not workspaces.any_exist():
        return 0
    now = clock.now()
    night = now.replace(hour=NIGHT, minute=0, second=0, microsecond=0)
    night -= timedelta(days=1) if night > now else timedelta(0)
    newest = next(iter(made(how.folder)), None)
    if newest and made_at(newest) >= night:
        return 0
    make(how, with_secret=how.mode == "on")
    return 1


def make(how: Plan, to: Path | None = None, *, with_secret: bool = True) -> Path:
    """Make a backup, read it back, and remove the oldest beyond those that are kept. Never inside a transaction."""
    end_read()
    folder = (to or how.folder).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _alone(folder) as work:
            _refuse_without_room(how, folder)
            moment = clock.now()
            ready = work / "backup.zip"
            _write(how, ready, work, moment, with_secret)
            verify(ready, work)
            done = _named(folder, moment)
            ready.rename(done)
            _keep_name(folder)
        for old in made(folder)[max(how.keep, 1) :]:
            old.unlink()
    except OSError as problem:
        raise Unavailable(f"Could not back up to {folder}: {problem.strerror or problem}.") from problem
    except ProgramFailed as problem:
        raise Unavailable(f"The backup failed. pg_dump says: {problem}") from problem
    LOG.info("A backup was made", extra={"fields": {"file": str(done), "bytes": done.stat().st_size}})
    return done


def verify(file: Path, work: Path) -> Manifest:
    """Open the backup as a restore would, and count its rows; raise Unavailable when it is not what it says."""
    manifest, database = backup_archive.read_manifest(file), work / "read-back"
    backup_archive.extract_database(file, database)
    try:
        counted = count(manifest, database)
    except DamagedCopy as problem:
        raise Unavailable(f"The backup could not be read back: {problem}.", "Check the disk.") from problem
    finally:
        database.unlink()
    if counted != manifest.rows:
        raise Unavailable("The backup could not be read back: rows are missing.", "Check the disk.")
    return manifest


def count(manifest: Manifest, database: Path) -> dict[str, int]:
    """Return the number of rows of each table in the database file of a backup."""
    if manifest.kind == "sqlite":
        database_copy.check_sqlite(database)
        with database_copy.connected(f"sqlite:///{database}") as connection:
            if not set(manifest.rows) <= set(database_copy.tables(connection)):
                raise DamagedCopy("tables are missing")
            return database_copy.count_rows(connection, list(manifest.rows))
    if manifest.kind == "rows":
        found = Counter[str]()
        for table, batch in table_rows.read_file(database):
            found[table.name] += len(batch)
        return dict.fromkeys(manifest.rows, 0) | found
    program = database_copy.postgres_program("pg_restore", 0)
    if program is None:
        raise DamagedCopy("pg_restore is not on PATH")
    counted = database_copy.count_dump(program, database)
    return {name: counted.get(name, 0) for name in manifest.rows}


@contextmanager
def _alone(folder: Path) -> Iterator[Path]:
    """Open a folder to work in, while no other process makes a backup in the same place."""
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict("Another backup is running in this folder.", "Wait until that backup is done.") from None
        for left in folder.glob(".making-*"):  # left behind by a process that died
            shutil.rmtree(left, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=".making-", dir=folder) as work:
            yield Path(work)


def _refuse_without_room(how: Plan, folder: Path) -> None:
    """Raise unless the disk has room for the database copy and its archive, or for the copy that is read back."""
    with database_copy.connected(how.url) as connection:
        needed = 2 * database_copy.size(connection) + SPARE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Unavailable(
            f"Not enough disk space for a backup in {folder}: it needs {needed // 2**20} MB, but only"
            f" {free // 2**20} MB are free.",
            "Free some disk space, or choose another folder with --to or OVERTURE_BACKUP_FOLDER.",
        )


def _write(how: Plan, file: Path, work: Path, moment: datetime, with_secret: bool) -> None:
    database = work / "database"
    dialect = sa.make_url(how.url).get_backend_name()
    kind, rows, last_ids = _copy_sqlite(how, database) if dialect == "sqlite" else _copy_postgres(how, database)
    manifest = Manifest(
        version=VERSION,
        revision=migrations.current(how.url) or "",
        moment=moment,
        dialect=dialect,
        kind=kind,
        rows=rows,
        secret=with_secret,
        key=Keyring(how.secret).newest.hex(),
        last_ids=last_ids,
    )
    backup_archive.write(file, manifest, database, how.secret, how.older)
    database.unlink()


def _copy_sqlite(how: Plan, to: Path) -> tuple[str, dict[str, int], dict[str, int]]:
    database_copy.copy_sqlite(database_copy.sqlite_file(how.url), to)
    database_copy.make_single_file(to)
    with database_copy.connected(f"sqlite:///{to}") as connection:
        return "sqlite", database_copy.count_rows(connection, _counted(connection)), {}


def _copy_postgres(how: Plan, to: Path) -> tuple[str, dict[str, int], dict[str, int]]:
    """Write the copy with `pg_dump`, or row by row where it is missing or older than the server."""
    with database_copy.snapshot(how.url) as (connection, name):
        rows = database_copy.count_rows(connection, _counted(connection))
        program = database_copy.postgres_program("pg_dump", database_copy.server_version(connection))
        if program and database_copy.postgres_program("pg_restore", database_copy.server_version(connection)):
            database_copy.dump_postgres(program, how.url, name, to)
            return "pg_dump", rows, {}
        table_rows.write_file(connection, to)
        return "rows", rows, table_rows.last_ids(connection)


def _counted(connection: sa.Connection) -> list[str]:
    """Return the tables whose rows are counted: those of the models."""
    return sorted(set(database_copy.tables(connection)) & set(Base.metadata.tables))


def _named(folder: Path, moment: datetime) -> Path:
    """Return the path of a new backup; a second one in the same second gets a number."""
    name = f"overture-{moment:%Y%m%d-%H%M%S}"
    names = (folder / f"{name}{f'-{number}' if number else ''}.zip" for number in range(1000))
    return next(each for each in names if not each.exists())


def _keep_name(folder: Path) -> None:
    """Flush the folder to disk, so that the file's new name survives a crash."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
