"""Heads of the audit log outside the database: without them, deleting its last entries would leave no trace.

After each commit the last number and digest of a workspace's log are added, signed, to a file beside the secret, and
told in the program's log, which may be kept on another machine.
"""

import hmac
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from app.core.crypto import keyring
from app.core.db import Committing, session, until_commit
from app.domain.platform import secret_files
from app.models.platform.audit import AuditEntry

LOG = logging.getLogger("app.audit")
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
    """Entries that were there: from the first that is missing or another, to the last known."""

    workspace_id: int
    first: int
    last: int


def file_of(instance: Path, database_url: str) -> Path:
    """Return where the heads of that database are kept."""
    return secret_files.place(instance, "audit_heads", database_url)


def use(file: Path | None) -> None:
    """Keep heads in this file; None for nowhere."""
    global _file
    _file = file


def note(entry: AuditEntry) -> None:
    """Keep this head once the open transaction is committed."""
    head = Head(entry.workspace_id, entry.number, entry.digest.hex())
    until_commit(_Heads).by_workspace[head.workspace_id] = head


def lost() -> Iterator[Lost]:
    """Yield what the database lacks of the entries that this machine knows of."""
    for head in _known().values():
        found = sa.select(AuditEntry.digest).where(
            AuditEntry.workspace_id == head.workspace_id, AuditEntry.number == head.number
        )
        digest = session().scalar(found)
        if digest is not None and hmac.compare_digest(digest.hex(), head.digest):
            continue
        newest = sa.select(sa.func.max(AuditEntry.number)).where(AuditEntry.workspace_id == head.workspace_id)
        there = session().scalar(newest) or 0
        yield Lost(head.workspace_id, min(there + 1, head.number), head.number)


def _known() -> dict[int, Head]:
    """Return the highest head of each workspace; lines that were not signed here count for nothing."""
    known: dict[int, Head] = {}
    if _file is None or not _file.exists():
        return known
    for line in _file.read_text(errors="replace").splitlines():
        words, _, signature = line.rpartition(" ")
        if hmac.compare_digest(signature.encode(), _signature(words).encode()):
            workspace_id, number, digest = words.split()
            head = Head(int(workspace_id), int(number), digest)
            known[head.workspace_id] = max(known.get(head.workspace_id, head), head, key=lambda each: each.number)
    return known


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
                secret_files.replace(_file, "".join(head.line() for head in _known().values()))
        except OSError:  # what was committed stays committed
            LOG.exception("The head of the audit log could not be kept")


def _signature(words: str) -> str:
    return keyring().sign("audit", words.encode()).hex()[:32]
