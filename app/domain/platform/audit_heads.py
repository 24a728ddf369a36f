"""Heads of the audit log outside the database: without them, deleting its last entries would leave no trace.

After each commit the last number and digest of a workspace's log are added, signed, to a file beside the secret, and
told in the program's log, which may be kept on another machine.
"""

import hmac
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from app.core.crypto import keyring
from app.core.db import Committing, session, until_commit
from app.domain.platform import secret_files
from app.models.platform.audit import AuditEntry

LOG = logging.getLogger("app.audit")
NAME = "audit_heads"
MOST_BYTES = 512 * 1024  # then only the newest line of each workspace stays
_file: Path | None = None


class Head(NamedTuple):
    """The last entry of a workspace that this machine knows of."""

    workspace_id: int
    number: int
    digest: str

    def line(self) -> str:
        """Return it as a signed line."""
        words = f"{self.workspace_id} {self.number} {self.digest}"
        return f"{words} {_signature(words)}\n"


class Lost(NamedTuple):
    """Audit entries that are gone: from the first that is missing or changed, to the last that was known."""

    workspace_id: int
    first: int
    last: int


def file_of(instance: Path, database_url: str) -> Path:
    """Return where the heads of that database are kept."""
    return secret_files.place(instance, NAME, database_url)


def use(file: Path | None) -> None:
    """Keep the heads in this file; None keeps none."""
    global _file
    _file = file


def note(entry: AuditEntry) -> None:
    """Keep this head once the open transaction is committed."""
    head = Head(entry.workspace_id, entry.number, entry.digest.hex())
    until_commit(_Heads).by_workspace[head.workspace_id] = head


def lost() -> Iterator[Lost]:
    """Yield, for each workspace, the audit entries that this machine knows of and the database lacks."""
    for head in _newest(_of_this_database()).values():
        if _is_there(head):
            continue
        newest = sa.select(sa.func.max(AuditEntry.number)).where(AuditEntry.workspace_id == head.workspace_id)
        there = session().scalar(newest) or 0
        yield Lost(head.workspace_id, min(there + 1, head.number), head.number)


def _is_there(head: Head) -> bool:
    found = sa.select(AuditEntry.digest).where(
        AuditEntry.workspace_id == head.workspace_id, AuditEntry.number == head.number
    )
    digest = session().scalar(found)
    return digest is not None and hmac.compare_digest(digest.hex(), head.digest)


def _of_this_database() -> list[Head]:
    """Return the heads of this database's file or, if it was moved or copied, of the file that has its first entry."""
    if _file is None or _file.exists():
        return _kept(_file)
    others = map(_kept, sorted(_file.parent.glob(f"{NAME}_*")))
    return next((heads for heads in others if heads and _is_there(heads[0])), [])


def _kept(file: Path | None) -> list[Head]:
    """Return the heads of a file in its order; lines that were not signed here count for nothing."""
    known: list[Head] = []
    for line in file.read_text(errors="replace").splitlines() if file and file.exists() else ():
        words, _, signature = line.rpartition(" ")
        if hmac.compare_digest(signature.encode(), _signature(words).encode()):
            workspace_id, number, digest = words.split()
            known.append(Head(int(workspace_id), int(number), digest))
    return known


def _newest(heads: Iterable[Head]) -> dict[int, Head]:
    """Return the highest head of each workspace; of two with one number the first, as the second came after a loss."""
    highest_first = sorted(heads, key=lambda each: each.number, reverse=True)
    return {head.workspace_id: head for head in reversed(highest_first)}


class _Heads(Committing):
    """The newest entry of each workspace that a transaction recorded."""

    def __init__(self) -> None:
        self.by_workspace: dict[int, Head] = {}

    def after_commit(self) -> None:
        """Write the heads to the file and the log."""
        heads = list(self.by_workspace.values())
        for head in heads:
            fields = {"workspace": head.workspace_id, "number": head.number, "digest": head.digest}
            LOG.info("Audit", extra={"fields": fields})
        if _file is None:
            return
        try:
            if secret_files.append(_file, "".join(head.line() for head in heads)) > MOST_BYTES:
                secret_files.replace(_file, "".join(head.line() for head in _newest(_kept(_file)).values()))
        except OSError:  # the transaction is committed already
            LOG.exception("The head of the audit log could not be kept")


def _signature(words: str) -> str:
    return keyring().sign("audit", words.encode()).hex()[:32]
