"""Mailbox OAuth: the owner allows access on the provider's page, within one browser."""

import base64
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from app import ports
from app.core import clock, crypto
from app.core.crypto import keyring
from app.core.db import end_read
from app.core.errors import Conflict, InvalidRequest, NotSupported, Unavailable
from app.domain.billing import plans
from app.domain.senders import accounts
from app.domain.senders.mailbox_logins import Servers
from app.models.accounts import Account, Channel
from app.models.workspaces import Workspace
from app.ports import Consent, ProviderError

LASTS = timedelta(minutes=20)
STATE_LETTERS, VERIFIER_LETTERS = 40, 64
BEGIN_AGAIN = "Start again."


@dataclass(frozen=True)
class Begun:
    """The address of the provider's consent page, and the encrypted state that the browser keeps until it returns."""

    page: str
    kept: str


@dataclass(frozen=True)
class Finished:
    """Who signed in, and the mailbox that is connected now; None after a test."""

    address: str
    account: Account | None


def ways(workspace: Workspace) -> Mapping[str, str]:
    """Return the providers with OAuth sign-in, by the way in which their mailboxes sign in."""
    return {} if workspace.sandbox else ports.mail_consent().ways()


def begin(
    workspace: Workspace, user_id: int, way: str, back: str, *, account_id: int | None = None, test: bool = False
) -> Begun:
    """Start the OAuth sign-in, with `account_id` for a mailbox that reconnects; a `test` connects none.

    `back` is where the provider returns the browser with the state.
    """
    _check(workspace, way, test)
    account = accounts.get(workspace, account_id, Channel.EMAIL) if account_id else None
    if account is None and not test:
        plans.check(workspace, "accounts")
    state, verifier = crypto.random_base62(STATE_LETTERS), crypto.random_base62(VERIFIER_LETTERS)
    challenge = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    kept = {"state": state, "verifier": verifier, "way": way, "account": account_id, "test": test}
    kept |= {"until": (clock.now() + LASTS).isoformat()}
    address = account.address if account else ""
    page = ports.mail_consent().page(way, state=state, challenge=challenge, back=back, address=address)
    sealed = keyring().seal(json.dumps(kept).encode(), _bound_to(workspace, user_id))
    return Begun(page, base64.urlsafe_b64encode(sealed).decode())


def finish(workspace: Workspace, user_id: int, kept: str, state: str, code: str, back: str) -> Finished:
    """Connect or reconnect the mailbox, or end a test; only in the browser that started it, and in time. Calls out."""
    begun = about(workspace, user_id, kept)
    if not (begun and code and hmac.compare_digest(begun["state"].encode(), state.encode())):
        raise Conflict("You started this sign-in in another browser.", recovery=BEGIN_AGAIN)
    if clock.now() > datetime.fromisoformat(begun["until"]):
        raise Conflict("The sign-in took too long.", recovery=BEGIN_AGAIN)
    way = begun["way"]
    _check(workspace, way, begun.get("test", False))
    end_read()
    try:
        found = ports.mail_consent().redeem(way, code=code, verifier=begun["verifier"], back=back)
    except ports.Refused as problem:
        raise Conflict(problem.sentence, recovery="Nothing was changed.") from None
    except ProviderError as problem:
        raise Unavailable(problem.sentence, recovery="Nothing was changed. Try again in a few minutes.") from None
    if begun.get("test"):
        return Finished(found.address, None)
    try:
        return Finished(found.address, _connect(workspace, way, found, begun))
    except InvalidRequest as problem:
        said = " ".join(field.message for field in problem.fields)
        raise Conflict(said, recovery="Nothing was changed.") from None


def _connect(workspace: Workspace, way: str, found: Consent, begun: dict[str, Any]) -> Account:
    servers = Servers("", "", found.address, "", auth=way, refresh_token=found.refresh_token, consent=True)
    if begun["account"] is None:
        return accounts.connect_mailbox(
            workspace, provider="smtp", address=found.address, name=found.name, servers=servers
        )
    account = accounts.get(workspace, begun["account"], Channel.EMAIL)
    if found.address != account.address:
        words = f"You signed in as {found.address}, but this mailbox is {account.address}."
        raise Conflict(words, recovery="Start again with the right account.")
    return accounts.renew_login(workspace, account.id, servers)


def _check(workspace: Workspace, way: str, test: bool) -> None:
    if way not in (ports.mail_consent().ways() if test else ways(workspace)):
        raise NotSupported(
            "This server is not registered with the provider.",
            recovery="Connect the mailbox with a password or a token.",
        )


def about(workspace: Workspace, user_id: int, kept: str) -> dict[str, Any]:
    """Return what the browser stored about the sign-in it began; {} if it began none."""
    try:
        return dict(json.loads(keyring().unseal(base64.urlsafe_b64decode(kept), _bound_to(workspace, user_id))))
    except ValueError:
        return {}


def _bound_to(workspace: Workspace, user_id: int) -> str:
    return f"consent|browser|{user_id}|{workspace.id}"
