"""The address that Stripe calls: what it proves, what it gets, and that no one else is heard."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from app.providers.http import HttpClient
from app.providers.stripe.billing import StripeSeller
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, must_have
from tests.pages.settings.test_credits import text_of
from tests.providers.stripe_server import SECRET, StripeServer, event, signature
from tests.support.clients import Client

HOOK = "/hooks/stripe"


@pytest.fixture
def shop(app: Flask, acme: Workspace) -> Iterator[StripeServer]:
    """Two plans are sold here."""
    server = StripeServer()
    prices = {"starter": "price_1", "growth": "price_2"}
    client = HttpClient(allow_private=True)
    ports.checkout.connect(StripeSeller(client, "sk_test_seller", SECRET, prices, server.url))
    yield server
    server.stop()
    ports.checkout.disconnect()


def test_a_plan_is_bought_at_stripe_and_managed(web: Web, client: Client, shop: StripeServer) -> None:
    made = workspaces.create("Buyer", "ada@acme.example", PASSWORD)
    web.post("/settings/switch", workspace=str(made.id))
    assert 'href="/settings/credits"' in web.get("/settings/plan").text
    page = text_of(web.get("/settings/plan").text)
    assert "Cancel subscription" in page
    assert "After that, sending stops until you buy a plan. You can still view and export everything." in page
    assert "Choose Growth" in page
    away = web.post("/settings/billing/buy", plan="growth")
    assert 'content="0; url=https://checkout.stripe.com/c/pay/cs_1"' in away.text
    assert shop.forms[0]["success_url"] == "http://localhost/settings/billing?bought=1"
    assert "Thank you" in web.get("/settings/billing?bought=1").text
    bought = shop.subscription(shop.customer("ada@acme.example"), metadata={"overture_workspace": str(made.id)})
    bought["items"] = {"data": [{"price": {"id": "price_2"}, "current_period_end": 4_000_000_000}]}
    body = event("evt_1", "customer.subscription.created", bought)
    for heard in (True, False):
        answer = client.post(HOOK, data=body, headers={"Stripe-Signature": signature(body)})
        assert (answer.status_code, answer.json) == (200, {"heard": heard})
    jobs.run_due()
    must_have(text_of(web.get("/settings/plan").text), "Growth plan", without="Choose Growth")
    assert "https://billing.stripe.com/p/session/1" in web.post("/settings/billing/manage").text


def test_no_one_else_is_heard(client: Client, shop: StripeServer) -> None:
    body = event("evt_1", "customer.subscription.deleted", {"id": "sub_1"})
    for signed in ({}, {"Stripe-Signature": signature(body, "whsec_other")}):
        assert client.post(HOOK, data=body, headers=signed).status_code == 401
    assert client.post(HOOK, data=b"x" * 300_000).status_code == 413
    assert client.get(HOOK).status_code == 405
    ports.checkout.disconnect()
    assert client.post(HOOK, data=body, headers={"Stripe-Signature": signature(body)}).status_code == 401


def test_plans_are_only_shown_where_they_are_sold(web: Web, acme: Workspace, client: Client) -> None:
    page = text_of(web.get("/settings/plan").text)
    assert "Choose Growth" not in page
    assert web.post("/settings/billing/buy", plan="growth").status_code == 400
    assert web.post("/settings/billing/manage").status_code == 409
