"""Hosted sign-in at Unipile, and its webhooks."""

import hmac
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from app.core import text
from app.ports import Accepted, Credentials, Holder, News, Refused, SignInPage, Subscription
from app.providers.http import HttpClient
from app.providers.unipile.api import Api, opened
from app.providers.unipile.network import require
from app.providers.unipile.parsing import Json, Member, moment, part, word
from app.providers.unipile.v1 import SECRET_HEADER

TOLERANCE = 300  # seconds by which the moment of a signature may differ from ours
ACCEPTED = {"relation.new", "relation.request.accept", "new_relation"}


def read(headers: Mapping[str, str], body: bytes, secret: str, at: datetime) -> list[News]:
    """Return the news of a call; raise Refused for a wrong secret. Unknown events give none."""
    given = {name.lower(): value for name, value in headers.items()}
    if not (_signed(given.get("unipile-signature", ""), body, secret, at) or _carries(given, secret)):
        raise Refused("The webhook secret is wrong.")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, dict):
        return []
    return [*_later(found, at)] if "payload" in found or word(found, "type") else [*_earlier(found, at)]


def _carries(headers: Mapping[str, str], secret: str) -> bool:
    """Return whether v1's own header has the secret."""
    given = headers.get(SECRET_HEADER.lower(), "")
    return bool(secret) and hmac.compare_digest(given.encode(), secret.encode())


def _signed(header: str, body: bytes, secret: str, at: datetime) -> bool:
    """Return whether `t=<seconds>,v0=<hex>` signs the time and the body, and is recent."""
    given = dict(piece.strip().split("=", 1) for piece in header.split(",") if "=" in piece)
    moment, signature = given.get("t", ""), given.get("v0", "")
    if not secret or not moment.isascii() or not moment.isdigit() or len(moment) > 12:
        return False
    right = hmac.new(secret.encode(), moment.encode() + b"." + body, sha256).hexdigest()
    fresh = abs(at.timestamp() - int(moment)) <= TOLERANCE
    return hmac.compare_digest(signature.encode(), right.encode()) and fresh


def _later(found: Json, at: datetime) -> Sequence[News]:
    """Parse an event of v2."""
    kind, about = word(found, "type"), part(found, "payload")
    account = word(found, "account_id") or word(part(about, "account"), "id")
    if not account:
        return []
    if kind in ACCEPTED:
        user = part(about, "user")
        who = Member(word(user, "id"), word(user, "public_identifier"))
        return [News(account, accepted=_accepted(who, word(about, "id"), moment(found, "created_at"), at))]
    if kind.startswith("account."):
        return [News(account, stands=True, state=word(about, "state"))]
    return [News(account)] if kind.startswith("message.") else []


def _earlier(found: Json, at: datetime) -> Sequence[News]:
    """Parse an event of v1."""
    if status := part(found, "AccountStatus"):
        account = word(status, "account_id")
        return [News(account, stands=True)] if account else []
    account, event = word(found, "account_id"), word(found, "event")
    if account and event in ACCEPTED:
        who = Member(word(found, "user_provider_id"), word(found, "user_public_identifier"))
        return [News(account, accepted=_accepted(who, who.id, None, at))]
    return [News(account)] if account and event.startswith("message_") else []


def _accepted(who: Member, ref: str, told: datetime | None, at: datetime) -> Accepted | None:
    alias = who.id.casefold()
    person = text.public_id(who.public_id) or alias
    return Accepted(person, min(told or at, at).astimezone(UTC), ref or who.id, alias) if person else None


WITHIN = 25.0  # seconds


class UnipileSignIn:
    """See ports.HostedNetwork."""

    provider = "unipile"

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def page(self, credentials: Credentials, wanted: SignInPage) -> str:
        where = self._wire(credentials).link(
            state=wanted.state,
            back=wanted.back,
            notify=wanted.notify,
            until=wanted.until,
            account=wanted.account_ref,
        )
        if not where.startswith(("https://", "http://")):
            raise Refused("Unipile returned no sign-in address.")
        return where

    def holder(self, credentials: Credentials, ref: str) -> Holder:
        wire = self._wire(credentials)
        standing = require(wire, ref)
        me = wire.me(ref)
        public_id = text.public_id(me.public_id) or me.id.casefold()
        return Holder(
            ref,
            text.squeeze(me.name or standing.name)[:200] or public_id,
            public_id,
            me.profile_url or f"https://www.linkedin.com/in/{public_id}",
            text.shorten(text.squeeze(me.headline), 300),
            me.picture if me.picture.startswith("https://") else "",
            me.sales_navigator or standing.sales_navigator,
        )

    def newcomers(self, credentials: Credentials, since: datetime) -> Sequence[str]:
        found = [one for one in self._wire(credentials).accounts() if one.created_at and one.created_at >= since]
        return [one.id for one in sorted(found, key=lambda one: one.created_at or since, reverse=True)]

    def subscribe(self, credentials: Credentials, url: str, secret: str) -> Subscription:
        return Subscription(*self._wire(credentials).subscribe(url, secret))

    def unsubscribe(self, credentials: Credentials, refs: Sequence[str]) -> None:
        self._wire(credentials).unsubscribe(refs)

    def read(self, headers: Mapping[str, str], body: bytes, secret: str, at: datetime) -> Sequence[News]:
        return read(headers, body, secret, at)

    def _wire(self, credentials: Credentials) -> Api:
        return opened(self._client, credentials.values, WITHIN)
