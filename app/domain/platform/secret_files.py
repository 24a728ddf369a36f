"""Small files beside the secret key, of what must outlive the database: only the owner of the process may read them."""

import hashlib
import os
from pathlib import Path


def place(instance: Path, what: str, database_url: str) -> Path:
    """Return where the file of that database is kept; two databases of one instance have two."""
    return instance / f"{what}_{hashlib.sha256(database_url.encode()).hexdigest()[:8]}"


def append(file: Path, text: str, *, lasting: bool = False) -> int:
    """Add the text and return the file's size in bytes; a lasting one survives a power cut."""
    with os.fdopen(os.open(file, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600), "a") as opened:
        opened.write(text)
        opened.flush()
        if lasting:
            os.fsync(opened.fileno())
        return opened.tell()
