"""Small files beside the secret key, of what must outlive the database: only the owner of the process may read them."""

import hashlib
import os
from pathlib import Path

_MODE = 0o600


def place(instance: Path, what: str, database_url: str) -> Path:
    """Return the path of the file of that kind; each database of an instance has its own."""
    return instance / f"{what}_{hashlib.sha256(database_url.encode()).hexdigest()[:8]}"


def append(file: Path, text: str, *, lasting: bool = False) -> int:
    """Add the text and return the file's size in bytes; a lasting one survives a power cut."""
    with os.fdopen(_open(file, os.O_APPEND), "a") as opened:
        opened.write(text)
        opened.flush()
        if lasting:
            os.fsync(opened.fileno())
        return opened.tell()


def replace(file: Path, text: str) -> None:
    """Replace what the file says; whoever reads it meanwhile finds either all of the old or all of the new."""
    other = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(_open(other, os.O_TRUNC), "w") as opened:
        opened.write(text)
    other.replace(file)


def _open(file: Path, how: int) -> int:
    """Open the file; create it and its folder if missing, as it is where the secret key comes from the environment."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(file, how | os.O_CREAT | os.O_WRONLY, _MODE)
