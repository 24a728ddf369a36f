"""Hosted sign-in at Unipile, and its webhooks."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.core import text
from app.ports import Credentials, Holder, News, Refused, SignInPage, Subscription
from app.providers.http import HttpClient
from app.providers.unipile import provider_webhooks
from app.providers.unipile.api import Api, opened
from app.providers.unipile.network import require

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
        return provider_webhooks.read(headers, body, secret, at)

    def _wire(self, credentials: Credentials) -> Api:
        return opened(self._client, credentials.values, WITHIN)
