"""Stripe: a restricted key, its permissions, customers page by page, and every way in which it fails."""

from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from flask import Flask

from app.ports import Customer, PaymentsSource, SourceRefused, Throttled, Unreachable
from app.providers.http import HttpClient
from app.providers.sandbox.sources import SandboxPayments
from app.providers.stripe import Stripe
from tests.providers.failing import failure_of
from tests.providers.stripe_server import READS, StripeServer

ENDED = int(datetime(2026, 5, 3, tzinfo=UTC).timestamp())


@pytest.fixture
def server(running: Callable[[StripeServer], StripeServer]) -> StripeServer:
    return running(StripeServer())


@pytest.fixture
def source(server: StripeServer) -> Stripe:
    return Stripe(HttpClient(allow_private=True), server.url)


def everyone(source: PaymentsSource, ended: bool, key: str = "rk_live_good") -> list[Customer]:
    found, after = [], ""
    while True:
        page = source.customers(key, 1, ended, after)
        found += page.customers
        after = page.after
        if not after:
            return found


def test_sandbox_and_stripe_give_the_same_shape(app: Flask, source: Stripe, server: StripeServer) -> None:
    """Former customers have an address, a name and the day it ended; test keys are told by their beginning."""
    server.subscription(server.customer("ada@engine.example", name="Ada Lovelace"), "canceled", ended_at=ENDED)
    for one in (SandboxPayments(), source):
        assert one.check("rk_test_good") is True
        found = everyone(one, True)
        assert found
        assert all("@" in each.email and each.first_name and each.ended_on for each in found)
        assert everyone(one, False) == []
        with pytest.raises(SourceRefused):
            one.check("rk_test_invalid")
    assert source.check("rk_live_good") is False


def test_a_key_of_another_kind_is_never_sent(app: Flask, source: Stripe, server: StripeServer) -> None:
    """Above all none that may do everything; the sandbox refuses it in the same words."""
    for key in ("sk_live_all", "pk_live_page", "whsec_hook", "phx_of_posthog", "rk_odd"):
        sentences = []
        for one in (SandboxPayments(), source):
            with pytest.raises(SourceRefused, match="rk_live_") as caught:
                one.check(key)
            sentences.append(caught.value.sentence)
        assert sentences[0] == sentences[1]
    assert server.asked == []


def test_what_is_wrong_with_a_key_is_told_without_it(source: Stripe, server: StripeServer) -> None:
    """A permission is named as on the page where keys are made, also when it is taken away later."""
    server.subscription(server.customer("ada@engine.example"))
    for permission, missing in (
        ("rak_subscription_read", "Subscriptions: Read"),
        ("rak_customer_read", "Customers: Read"),
    ):
        server.keys["rk_live_less"] = READS - {permission}
        with pytest.raises(SourceRefused, match=missing) as refusal:
            source.check("rk_live_less")
        assert "rk_live_less"[:8] not in refusal.value.sentence.replace("rk_live_ or", "")
        with pytest.raises(SourceRefused, match=missing):
            everyone(source, False, "rk_live_less")
    server.expired = {"rk_live_older"}
    for key, words in (("rk_live_older", "expired"), ("rk_live_stranger", "recognize this key")):
        with pytest.raises(SourceRefused, match=words) as refusal:
            source.check(key)
        assert key[-4:] not in refusal.value.sentence


def test_customers_come_page_by_page(source: Stripe, server: StripeServer) -> None:
    for number in range(230):
        server.subscription(server.customer(f"p{number}@x.example"), "canceled", ended_at=ENDED)
    server.subscription(server.customer(None), "canceled")
    gone = server.customer("gone@x.example")
    server.customers[gone] = {"id": gone, "object": "customer", "deleted": True}
    server.subscription(gone, "canceled")
    found = everyone(source, True)
    assert {one.email for one in found} == {f"p{number}@x.example" for number in range(230)}
    assert len(server.asked) == 3


def test_present_customers_are_those_whose_subscription_goes_on(source: Stripe, server: StripeServer) -> None:
    """Also one that is late, on trial or paused, or of a status that we do not know; not what was never paid."""
    going_on = {"active", "trialing", "past_due", "unpaid", "paused", "brand_new"}
    for status in (*going_on, "canceled", "incomplete", "incomplete_expired"):
        server.subscription(server.customer(f"{status}@x.example"), status)
    assert {one.email.split("@")[0] for one in everyone(source, False)} == going_on
    assert [one.email for one in everyone(source, True)] == ["canceled@x.example"]


def test_what_is_known_of_a_former_customer(source: Stripe, server: StripeServer) -> None:
    """Person and company apart, why it ended and what it was."""
    first = server.customer(
        "ada@engine.example", name="Engine Ltd", business_name="Engine Ltd", individual_name="Ada Love Lace"
    )
    second = server.customer("bo@x.example", name="Bo", metadata={"company": "Bo & Co"})
    details = {"reason": "cancellation_requested", "feedback": "too_expensive", "comment": None}
    price = {"object": "list", "data": [{"price": {"id": "price_1", "nickname": "Team", "unit_amount": 4900}}]}
    server.subscription(first, "canceled", ended_at=ENDED, cancellation_details=details, items=price)
    server.subscription(second, "canceled", canceled_at=ENDED, cancellation_details=None)
    assert everyone(source, True) == [
        Customer("bo@x.example", "Bo", "", "Bo & Co", ended_on=date(2026, 5, 3)),
        Customer(
            "ada@engine.example", "Ada", "Love Lace", "Engine Ltd",
            ended_on=date(2026, 5, 3), reason="too expensive", plan="Team",
        ),
    ]  # fmt: skip


def test_customers_that_come_as_a_bare_id(source: Stripe, server: StripeServer) -> None:
    server.subscription(server.customer("ada@engine.example"), "canceled")
    server.expands = False
    assert [one.email for one in everyone(source, True)] == ["ada@engine.example"]
    assert server.asked[-1] == "GET /v1/customers/cus_0001"


def test_pages_in_an_unknown_format_are_tried_again(source: Stripe, server: StripeServer) -> None:
    """With a sentence that names Stripe; of too many questions Stripe does not say how long to wait, so we choose."""
    for body in (
        "{}",
        '{"data": {}, "has_more": false}',
        '{"data": [], "has_more": "no"}',
        '{"data": [1], "has_more": false}',
        '{"data": [{"status": "active"}], "has_more": false}',
        '{"data": [{"status": 4, "customer": {}}], "has_more": false}',
        '{"data": [], "has_more": true}',
    ):
        server.wrong = lambda path, body=body: body
        found = failure_of(lambda: source.customers("rk_live_good", 1, False, ""))
        assert type(found) is Unreachable, body
        assert "Stripe" in str(found)
    server.wrong, server.left = lambda path: None, 0
    with pytest.raises(Throttled) as wait:
        source.check("rk_live_good")
    assert wait.value.retry_after > 0


def test_the_official_client_sees_the_same(server: StripeServer) -> None:
    import stripe

    def client(key: str) -> stripe.StripeClient:
        return stripe.StripeClient(key, base_addresses={"api": server.url}, max_network_retries=2)

    for number in range(12):
        server.subscription(server.customer(f"p{number}@x.example"), "canceled")
    pages = client("rk_live_good").v1.subscriptions.list(
        {"status": "canceled", "limit": 5, "expand": ["data.customer"]}
    )
    found = [one.customer for one in pages.auto_paging_iter()]
    assert {one.email for one in found if isinstance(one, stripe.Customer)} == {f"p{at}@x.example" for at in range(12)}
    server.keys["rk_live_less"], server.expired = frozenset(), {"rk_live_older"}
    for key, query, failure in (
        ("rk_live_gone", {}, stripe.AuthenticationError),
        ("rk_live_older", {}, stripe.AuthenticationError),
        ("rk_live_less", {}, stripe.PermissionError),
        ("rk_live_good", {"limit": 500}, stripe.InvalidRequestError),
    ):
        with pytest.raises(failure):
            client(key).v1.subscriptions.list(query)
    server.left = 0
    with pytest.raises(stripe.RateLimitError):
        client("rk_live_good").v1.subscriptions.list()
