"""Stripe Billing: pages to buy and manage, subscriptions as they stand, and events that only Stripe can send."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from app.ports import Refused, SaleEvent, SubscriptionState, Throttled, Unreachable
from app.providers.http import HttpClient
from app.providers.stripe.billing import StripeSeller
from tests.providers.stripe_server import SECRET, StripeServer, event, signature
from tests.support.movable import Movable

PRICES = {"starter": "price_1", "growth": "price_2"}
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
AT = int(NOW.timestamp())
BEGAN, ENDS = AT - 86_400, AT + 29 * 86_400


@pytest.fixture
def server(running: Callable[[StripeServer], StripeServer]) -> StripeServer:
    return running(StripeServer())


@pytest.fixture
def seller(server: StripeServer, clock: Movable) -> StripeSeller:
    return StripeSeller(HttpClient(allow_private=True), "sk_test_seller", SECRET, PRICES, server.url)


def items(price: str) -> dict[str, object]:
    """What a subscription is for, and until when it is paid."""
    one = {"price": {"id": price}, "current_period_start": BEGAN, "current_period_end": ENDS}
    return {"object": "list", "data": [one]}


def test_a_checkout_carries_the_workspace_and_its_plan(server: StripeServer, seller: StripeSeller) -> None:
    """Bought for a workspace, that name comes back with everything that is heard of it."""
    assert seller.plans == ("starter", "growth")
    assert seller.checkout(7, "growth", "", "ada@acme.example", "https://o.example/b").startswith("https://checkout.")
    bought = server.forms[0]
    assert bought["line_items[0][price]"] == "price_2"
    assert bought["customer_email"] == "ada@acme.example"
    assert bought["subscription_data[metadata][overture_workspace]"] == bought["client_reference_id"] == "7"
    assert seller.checkout(7, "growth", "cus_1", "ada@acme.example", "https://o.example/b")
    assert "customer_email" not in server.forms[1]
    assert seller.portal("cus_1", "https://o.example/b").startswith("https://billing.")
    made = server.subscription(server.customer("ada@acme.example"), items=items("price_2"))
    found = seller.subscription(made["id"])
    assert (found.state, found.plan) == (SubscriptionState.ACTIVE, "growth")
    assert (found.customer, found.cancel_at) == ("cus_0001", None)
    assert (found.began_at, found.ends_at) == tuple(datetime.fromtimestamp(at, UTC) for at in (BEGAN, ENDS))
    seller.end(made["id"], True)
    assert seller.subscription(made["id"]).cancel_at == found.ends_at
    seller.end(made["id"], False)
    assert seller.subscription(made["id"]).cancel_at is None


def test_how_a_subscription_stands(server: StripeServer, seller: StripeSeller) -> None:
    """A late payment is Stripe's to ask for; what we do not know changes nothing."""
    states = {
        "active": SubscriptionState.ACTIVE,
        "past_due": SubscriptionState.ACTIVE,
        "trialing": SubscriptionState.TRIALING,
        "canceled": SubscriptionState.ENDED,
        "unpaid": SubscriptionState.ENDED,
        "paused": SubscriptionState.ENDED,
        "incomplete_expired": SubscriptionState.ENDED,
        "incomplete": SubscriptionState.UNFINISHED,
        "brand_new": SubscriptionState.UNFINISHED,
    }
    for status, state in states.items():
        made = server.subscription("cus_1", status, items=items("price_9"), trial_end=AT + 86_400)
        found = seller.subscription(made["id"])
        assert (status, found.state, found.plan) == (status, state, "")


def test_only_stripe_can_send_events(seller: StripeSeller) -> None:
    """With our secret, over exactly this body, and lately; also with one of several secrets while they change."""
    body = event("evt_1", "customer.subscription.updated", {"id": "sub_1", "customer": "cus_1", "metadata": {}})
    assert seller.hear(body, signature(body, at=AT)) == SaleEvent(
        "evt_1", "customer.subscription.updated", "sub_1", "cus_1", 0
    )
    both = signature(body, "whsec_former", at=AT) + "," + signature(body, at=AT).partition(",")[2]
    assert seller.hear(body, both)
    for wrong in (
        "",
        "t=,v1=",
        f"t={AT}",
        f"t={AT},v1=ü",
        signature(body, "whsec_other", at=AT),
        signature(body + b" ", at=AT),
        signature(body, at=AT).replace(f"t={AT}", f"t={AT + 1}"),
        signature(body, at=AT) + f",t={AT}",
        signature(body, at=AT).replace("v1=", "v0="),
    ):
        with pytest.raises(Refused, match="signature"):
            seller.hear(body, wrong)
    for late in (AT - 301, AT + 301):
        with pytest.raises(Refused, match="too long ago"):
            seller.hear(body, signature(body, at=late))
    assert seller.hear(body, signature(body, at=AT - 299))


def test_an_event_tells_whose_subscription_it_is(seller: StripeSeller) -> None:
    """About everything else, nothing; what is no event is refused even when it is signed."""
    updated, told = "customer.subscription.updated", {"id": "sub_1", "customer": "cus_1"}
    bought = {"id": "cs_1", "subscription": "sub_1", "customer": "cus_1", "client_reference_id": "7"}
    for kind, thing, heard in (
        ("checkout.session.completed", bought, ("sub_1", "cus_1", 7)),
        ("customer.subscription.deleted", told | {"metadata": {"overture_workspace": "7"}}, ("sub_1", "cus_1", 7)),
        (updated, {"id": "sub_1", "metadata": {"overture_workspace": "x'1"}}, ("sub_1", "", 0)),
        (updated, {"id": "sub_1", "metadata": {"overture_workspace": "1" * 18 + "x"}}, ("sub_1", "", 0)),
        ("checkout.session.completed", {"id": "cs_1", "subscription": None, "mode": "payment"}, None),
        ("invoice.paid", {"id": "in_1"}, None),
    ):
        body = event("evt_1", kind, thing)
        found = seller.hear(body, signature(body, at=AT))
        assert (found and (found.subscription, found.customer, found.workspace)) == heard
    for body in (b"", b"[]", b"{}", b'{"id": 1, "type": "x", "data": {"object": []}}', b"[" * 50_000):
        with pytest.raises(Refused, match="not a Stripe event"):
            seller.hear(body, signature(body, at=AT))


def test_the_official_client_agrees_about_signatures() -> None:
    """What the tests sign is what Stripe's own library takes."""
    import stripe

    body = event("evt_1", "invoice.paid", {"id": "in_1", "object": "invoice"})
    assert stripe.Webhook.construct_event(body, signature(body), SECRET).id == "evt_1"
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(body, signature(body, "whsec_other"), SECRET)


def test_failures_are_the_operators_to_repair(server: StripeServer, seller: StripeSeller) -> None:
    """Whoever wants to buy is told to try later; the log knows more."""
    closed = StripeSeller(HttpClient(allow_private=True), "sk_test_revoked", SECRET, PRICES, server.url)
    with pytest.raises(Unreachable, match="not available"):
        closed.portal("cus_1", "https://o.example/")
    server.wrong = lambda path: (json.dumps({"url": "javascript:alert(1)"}), 200)
    with pytest.raises(Unreachable, match="Stripe"):
        seller.portal("cus_1", "https://o.example/")
    server.wrong, server.left = lambda path: None, 0
    with pytest.raises(Throttled):
        seller.subscription("sub_1")
