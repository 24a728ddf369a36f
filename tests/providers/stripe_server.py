"""What Stripe publishes of its API, as far as Overture uses it: restricted keys with permissions, subscriptions and
customers in pages, Checkout and the customer portal, the exact errors, and signed events.
"""

import hashlib
import hmac
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, Response, jsonify, request
from flask.typing import ResponseReturnValue

from tests.providers.serving import Serving

READS = frozenset({"rak_subscription_read", "rak_customer_read"})
SECRET = "whsec_for_tests"
Object = dict[str, Any]


@dataclass
class StripeServer:
    """One account. `wrong` answers instead, when it answers at all; `left` is how many calls are still allowed."""

    keys: dict[str, frozenset[str] | None] = field(
        default_factory=lambda: {"rk_live_good": READS, "rk_test_good": READS, "sk_test_seller": None}
    )
    expired: set[str] = field(default_factory=set)
    customers: dict[str, Object] = field(default_factory=dict)
    subscriptions: list[Object] = field(default_factory=list)
    expands: bool = True
    left: int = 10_000
    wrong: Callable[[str], ResponseReturnValue | None] = lambda path: None
    asked: list[str] = field(default_factory=list)
    forms: list[Object] = field(default_factory=list)

    def __post_init__(self) -> None:
        app = Flask("stripe")
        app.before_request(self._begin)
        rules: list[tuple[str, Callable[..., ResponseReturnValue], str]] = [
            ("/v1/subscriptions", self._list, "GET"),
            ("/v1/subscriptions/<name>", self._subscription, "GET"),
            ("/v1/subscriptions/<name>", self._change, "POST"),
            ("/v1/customers", self._customers, "GET"),
            ("/v1/customers/<name>", self._customer, "GET"),
            ("/v1/checkout/sessions", self._checkout, "POST"),
            ("/v1/billing_portal/sessions", self._portal, "POST"),
        ]
        for path, view, method in rules:
            app.add_url_rule(path, f"{method} {path}", view, methods=[method])
        self._serving = Serving(app)
        self.url = self._serving.url

    def stop(self) -> None:
        self._serving.stop()

    def customer(self, email: str | None, **more: Any) -> str:
        name = f"cus_{len(self.customers) + 1:04}"
        self.customers[name] = {"id": name, "object": "customer", "email": email, "metadata": {}, **more}
        return name

    def subscription(self, customer: str, status: str = "active", **more: Any) -> Object:
        number = len(self.subscriptions)
        made = {
            "id": f"sub_{number + 1:04}",
            "object": "subscription",
            "status": status,
            "customer": customer,
            "created": 1_700_000_000 + number,
            "canceled_at": None,
            "ended_at": None,
            "cancel_at_period_end": False,
            "cancel_at": None,
            "trial_end": None,
            "items": {"object": "list", "data": []},
            "metadata": {},
            "cancellation_details": {"reason": None, "feedback": None, "comment": None},
            "livemode": True,
            **more,
        }
        self.subscriptions.append(made)
        return made

    def _begin(self) -> ResponseReturnValue | None:
        self.asked.append(f"{request.method} {request.path}")
        wrong = self.wrong(request.path)
        if wrong is not None:
            return wrong
        self.left -= 1
        if self.left < 0:
            return error(429, "Too many requests hit the API too quickly.", code="rate_limit")
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        shown = key[:8] + "*" * 20 + key[-4:]
        if key in self.expired:
            return error(401, f"Expired API Key provided: {shown}", code="api_key_expired")
        if key not in self.keys:
            return error(401, f"Invalid API Key provided: {shown}")
        return None

    def _lacks(self, permission: str) -> Response | None:
        key = request.headers["Authorization"].removeprefix("Bearer ")
        allowed = self.keys[key]
        if allowed is None or permission in allowed:
            return None
        said = f"The provided key '{key[:8]}***' does not have the required permissions for this endpoint. "
        return error(403, f"{said}Having the '{permission}' permission would allow this request to continue.")

    def _list(self) -> ResponseReturnValue:
        if lacking := self._lacks("rak_subscription_read"):
            return lacking
        status, limit = request.args.get("status", ""), int(request.args.get("limit", 10))
        if not 1 <= limit <= 100:
            return error(400, "Invalid integer", code="parameter_invalid_integer", param="limit")
        found = [one for one in reversed(self.subscriptions) if _fits(one["status"], status)]
        after = request.args.get("starting_after")
        if after:
            names = [one["id"] for one in found]
            if after not in names:
                return error(400, f"No such subscription: '{after}'", code="resource_missing", param="starting_after")
            found = found[names.index(after) + 1 :]
        page = [dict(one) for one in found[:limit]]
        wanted = {value for name, value in request.args.items() if name.startswith("expand[")}
        if "data.customer" in wanted and self.expands:
            if lacking := self._lacks("rak_customer_read"):
                return lacking
            for one in page:
                one["customer"] = self.customers[one["customer"]]
        return jsonify(object="list", url="/v1/subscriptions", has_more=len(found) > limit, data=page)

    def _customers(self) -> ResponseReturnValue:
        lacking = self._lacks("rak_customer_read")
        return lacking or jsonify(object="list", url="/v1/customers", has_more=False, data=[])

    def _customer(self, name: str) -> ResponseReturnValue:
        lacking = self._lacks("rak_customer_read")
        return lacking or jsonify(self.customers[name])

    def _subscription(self, name: str) -> ResponseReturnValue:
        found = next((one for one in self.subscriptions if one["id"] == name), None)
        if found is None:
            return error(404, f"No such subscription: '{name}'", code="resource_missing", param="id")
        return jsonify(found)

    def _change(self, name: str) -> ResponseReturnValue:
        found = next(one for one in self.subscriptions if one["id"] == name)
        self.forms.append(dict(request.form))
        if found["status"] == "canceled":
            return error(400, "A canceled subscription can only update its cancellation_details and metadata.")
        found["cancel_at_period_end"] = request.form["cancel_at_period_end"] == "true"
        return jsonify(found)

    def _checkout(self) -> ResponseReturnValue:
        self.forms.append(dict(request.form))
        return jsonify(id="cs_1", object="checkout.session", url="https://checkout.stripe.com/c/pay/cs_1")

    def _portal(self) -> ResponseReturnValue:
        self.forms.append(dict(request.form))
        return jsonify(id="bps_1", object="billing_portal.session", url="https://billing.stripe.com/p/session/1")


def _fits(status: str, wanted: str) -> bool:
    """Without a status, those that are canceled are left out."""
    return wanted == "all" or status == wanted or (not wanted and status != "canceled")


def error(status: int, message: str, **more: str) -> Response:
    kind = {"rate_limit": "rate_limit_error"}.get(more.get("code", ""), "invalid_request_error")
    response = jsonify(error={"type": kind, "message": message, **more})
    response.status_code = status
    response.headers["Request-Id"] = "req_1"
    return response


def event(name: str, kind: str, thing: Object) -> bytes:
    return json.dumps({"id": name, "object": "event", "type": kind, "data": {"object": thing}}).encode()


def signature(body: bytes, secret: str = SECRET, at: int | None = None) -> str:
    moment = int(time.time()) if at is None else at
    mark = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={moment},v1={mark},v0=older"
