"""Workspace import: the file of `overture workspace export` becomes a workspace of this server, with ids of its own.

All ids of a table are raised by the same number, past every id that either server gave out. So an id of
a deleted row matches no other row here, and names made from ids stay unique. The workspace begins at rest:
campaigns and the autopilot are paused, senders and webhooks are off. A file is no proof of payment: it begins with
the plan of a new workspace, unless the import is told to keep the file's.
"""

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict, NonNegativeInt
from pydantic.alias_generators import to_camel
from pydantic_core import from_json, to_json

from app.core import clock, crypto, installation, migrations, text
from app.core.crypto import Passphrase, keyring
from app.core.db import MAX_ID, is_sqlite, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import launch
from app.domain.billing import subscriptions
from app.domain.campaigns import campaigns
from app.domain.conversations import search_index
from app.domain.engine.outbound import begin
from app.domain.installation import table_rows, workspace_rows
from app.domain.installation.doctor_checks import settings, stored
from app.domain.installation.doctor_checks.remote import Problem
from app.domain.installation.table_rows import Row
from app.domain.installation.transfer import workspace_export
from app.domain.platform import audit_log, secret_rotation
from app.domain.webhooks import events
from app.domain.workspace import server_admins
from app.models.accounts import AccountStatus
from app.models.autopilot import SETUP, Setup
from app.models.campaigns import CAMPAIGN, Campaign
from app.models.conversations import Conversation, MessageStatus
from app.models.leads import NeverContact, NeverContactKind
from app.models.ledger import ActionState
from app.models.webhooks import DeliveryState
from app.models.workspaces import User, Workspace

MOVED = "This workspace was moved to this server."
NOT_SENT = "Not sent, because the workspace was moved to another server. Send the message again."
DAMAGED = "This file is damaged, or it is not a workspace export."
AGAIN = "Nothing was imported. Export the workspace again."
LARGEST_ID = 2**53 - 1  # the largest integer that JSON numbers hold exactly
TOO_LARGE = "This file unpacks to far more data than a workspace can have."
RATIO, ALWAYS = 200, 64 * 2**20  # a file may unpack to RATIO times its size, or to ALWAYS bytes
END = b'{"end"'  # how the last line begins; those of rows are lists
FAULTS = (ArithmeticError, AttributeError, EOFError, KeyError, OSError, RuntimeError, TypeError, ValueError, zlib.error)


class _Header(BaseModel):
    """The first line."""

    model_config = ConfigDict(alias_generator=to_camel, strict=True)

    kind: str
    format: int
    version: str
    revision: str
    workspace: dict[str, Any]
    last_ids: dict[str, NonNegativeInt]
    salt: str | None
    proof: str | None
    erased: str


class _End(BaseModel):
    """What the last line says."""

    model_config = ConfigDict(strict=True)

    rows: int
    connect: list[str]
    sha256: str


@dataclass
class Imported:
    """The new workspace, its number of rows, and what its owner has to know."""

    workspace: Workspace
    rows: int
    connect: list[str]  # what must be connected again, as its secret is missing
    new_users: list[str] = field(default_factory=list)  # members who have no password on this server yet
    forgotten: int = 0  # erased people whom this server can't recognize
    plan: str = ""  # the file's plan
    credits: int = 0  # the credits that the file claims


def take_in(file: Path, words: str = "", *, unconfirmed: bool = False, with_billing: bool = False) -> Imported:
    """Add the file's workspace to this server; `words` is the passphrase of its secrets.

    Its members become users of this server who have their address: those who confirmed it, or with `unconfirmed` all.
    Its plan and credits are those of a new workspace, or with `with_billing` those of the file.
    """
    header, end = _check(file)
    passphrase = _open(header, words)
    shift = _reserve(header.last_ids)
    try:
        with transaction() as current:
            known = {sentence for sentence, _ in _impossible()}
            moving = _Moving(header, shift, passphrase, unconfirmed, with_billing)
            with gzip.open(file) as unpacked:
                rows = islice(table_rows.lines(unpacked), 1, 1 + end.rows)
                for table, batch in table_rows.parse(rows):
                    moving.add(table, batch)
            made = current.get(Workspace, moving.workspace_id)
            if made is None:
                raise ValueError("The workspace itself is missing.")
            if wrong := next((sentence for sentence, _ in _impossible() if sentence not in known), ""):
                raise InvalidRequest(f"This file has values that Overture can't use. {wrong}", AGAIN)
            if not with_billing:
                subscriptions.begin(made, made.now())
            _rest(made)
            audit_log.sign_again(made.id)
            audit_log.record(made, "workspace.imported", made.name)
            for conversation_id in _ids(sa.select(Conversation.id).where(Conversation.workspace_id == made.id)):
                search_index.reindex_all(conversation_id)
            forgotten = 0 if header.erased == workspace_export.erased_print() else _count_erased(made)
            return Imported(made, end.rows, end.connect, moving.new_users, forgotten, moving.plan, moving.credits)
    except (*FAULTS, sa.exc.IntegrityError, sa.exc.DataError) as problem:
        raise InvalidRequest(DAMAGED, AGAIN) from problem


def _impossible() -> Iterator[Problem]:
    """Yield the doctor's problems for impossible values and for settings that no page or call can have stored."""
    yield from stored.values()
    yield from settings.problems()


def _check(file: Path) -> tuple[_Header, _End]:
    """Read the whole file once, before anything is changed; return its header and its end."""
    most = max(ALWAYS, RATIO * file.stat().st_size)
    digest, count, size = hashlib.sha256(), -1, 0
    header, end = None, None
    try:
        with gzip.open(file) as unpacked:
            for line in table_rows.lines(unpacked):
                size += len(line)
                if size > most:
                    raise InvalidRequest(TOO_LARGE, AGAIN)
                if end is not None:
                    raise ValueError("The file has data after its end.")
                if header is None:
                    header = _header(line)
                if line.startswith(END):
                    end = _End.model_validate(from_json(line)["end"])
                    continue
                count += 1
                digest.update(line)
        if header is None or end is None or (end.rows, end.sha256) != (count, digest.hexdigest()):
            raise ValueError("The digest doesn't match this file.")
        return header, end
    except FAULTS as problem:
        raise InvalidRequest(DAMAGED, AGAIN) from problem


def _header(line: bytes) -> _Header:
    header = _Header.model_validate_json(line)
    if header.kind != workspace_export.KIND:
        raise ValueError("This is a different kind of file.")
    theirs, ours = header.revision, migrations.newest() or ""
    if header.format > workspace_export.FORMAT or theirs > ours:
        raise InvalidRequest(
            f"This file is from a newer version of Overture ({header.version}).", "Upgrade this server first."
        )
    if theirs != ours:
        raise InvalidRequest(
            f"This file is from an older version of Overture ({header.version}).",
            "Upgrade the original server, then export the workspace again.",
        )
    return header


def _open(header: _Header, words: str) -> Passphrase | None:
    if header.salt is None:
        return None
    if not words:
        raise InvalidRequest("The secrets in this file are encrypted.", "Add the passphrase with --passphrase-file.")
    try:
        passphrase = Passphrase(words, base64.b64decode(header.salt))
        passphrase.unseal(base64.b64decode(header.proof or ""), workspace_export.KIND)
    except ValueError:
        raise InvalidRequest("The passphrase doesn't match this file.", "Nothing was imported.") from None
    return passphrase


def _reserve(last: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Reserve ids for every row the other server ever had; return, by table, what to add to an id and the last id."""
    names = [table.name for table in workspace_rows.tables()]
    with transaction() as current:
        connection = current.connection()
        if not is_sqlite():  # else ids given out meanwhile would be reserved twice
            listed = ", ".join(f'"{name}"' for name in names)
            connection.execute(sa.text(f"LOCK TABLE {listed} IN SHARE ROW EXCLUSIVE MODE"))
        ours = table_rows.last_ids(connection)
        shift = {name: (max(ours.get(name, 0), last[name]), last[name]) for name in names if name in last}
        if any(distance + most > LARGEST_ID for distance, most in shift.values()):
            raise InvalidRequest("The ids in this file are too large.", AGAIN)
        table_rows.set_last_ids(connection, {name: distance + most for name, (distance, most) in shift.items()})
    return shift


class _Moving:
    """The import of rows, a batch of one table at a time."""

    def __init__(
        self,
        header: _Header,
        shift: dict[str, tuple[int, int]],
        passphrase: Passphrase | None,
        unconfirmed: bool,
        with_billing: bool,
    ) -> None:
        self._theirs, self._shift, self._passphrase = header.workspace["id"], shift, passphrase
        self._unconfirmed, self._with_billing = unconfirmed, with_billing
        self._tables = set(workspace_rows.tables())
        self._users: dict[int, int] = {}
        self._at = clock.now()
        self.workspace_id = self._find("workspace", self._theirs)
        self.new_users: list[str] = []
        self.plan, self.credits = "", 0

    def add(self, table: sa.Table, rows: list[Row]) -> None:
        """Insert these rows of the file."""
        if table not in self._tables:
            raise ValueError(f"Rows of {table.name} can't be moved.")
        if table.name == "user_account":
            self._users |= {row["id"]: self._user(row) for row in rows}
            return
        if any(row["id" if table.name == "workspace" else "workspace_id"] != self._theirs for row in rows):
            raise ValueError(f"A row of {table.name} belongs to another workspace.")
        self.plan = rows[0]["plan"] if table.name == "workspace" else self.plan
        self.credits = rows[0]["posted"] if table.name == "wallet" else self.credits
        moved = (self._moved(table, row) for row in rows)
        table_rows.write(session().connection(), table, [row for row in moved if row is not None])

    def _user(self, row: Row) -> int:
        """Return this server's user with that address, or a new one without a password anybody knows."""
        address = text.email(row["email"])
        if not address:
            raise ValueError("A user has no address.")
        known = session().scalar(sa.select(User).where(User.email == address))
        if known is not None:
            if not (self._unconfirmed or known.email_confirmed_at or server_admins.is_admin(known)):
                raise Conflict(
                    f"A user on this server has the address {address} but never confirmed it.",
                    recovery="Confirm the address in Settings → Profile, or add --unconfirmed if it's the same person.",
                )
            return known.id
        unknown = crypto.hash_password(crypto.random_base62(43))
        user = User(email=address, name=row["name"], password_hash=unknown, created_at=self._at)
        session().add(user)
        session().flush()
        self.new_users.append(address)
        return user.id

    def _find(self, table: str, number: int) -> int | None:
        if table == "user_account":
            return self._users.get(number)
        if not 0 < number < MAX_ID:  # not the id of a row, but a cursor before or after all rows
            return number
        distance, most = self._shift[table]
        if number > most:
            raise ValueError(f"Row {number} of {table} is missing.")
        return number + distance

    def _moved(self, table: sa.Table, row: Row) -> Row | None:
        """Return the row with this server's ids; None if it is not imported, or its user is no longer a member."""
        given = row if self._with_billing else workspace_rows.without_billing(table, row)
        if given is None:
            return None
        moved = {
            column.name: workspace_rows.renumber(column, given[column.name], self._find)
            for column in table.columns
            if column.name != "id"
        }
        if "id" in table.c:
            moved["id"] = self._find(table.name, row["id"])
        for column in table.columns:
            if moved[column.name] is None and not column.nullable:
                return None
        for column in table.columns:
            if "sealed" in column.info:
                moved[column.name] = self._secret(column, row, moved)
        workspace_rows.leave_behind(table, moved)
        if hold := HELD.get(table.name):
            hold(moved, self._at, self._passphrase is not None)
        return moved

    def _secret(self, column: sa.Column[Any], row: Row, moved: Row) -> bytes | None:
        """Return the secret, sealed with this server's key."""
        sealed = row[column.name]
        if sealed and self._passphrase is not None:
            plain = self._passphrase.unseal(sealed, workspace_export.place(column, row))
        elif str(column) == "webhook.secret":
            plain = crypto.webhook_secret().encode()
        else:
            return None
        return keyring().seal(plain, secret_rotation.associated_data(column, **moved))


def _hold_account(row: Row, at: datetime, with_secrets: bool) -> None:
    row["claimed_until"] = None
    if row["provider"] == workspace_export.SANDBOX:
        return
    row["turn_at"] = None
    if with_secrets:
        row["active"] = False
    else:
        row |= {"status": AccountStatus.DISCONNECTED, "status_at": at, "status_reason": f"{MOVED} Connect it again."}


def _hold_action(row: Row, at: datetime, with_secrets: bool) -> None:
    """Give an action that will be retried the token that its next attempt will look for on this server."""
    if row["state"] == ActionState.AGAIN and row["campaign_lead_id"] is not None:
        row["token"] = begin.idempotency_token(row["workspace_id"], row["campaign_lead_id"], row["step"], row["part"])


def _hold_delivery(row: Row, at: datetime, with_secrets: bool) -> None:
    row["claimed_until"] = row["due_at"] = None
    if row["state"] == DeliveryState.PENDING:
        row |= {"state": DeliveryState.CANCELED, "done_at": at, "last_error": MOVED}


def _hold_event(row: Row, at: datetime, with_secrets: bool) -> None:
    """Give the event a new ref: receivers recognize events by it, so two workspaces must not share one."""
    former, row["ref"] = row["ref"], events.new_ref()
    if not row["body"]:
        return
    body = json.loads(row["body"].replace(f'"id":"{former}"', f'"id":"{row["ref"]}"', 1))
    for part, name in (("lead", "conversationUrl"), ("approval", "url")):
        if link := body["data"].get(part, {}).get(name):
            body["data"][part][name] = installation.address(urlsplit(link).path)
    row["body"] = to_json(body).decode()


def _hold_message(row: Row, at: datetime, with_secrets: bool) -> None:
    if row["status"] == MessageStatus.QUEUED:
        row |= {"status": MessageStatus.FAILED, "due_at": None, "error": NOT_SENT}


def _hold_source(row: Row, at: datetime, with_secrets: bool) -> None:
    if row["sealed"] is None:
        row |= {"due_at": None, "failed_at": at, "failure": f"{MOVED} Connect it again."}


def _hold_webhook(row: Row, at: datetime, with_secrets: bool) -> None:
    if row["active"]:
        row |= {"active": False, "off_at": at, "off_reason": MOVED}
    row["probe_at"] = None


# By table, what pauses an imported row, so that nothing is sent before the owner resumes it.
HELD: dict[str, Callable[[Row, datetime, bool], None]] = {
    "account": _hold_account,
    "action": _hold_action,
    "delivery": _hold_delivery,
    "event": _hold_event,
    "message": _hold_message,
    "source_connection": _hold_source,
    "webhook": _hold_webhook,
}


def _rest(workspace: Workspace) -> None:
    """Pause the autopilot and every campaign that is scheduled or runs."""
    setup = session().scalar(sa.select(Setup).where(Setup.workspace_id == workspace.id))
    if setup is not None and SETUP.allows(setup, "pause"):
        launch.pause(workspace)
    for campaign in session().scalars(sa.select(Campaign).where(Campaign.workspace_id == workspace.id)).all():
        if CAMPAIGN.allows(campaign, "pause"):
            campaigns.pause(workspace, campaign.id)


def _count_erased(workspace: Workspace) -> int:
    erased = (NeverContact.workspace_id == workspace.id, NeverContact.kind == NeverContactKind.ERASED)
    return session().scalar(sa.select(sa.func.count()).select_from(NeverContact).where(*erased)) or 0


def _ids(query: sa.Select[Any]) -> list[int]:
    return list(session().scalars(query))
