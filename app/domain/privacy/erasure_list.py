"""The list of erasures outside the database: keyed hashes, so that a backup from before an erasure brings no one back.

It stands beside the secret key, without which a hash says nothing, and holds what `never_contact` holds of erased
people. A restored backup is compared with it before anything else is done with it.
"""

import logging
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.platform import secret_files
from app.models.leads import NeverContact, NeverContactKind

LOG = logging.getLogger(__name__)
_file: Path | None = None


class Erased(NamedTuple):
    """One name of an erased person of a workspace."""

    workspace_id: int
    digest: str


def file_of(instance: Path, database_url: str) -> Path:
    """Return where the list of that database is kept."""
    return secret_files.place(instance, "erasures", database_url)


def use(file: Path | None) -> None:
    """Set the file of the list; None to keep no list."""
    global _file
    _file = file


def keep() -> int:
    """Add the database's erasures that the file lacks; return how many there were."""
    if _file is None:
        return 0
    missing = sorted(_in_database() - read(_file))
    end_read()
    if missing:
        try:
            secret_files.append(_file, "".join(f"{one.workspace_id} {one.digest}\n" for one in missing), lasting=True)
        except OSError:  # the next call tries again
            LOG.exception("The list of erasures could not be kept")
            return 0
    return len(missing)


def read(file: Path) -> set[Erased]:
    """Return the entries of the file; invalid lines are skipped."""
    if not file.exists():
        return set()
    lines = (line.split() for line in file.read_text(errors="replace").splitlines())
    return {Erased(int(line[0]), line[1]) for line in lines if len(line) == 2 and line[0].isdecimal()}


def unknown(file: Path | None = None) -> dict[int, set[str]]:
    """Return what the list has and the database has not: the digests of each workspace."""
    listed: defaultdict[int, set[str]] = defaultdict(set)
    for one in read(kept) - _in_database() if (kept := file or _file) else ():
        listed[one.workspace_id].add(one.digest)
    return dict(listed)


def _in_database() -> set[Erased]:
    query = sa.select(NeverContact.workspace_id, NeverContact.value).where(NeverContact.kind == NeverContactKind.ERASED)
    return {Erased(*row) for row in session().execute(query)}
