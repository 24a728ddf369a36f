"""The file of a backup: a ZIP archive with a manifest, the database and, if wanted, the secret key."""

import os
import shutil
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter

from app.core.errors import InvalidRequest, Unavailable

FORMAT = 1
MANIFEST, DATABASE, SECRET, OLDER = "manifest.json", "database", "secret_key", "old_secret_keys"
PIECE = 1 << 20
# What the standard library raises for a file that is damaged, encrypted or no backup.
UNREADABLE = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ValueError, RuntimeError)


@dataclass(frozen=True)
class Manifest:
    """What a backup holds. `kind` is how the database is written: sqlite, pg_dump or rows."""

    version: str
    revision: str
    moment: datetime
    dialect: str
    kind: str
    rows: Mapping[str, int]
    secret: bool
    key: str  # an identifier of the secret key that decrypts its secrets; it does not reveal the key
    last_ids: Mapping[str, int] = field(default_factory=dict)  # of the kind `rows`
    format: int = FORMAT

    def written(self) -> str:
        """Return the manifest as JSON."""
        return _MANIFEST.dump_json(self, indent=2).decode()

    @classmethod
    def read(cls, text: bytes) -> "Manifest":
        """Parse what `written` returned; raise ValueError for anything else."""
        found = _MANIFEST.validate_json(text)
        if found.format != FORMAT or found.moment.tzinfo is None:
            raise ValueError("another format")
        return found


_MANIFEST = TypeAdapter(Manifest)


def write(file: Path, manifest: Manifest, database: Path, secret: str = "", older: Sequence[str] = ()) -> None:
    """Write the archive, readable by its owner only, and flush it to disk."""
    handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as opened:
        with zipfile.ZipFile(opened, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(MANIFEST, manifest.written())
            if manifest.secret:
                archive.writestr(SECRET, secret)
                if older:
                    archive.writestr(OLDER, ",".join(each.replace(",", "%2C") for each in older))
            archive.write(database, DATABASE)
        opened.flush()
        os.fsync(opened.fileno())


def read_manifest(file: Path) -> Manifest:
    """Return the manifest; refuse a file that is no backup or that is damaged."""
    with _opened(file) as archive:
        return Manifest.read(_small(archive, MANIFEST))


def read_secrets(file: Path) -> tuple[str, str]:
    """Return the archive's secret key, and the older keys as in their setting; '' for what it does not hold."""
    with _opened(file) as archive:
        names = archive.namelist()
        secret, older = (_small(archive, name).decode() if name in names else "" for name in (SECRET, OLDER))
        return secret, older


def extract_database(file: Path, to: Path) -> None:
    """Write the database into a file; raise if the archive is damaged or the disk has no room."""
    with _opened(file) as archive:
        needed, free = archive.getinfo(DATABASE).file_size, shutil.disk_usage(to.parent).free
        if free < needed:
            raise Unavailable(
                f"The database in {file} needs {needed // PIECE} MB, but only {free // PIECE} MB are free.",
                "Free some disk space, then try again.",
            )
        handle = os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as target, archive.open(DATABASE) as source:
            shutil.copyfileobj(source, target, PIECE)


@contextmanager
def _opened(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            if any(member.flag_bits & 1 for member in archive.infolist()):
                raise InvalidRequest(f"{file} is encrypted.", "Unpack the file and pack it without a password.")
            yield archive
    except UNREADABLE as problem:
        raise InvalidRequest(f"{file} is not an Overture backup, or it is damaged.", "Choose another.") from problem


def _small(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a short file of the archive; raise ValueError if it is too long, without trusting its stated size."""
    with archive.open(name) as member:
        found = member.read(PIECE + 1)
    if len(found) > PIECE:
        raise ValueError(f"{name} is too large.")
    return found
