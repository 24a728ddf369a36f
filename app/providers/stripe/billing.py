"""Stripe Billing: Checkout, the customer portal, subscriptions, and signed events."""

import hashlib
import hmac
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from app.core import clock, text
from app.ports import Refused, SaleEvent, Subscribed, SubscriptionState, Unreachable
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi, Query, Reply, text_of
from app.providers.stripe import HOST, headers

TOLERANCE = 300  # seconds between Stripe's clock and ours
MOST_SIGNATURES = 10
WORKSPACE = "overture_workspace"
STATES = {
    "trialing": SubscriptionState.TRIALING,
    "active": SubscriptionState.ACTIVE,
    "past_due": SubscriptionState.ACTIVE,
    "canceled": SubscriptionState.ENDED,
    "unpaid": SubscriptionState.ENDED,
    "paused": SubscriptionState.ENDED,
    "incomplete_expired": SubscriptionState.ENDED,
}
HEARD = "customer.subscription."
BOUGHT = "checkout.session.completed"
log = logging.getLogger(__name__)


class StripeSeller:
    """A `ports.Seller`."""

    def __init__(self, client: HttpClient, key: str, secret: str, prices: Mapping[str, str], url: str = HOST) -> None:
        self._api, self._key, self._secret, self._prices = JsonApi(client, "Stripe", url), key, secret, dict(prices)

    @property
    def plans(self) -> tuple[str, ...]:
        return tuple(self._prices)

    def check(self) -> None:
        self._ask("GET", "/v1/subscriptions?limit=1")

    def checkout(self, workspace: int, plan: str, customer: str, email: str, back: str) -> str:
        form: dict[str, str | int] = {
            "mode": "subscription",
            "line_items[0][price]": self._prices[plan],
            "line_items[0][quantity]": 1,
            "client_reference_id": str(workspace),
            f"metadata[{WORKSPACE}]": str(workspace),
            f"subscription_data[metadata][{WORKSPACE}]": str(workspace),
            "success_url": f"{back}?bought=1",
            "cancel_url": back,
        }
        form |= {"customer": customer} if customer else {"customer_email": email}
        return self._page("/v1/checkout/sessions", form)

    def portal(self, customer: str, back: str) -> str:
        return self._page("/v1/billing_portal/sessions", {"customer": customer, "return_url": back})

    def subscription(self, name: str) -> Subscribed:
        said = self._ask("GET", f"/v1/subscriptions/{quote(name, safe='')}")
        whole = said.json
        status = text_of(whole.get("status"))
        items = said.things("items", "data")
        first = items[0] if items else {}
        ends_at = _moment(first.get("current_period_end") or whole.get("current_period_end"))
        at_the_end = whole.get("cancel_at_period_end") is True
        price = first.get("price")
        return Subscribed(
            name=text_of(whole.get("id")),
            customer=text_of(whole.get("customer")),
            state=STATES.get(status, SubscriptionState.UNFINISHED),
            plan=self._plan(text_of(price.get("id")) if isinstance(price, dict) else ""),
            began_at=_moment(first.get("current_period_start") or whole.get("current_period_start")),
            ends_at=_moment(whole.get("trial_end")) if status == "trialing" else ends_at,
            cancel_at=_moment(whole.get("cancel_at")) or (ends_at if at_the_end else None),
        )

    def end(self, name: str, at_the_end: bool) -> None:
        form = {"cancel_at_period_end": "true" if at_the_end else "false"}
        self._ask("POST", f"/v1/subscriptions/{quote(name, safe='')}", form)

    def hear(self, body: bytes, signature: str) -> SaleEvent | None:
        self._check(body, signature)
        try:
            event = json.loads(body)
            name, kind, thing = event["id"], event["type"], event["data"]["object"]
            metadata = thing.get("metadata") or {}
            workspace = metadata.get(WORKSPACE) or thing.get("client_reference_id") or ""
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise Refused("This is not a Stripe event.") from None
        if kind != BOUGHT and not str(kind).startswith(HEARD):
            return None
        subscription = text_of(thing.get("subscription") if kind == BOUGHT else thing.get("id"))
        if not subscription or not isinstance(name, str):
            return None
        known = text.number(workspace) if isinstance(workspace, str) else 0
        return SaleEvent(text_of(name, 200), text_of(kind, 100), subscription, text_of(thing.get("customer")), known)

    def _check(self, body: bytes, signature: str) -> None:
        """Check Stripe's signature and its age."""
        parts = [part.partition("=") for part in signature[:2000].split(",")]
        moments = [value for name, _, value in parts if name.strip() == "t"]
        marks = [value for name, _, value in parts if name.strip() == "v1"][:MOST_SIGNATURES]
        moment = moments[0] if len(moments) == 1 and moments[0].isascii() and moments[0].isdigit() else ""
        wanted = hmac.new(self._secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
        if not moment or not any(hmac.compare_digest(mark.encode(), wanted.encode()) for mark in marks):
            raise Refused("The signature doesn't match this event.")
        if abs(clock.now().timestamp() - int(moment[:12])) > TOLERANCE:
            raise Refused("The event was signed too long ago.")

    def _plan(self, price: str) -> str:
        return next((plan for plan, known in self._prices.items() if known == price), "")

    def _page(self, path: str, form: Query) -> str:
        address = text_of(self._ask("POST", path, form).part("url"), 3000)
        if text.url_parts(address).scheme != "https":
            raise self._api.strange()
        return address

    def _ask(self, method: str, path: str, form: Query | None = None) -> Reply:
        said = self._api.ask(method, path, headers(self._key), form=form)
        if said.status == 429:
            raise self._api.throttled(said.headers)
        if said.status in (401, 403):
            log.error("Stripe refused OVERTURE_STRIPE_KEY", extra={"fields": {"status": said.status, "path": path}})
            raise Unreachable("Checkout is not available right now. Your server admin was notified.")
        if said.status != 200 or not isinstance(said.json, dict):
            log.error("Stripe refused a call", extra={"fields": {"status": said.status, "path": path}})
            raise self._api.strange()
        return said


def _moment(seconds: Any) -> datetime | None:
    try:
        return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int) and seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None
