"""Stripe as a payments source: customers of subscriptions, with a restricted read-only key."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import quote

from app.core import text
from app.ports import Customer, CustomerPage, SourceRefused
from app.providers.http import HttpClient
from app.providers.json_api import WITHIN, JsonApi, Query, Reply, part_of, text_of

HOST = "https://api.stripe.com"
VERSION = "2026-10-28.endive"
PAGE = 100
NEVER_PAID = ("incomplete", "incomplete_expired")
CREATE = "Create a restricted key in Stripe under Developers → API keys, with Subscriptions and Customers set to Read."
KINDS = {
    "sk_": "This is a secret key with full access. Overture only takes restricted keys.",
    "pk_": "This is a publishable key, which can't read anything.",
    "whsec_": "This is a webhook secret.",
}
PERMISSIONS = {"rak_subscription_read": "Subscriptions: Read", "rak_customer_read": "Customers: Read"}
_PERMISSION = re.compile(r"'(rak_[a-z_]+)'")


def headers(key: str) -> dict[str, str]:
    """Return the headers of every call."""
    return {"authorization": f"Bearer {key}", "stripe-version": VERSION}


def check_form(key: str) -> None:
    """Raise SourceRefused unless it has the form of a restricted key."""
    if not re.match(r"rk_(live|test)_", key):
        kind = next((what for mark, what in KINDS.items() if key.startswith(mark)), "")
        raise SourceRefused(f"{kind} A restricted key begins with rk_live_ or rk_test_. {CREATE}".strip())


class Stripe:
    """A `ports.PaymentsSource`."""

    def __init__(self, client: HttpClient, url: str = HOST, *, within: float = WITHIN) -> None:
        self._api = JsonApi(client, "Stripe", url, within=within)

    def check(self, key: str) -> bool:
        check_form(key)
        self._get(key, "/v1/subscriptions", {"status": "all", "limit": 1})
        self._get(key, "/v1/customers", {"limit": 1})
        return key.startswith("rk_test_")

    def customers(self, key: str, seed: int, ended: bool, after: str) -> CustomerPage:
        query: dict[str, str | int] = {"limit": PAGE, "expand[]": "data.customer"}
        query |= {"status": "canceled"} if ended else {}
        query |= {"starting_after": after} if after else {}
        answer = self._get(key, "/v1/subscriptions", query)
        found, more = answer.part("data"), answer.part("has_more")
        if not isinstance(found, list) or not isinstance(more, bool):
            raise self._api.strange()
        people = [person for one in found if (person := self._customer(key, one, ended))]
        last = text_of(found[-1].get("id")) if found else ""
        if more and not last:
            raise self._api.strange()
        return CustomerPage(people, last if more else "")

    def _customer(self, key: str, subscription: Any, ended: bool) -> Customer | None:
        """Return the subscription's customer; None without an address, or for one of the other kind.

        Without `ended` an unknown status counts as active: better to write to one person fewer.
        """
        if not isinstance(subscription, dict) or not isinstance(subscription.get("status"), str):
            raise self._api.strange()
        status = subscription["status"]
        if (status == "canceled") != ended or (status in NEVER_PAID):
            return None
        customer = subscription.get("customer")
        if isinstance(customer, str):
            customer = self._get(key, f"/v1/customers/{quote(text.whole(customer), safe='')}").json
        if not isinstance(customer, dict):
            raise self._api.strange()
        names = ("email", "name", "business_name", "individual_name")
        email, name, business, individual = (text_of(customer.get(name)) for name in names)
        if customer.get("deleted") or not email:
            return None
        person = individual or ("" if name == business else name)
        first, _, last = person.partition(" ")
        why = text_of(part_of(subscription, "cancellation_details", "feedback")) or text_of(
            part_of(subscription, "cancellation_details", "reason")
        )
        return Customer(
            email=email,
            first_name=first,
            last_name=last.strip(),
            company=business or text_of(part_of(customer, "metadata", "company")),
            ended_on=_day(subscription.get("ended_at") or subscription.get("canceled_at")) if ended else None,
            reason=why.replace("_", " "),
            plan=_plan(subscription),
        )

    def _get(self, key: str, path: str, query: Query | None = None) -> Reply:
        said = self._api.ask("GET", path, headers(key), query=query)
        if said.status == 429:
            raise self._api.throttled(said.headers)
        if 300 <= said.status < 400:
            raise self._api.strange("it redirects elsewhere")
        if said.status != 200:
            raise refusal(said)
        return said


def refusal(said: Reply) -> SourceRefused:
    """Return a plain error. Stripe's own text contains a part of the key, so it is not repeated."""
    code, message = text_of(said.part("error", "code")), text_of(said.part("error", "message"), 1000)
    if code == "api_key_expired" or "Expired API Key" in message:
        return SourceRefused(f"This key has expired. {CREATE}")
    if said.status == 401:
        return SourceRefused(f"Stripe doesn't recognize this key. The key may have been deleted or rotated. {CREATE}")
    missing = _PERMISSION.search(message)
    if missing:
        wanted = PERMISSIONS.get(missing[1], missing[1])
        return SourceRefused(f"This key lacks the permission “{wanted}”. Edit the key in Stripe, then connect again.")
    if said.status == 403:
        return SourceRefused("This key can't read subscriptions and customers. Edit the key's permissions in Stripe.")
    return SourceRefused(f"Stripe refused the request (error {said.status}). Check the key in Stripe.")


def _day(seconds: Any) -> date | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).date() if isinstance(seconds, int) else None
    except (ValueError, OverflowError, OSError):
        return None


def _plan(subscription: Mapping[str, Any]) -> str:
    """Return the name of the plan, if it has one."""
    items = subscription.get("items")
    first = items.get("data") if isinstance(items, dict) else None
    price = first[0].get("price") if isinstance(first, list) and first and isinstance(first[0], dict) else None
    return text_of(price.get("nickname")) if isinstance(price, dict) else ""
