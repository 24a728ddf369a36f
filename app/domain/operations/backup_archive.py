"""The file of a backup: a ZIP archive with a manifest, the database and, if wanted, the secret key."""

import json
import os
import shutil
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from app.core.errors import InvalidRequest

FORMAT = 1
MANIFEST, DATABASE, SECRET, OLDER = "manifest.json", "database", "secret_key", "old_secret_keys"
PIECE = 1 << 20


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
    key: str  # the name of the secret key with which its secrets open; it tells nothing of the key
    last_ids: Mapping[str, int] = field(default_factory=dict)  # of the kind `rows`
    format: int = FORMAT

    def written(self) -> str:
        """Return the manifest as JSON."""
        return json.dumps(asdict(self) | {"moment": self.moment.isoformat()}, indent=2)

    @classmethod
    def read(cls, text: str | bytes) -> "Manifest":
        """Parse what `written` returned; raise ValueError or TypeError for anything else."""
        known: dict[str, Any] = json.loads(text)
        if known["format"] != FORMAT:
            raise ValueError("another format")
        return cls(**known | {"moment": datetime.fromisoformat(known["moment"])})


def write(file: Path, manifest: Manifest, database: Path, secret: str = "", older: Sequence[str] = ()) -> None:
    """Write the archive for its owner's eyes only, and wait until the disk has it."""
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
    try:
        with zipfile.ZipFile(file) as archive:
            return Manifest.read(archive.read(MANIFEST))
    except (OSError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, TypeError) as problem:
        raise InvalidRequest(f"{file} is not a backup of Overture, or it is damaged.", "Choose another.") from problem


def read_secrets(file: Path) -> tuple[str, str]:
    """Return the secret key inside and the older ones as their setting has them; '' for what is not inside."""
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        secret, older = (archive.read(name).decode() if name in names else "" for name in (SECRET, OLDER))
        return secret, older


def extract_database(file: Path, to: Path) -> None:
    """Write the database into a file; refuse one of which a byte changed."""
    try:
        handle = os.open(to, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(handle, "wb") as target, zipfile.ZipFile(file) as archive, archive.open(DATABASE) as source:
            shutil.copyfileobj(source, target, PIECE)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ValueError) as problem:
        raise InvalidRequest(f"{file} is damaged.", "Choose another backup.") from problem
