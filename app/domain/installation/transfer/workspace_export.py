"""Workspace export: one workspace in one file, for `overture workspace import` on this or another server.

The file is JSON lines, compressed: a header, the rows, and a last line that says how many there are and their digest.
Secrets stay behind, or are sealed with a passphrase: this server's key opens nothing elsewhere.
"""

import base64
import errno
import hashlib
import json
import os
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from app.core import migrations
from app.core.crypto import Passphrase, keyring
from app.core.db import end_read, is_sqlite, session
from app.core.errors import Conflict
from app.core.installation import VERSION
from app.domain.autopilot import play_changes
from app.domain.campaigns import bulk_changes
from app.domain.conversations import inbox
from app.domain.installation import table_rows, workspace_rows
from app.domain.installation.table_rows import Row
from app.domain.leads import tags
from app.domain.leads.campaign_leads.company_decisions import DECIDED
from app.domain.platform import audit_log, secret_rotation
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

KIND, FORMAT = "overture workspace", 1
SALT = 16  # bytes
_GZIP = 31  # zlib's window bits for the gzip format
# Open jobs that don't prevent an export: alerts are queued again by themselves, and an expired undo needs no work.
_UNDOS = (tags.TAGGED, bulk_changes.MOVED, bulk_changes.JOINED, DECIDED, inbox.MOVED, play_changes.CHANGED)
BEGUN_AGAIN = ("alert", *(undo.kind for undo in _UNDOS))
ONLY_WITH_SECRET = ("service_login",)  # tables whose rows are useless without their secret
SANDBOX = "sandbox"  # senders of this provider have no secret


@dataclass
class Exported:
    """How many rows are in the file, and what has to be connected again because its secret is not in the file."""

    rows: int = 0
    connect: list[str] = field(default_factory=list)


def export(workspace: Workspace, file: Path, words: str = "") -> Exported:
    """Write the workspace into that new file, its secrets sealed with the words of a passphrase or left out."""
    done, unfinished = Exported(), file.with_name(file.name + ".part")
    pieces = stream(workspace, words, done)
    try:
        if file.exists():
            raise FileExistsError(errno.EEXIST, "", str(file))
        handle = os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError as taken:
        raise Conflict(f"{taken.filename} already exists.", "Choose another name with --to.") from None
    except OSError as problem:
        raise Conflict(f"{file} can't be written: {problem.strerror}.", "Choose another place with --to.") from None
    try:
        with os.fdopen(handle, "wb") as written:
            written.writelines(pieces)
        unfinished.rename(file)
        return done
    finally:
        unfinished.unlink(missing_ok=True)


def stream(workspace: Workspace, words: str = "", done: Exported | None = None) -> Iterator[bytes]:
    """Return the compressed file piece by piece, read while it is sent; raise Conflict before the first one.

    An incomplete file lacks the last line, so no import accepts it.
    """
    audit_log.record(workspace, "export.workspace", workspace.name)
    end_read()
    if not is_sqlite():  # one snapshot of all tables, while other processes write
        session().connection(execution_options={"isolation_level": "REPEATABLE READ"})
    _refuse_under_way(workspace)
    return _packed(_lines(workspace, words, done or Exported()))


def _packed(lines: Iterator[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=_GZIP)
    yield from filter(None, map(packer.compress, lines))
    yield packer.flush()


def _refuse_under_way(workspace: Workspace) -> None:
    """Raise Conflict while jobs are open: the file would contain half of their work, and the rest would happen here."""
    mine = (Job.workspace_id == workspace.id, Job.open_key.is_not(None), Job.kind.not_in(BEGUN_AGAIN))
    kinds = session().scalars(sa.select(Job.kind).where(*mine))
    if count := Counter(kinds):
        named = ", ".join(f"{kind} ({number})" if number > 1 else kind for kind, number in sorted(count.items()))
        raise Conflict(
            f"This workspace has jobs in progress: {named}.",
            "Wait until these jobs are done, or cancel them. Then export again.",
        )


def _lines(workspace: Workspace, words: str, done: Exported) -> Iterator[bytes]:
    connection, salt = session().connection(), os.urandom(SALT)
    passphrase = Passphrase(words, salt) if words else None
    header = {
        "kind": KIND,
        "format": FORMAT,
        "version": VERSION,
        "revision": migrations.newest(),
        "workspace": {"id": workspace.id, "name": workspace.name},
        "lastIds": table_rows.last_ids(connection),
        "salt": base64.b64encode(salt).decode() if passphrase else None,
        "proof": base64.b64encode(passphrase.seal(b"", KIND)).decode() if passphrase else None,
        "erased": erased_print(),
    }
    first = json.dumps(header).encode() + b"\n"
    digest = hashlib.sha256(first)
    yield first
    for table in workspace_rows.tables():
        mine = workspace_rows.of_workspace(table, workspace.id)
        with closing(table_rows.read(connection, table, mine)) as batches:
            for row in chain.from_iterable(batches):
                if _prepare(table, row, passphrase, done):
                    line = table_rows.encode(table, row)
                    digest.update(line)
                    done.rows += 1
                    yield line
    done.connect = sorted({*done.connect})
    end = {"rows": done.rows, "connect": done.connect, "sha256": digest.hexdigest()}
    yield json.dumps({"end": end}).encode() + b"\n"


def erased_print() -> str:
    """Return a fingerprint of the key that hashes erased people: servers with the same one recognize each other's."""
    return keyring().sign("erased", KIND.encode()).hex()


def _prepare(table: sa.Table, row: Row, passphrase: Passphrase | None, done: Exported) -> bool:
    """Blank what is not exported and seal the row's secrets; return whether the row is exported at all."""
    moved = True
    workspace_rows.leave_behind(table, row)
    for column in table.columns:
        if "sealed" in column.info:
            sealed = _seal_anew(column, row, passphrase)
            moved = moved and (sealed is not None or table.name not in ONLY_WITH_SECRET)
            if row[column.name] is not None and sealed is None and table.name in _CALLED:
                done.connect.append(_CALLED[table.name].format_map(row))
            row[column.name] = sealed if sealed is not None or column.nullable else b""
    if table.name == "account" and row["provider"] != SANDBOX and passphrase is None:
        done.connect.append(f"sender {row['name'] or row['address']}")
    return moved


def _seal_anew(column: sa.Column[Any], row: Row, passphrase: Passphrase | None) -> bytes | None:
    """Return the secret sealed with the passphrase; None without a passphrase, or if this server can't decrypt it."""
    if row[column.name] is not None and passphrase is not None:
        bound = secret_rotation.associated_data(column, **row)
        with suppress(ValueError):
            return passphrase.seal(keyring().unseal(row[column.name], bound), place(column, row))
    return None


def place(column: sa.Column[Any], row: Row) -> str:
    """Return a sealed secret's column and row, which are bound to it so that it can't be moved to another row."""
    return f"{column}|{row['id']}"


# The display names of things that need their secret again; a mailbox is named as a sender.
_CALLED = {
    "autopilot_setup": "the chat for your notifications",
    "service_login": "service {service}",
    "source_connection": "source {kind}",
    "webhook": "webhook {name} (its signing secret is a new one)",
}
