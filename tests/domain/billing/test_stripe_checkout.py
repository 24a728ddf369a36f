"""Plans that are sold: bought, followed, ended; twice, late and in any order; and nothing of it where none are."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from app import ports
from app.core import clock as time
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotSupported, Unauthorized, Unavailable
from app.domain.billing import credits, stripe_checkout, subscriptions
from app.domain.engine import lifecycle
from app.domain.workspace import workspaces
from app.models.billing import BillingEvent
from app.models.workspaces import Subscription, Workspace
from app.providers.http import HttpClient
from app.providers.stripe.billing import StripeSeller
from tests.conftest import PASSWORD
from tests.domain.autopilot.steering import work
from tests.providers.stripe_server import SECRET, Object, StripeServer, event, signature
from tests.support.movable import Movable

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
MONTH = timedelta(days=30)
BACK = "https://o.example/settings/billing"
REASON = "It did what it should, we are done."


@pytest.fixture
def shop(acme: Workspace, clock: Movable) -> Iterator[StripeServer]:
    server = StripeServer()
    prices = {"starter": "price_1", "growth": "price_2"}
    seller = StripeSeller(HttpClient(allow_private=True), "sk_test_seller", SECRET, prices, server.url)
    ports.checkout.connect(seller)
    yield server
    server.stop()


@pytest.fixture
def buyer(shop: StripeServer) -> Workspace:
    return workspaces.create("Buyer", "bea@buyer.example", PASSWORD)


def fresh(workspace: Workspace) -> Workspace:
    found = session().get_one(Workspace, workspace.id, populate_existing=True)
    end_read()
    return found


def paid(price: str, begins: datetime) -> Object:
    """What a subscription is for, and until when it is paid."""
    period = {"current_period_start": int(begins.timestamp()), "current_period_end": int((begins + MONTH).timestamp())}
    return {"object": "list", "data": [{"price": {"id": price}, **period}]}


def buy(shop: StripeServer, workspace: Workspace, price: str = "price_1") -> Object:
    """The plan was bought at Stripe, which has told us."""
    metadata = {"overture_workspace": str(workspace.id)}
    made = shop.subscription(shop.customer("bea@buyer.example"), items=paid(price, NOW), metadata=metadata)
    done = {"id": "cs_1", "subscription": made["id"], "customer": made["customer"]}
    done["client_reference_id"] = str(workspace.id)
    assert tell(f"evt_{made['id']}", "checkout.session.completed", done)
    work()
    return made


def tell(name: str, kind: str, thing: Object) -> bool:
    body = event(name, kind, thing)
    heard = stripe_checkout.handle_event(body, signature(body, at=int(time.now().timestamp())))
    end_read()
    return heard


def test_a_workspace_goes_from_trial_to_plan_to_end(buyer: Workspace, shop: StripeServer, clock: Movable) -> None:
    """A trial, a plan with its credits, the next period, and the end."""
    assert (buyer.plan, buyer.subscription, subscriptions.can_extend(buyer)) == ("trial", Subscription.TRIALING, True)
    assert [name for name, _ in stripe_checkout.offers(buyer)] == ["starter", "growth"]
    assert stripe_checkout.checkout(buyer, "bea@buyer.example", "growth", BACK).startswith("https://checkout.")
    made = buy(shop, buyer, "price_2")
    now = fresh(buyer)
    assert (now.plan, now.subscription, now.period_ends_at) == ("growth", Subscription.ACTIVE, NOW + MONTH)
    assert credits.balance(now).posted == 3_000
    assert stripe_checkout.offers(now) == []
    assert stripe_checkout.portal(now, BACK).startswith("https://billing.")
    credits.hold(now, 500, ref="work", purpose="signals")
    credits.capture(now, "work", 500)
    made["items"] = paid("price_2", NOW + MONTH)
    clock.forward(days=30, hours=1)
    lifecycle.run(fresh(buyer))
    tell("evt_2", "customer.subscription.updated", made)
    work()
    assert fresh(buyer).period_ends_at == NOW + 2 * MONTH
    assert credits.balance(now).posted == 3_000
    made["status"] = "canceled"
    tell("evt_3", "customer.subscription.deleted", made)
    work()
    assert (fresh(buyer).subscription, fresh(buyer).billing_subscription) == (Subscription.ENDED, "")
    assert stripe_checkout.offers(fresh(buyer))


def test_a_trial_that_no_one_buys_after_ends(buyer: Workspace, shop: StripeServer, clock: Movable) -> None:
    """It is not renewed for free; a sandbox is, because it reaches no one, and is not offered anything."""
    clock.forward(days=15)
    lifecycle.run(fresh(buyer))
    assert fresh(buyer).subscription == Subscription.ENDED
    with pytest.raises(Conflict, match="ended at Stripe"):
        subscriptions.renew(fresh(buyer))
    sandbox = workspaces.create("Play", "bea@buyer.example", PASSWORD, sandbox=True)
    clock.forward(days=15)
    lifecycle.run(fresh(sandbox))
    assert (fresh(sandbox).plan, stripe_checkout.offers(sandbox)) == ("local", [])
    with pytest.raises(NotSupported):
        stripe_checkout.checkout(sandbox, "bea@buyer.example", "starter", BACK)


def test_an_event_counts_once_and_says_nothing_by_itself(buyer: Workspace, shop: StripeServer) -> None:
    """What it claims is asked; credits come once for a period and a plan, however often something about it changes."""
    made = buy(shop, buyer)
    older = {**made, "status": "canceled"}
    assert tell("evt_9", "customer.subscription.deleted", older)
    assert not tell("evt_9", "customer.subscription.deleted", older)
    work()
    assert fresh(buyer).subscription == Subscription.ACTIVE
    assert session().scalar(sa.select(sa.func.count()).select_from(BillingEvent)) == 2
    credits.hold(buyer, 400, ref="work", purpose="signals")
    credits.capture(buyer, "work", 400)
    left = credits.balance(buyer).posted
    for number in range(3):
        tell(f"evt_again_{number}", "customer.subscription.updated", made)
        work()
    assert credits.balance(buyer).posted == left
    made["items"] = paid("price_2", NOW)
    tell("evt_up", "customer.subscription.updated", made)
    work()
    assert (fresh(buyer).plan, credits.balance(buyer).posted) == ("growth", 3_000)


def test_strangers_cannot_tell_us_anything(buyer: Workspace, rival: Workspace, shop: StripeServer) -> None:
    """Without our secret; nor about someone whom we do not know."""
    body = event("evt_1", "customer.subscription.deleted", {"id": "sub_1", "customer": "cus_1", "metadata": {}})
    with pytest.raises(Unauthorized):
        stripe_checkout.handle_event(body, signature(body, "whsec_other", at=int(NOW.timestamp())))
    assert not tell("evt_1", "customer.subscription.deleted", {"id": "sub_1", "customer": "cus_none", "metadata": {}})
    metadata = {"overture_workspace": "999999"}
    assert not tell("evt_1", "customer.subscription.deleted", {"id": "sub_1", "customer": "", "metadata": metadata})
    buy(shop, buyer)
    assert fresh(rival).billing_customer == ""


def test_canceling_here_is_told_there(buyer: Workspace, shop: StripeServer) -> None:
    """And taken back there; when Stripe cannot be told, nothing changes here either."""
    made = buy(shop, buyer)
    ending = subscriptions.cancel(fresh(buyer), "other", REASON)
    assert (made["cancel_at_period_end"], ending.cancel_at, ending.can_extend) == (True, NOW + MONTH, False)
    with pytest.raises(Conflict):
        subscriptions.cancel(fresh(buyer), "other", REASON)
    tell("evt_c", "customer.subscription.updated", made)
    work()
    assert (fresh(buyer).cancel_at, fresh(buyer).cancel_reason) == (NOW + MONTH, "other")
    shop.wrong = lambda path: ("", 503)
    with pytest.raises(Unavailable):
        subscriptions.undo_cancel(fresh(buyer))
    assert fresh(buyer).cancel_at == NOW + MONTH
    shop.wrong = lambda path: None
    subscriptions.undo_cancel(fresh(buyer))
    assert (made["cancel_at_period_end"], fresh(buyer).cancel_at) == (False, None)
    with pytest.raises(Conflict):
        subscriptions.extend_trial(fresh(buyer))


def test_what_was_bought_later_counts_and_what_no_one_told_us_is_asked(
    buyer: Workspace, shop: StripeServer, clock: Movable
) -> None:
    """A day after the end of the period. The end of an older subscription does not end it.

    A price of no one's changes no plan.
    """
    first = buy(shop, buyer)
    second = buy(shop, buyer, "price_2")
    first["status"] = "canceled"
    tell("evt_1", "customer.subscription.deleted", first)
    period = paid("price_2", NOW)
    second["items"] = paid("price_unknown", NOW)
    tell("evt_2", "customer.subscription.updated", second)
    work()
    now = fresh(buyer)
    assert (now.plan, now.subscription, now.billing_subscription) == ("growth", Subscription.ACTIVE, second["id"])
    second["items"], second["status"] = period, "canceled"
    clock.forward(days=30, hours=2)
    for expected in (Subscription.ACTIVE, Subscription.ENDED):
        stripe_checkout.ask_overdue()
        work()
        assert fresh(buyer).subscription == expected
        clock.forward(days=1)


def test_buying_needs_a_plan_and_only_one(buyer: Workspace, shop: StripeServer) -> None:
    with pytest.raises(Conflict):
        stripe_checkout.portal(buyer, BACK)
    with pytest.raises(InvalidRequest):
        stripe_checkout.checkout(buyer, "bea@buyer.example", "local", BACK)
    assert stripe_checkout.trouble() == ""
    shop.wrong = lambda path: ("", 503)
    assert "503" in stripe_checkout.trouble()
    with pytest.raises(Unavailable):
        stripe_checkout.checkout(buyer, "bea@buyer.example", "starter", BACK)
    shop.wrong = lambda path: None
    buy(shop, buyer)
    with pytest.raises(Conflict):
        stripe_checkout.checkout(fresh(buyer), "bea@buyer.example", "growth", BACK)


def test_where_nothing_is_sold_everything_is_free(acme: Workspace, clock: Movable) -> None:
    real = workspaces.create("Real", "ada@acme.example", PASSWORD)
    assert (real.plan, real.subscription, stripe_checkout.offers(real)) == ("local", Subscription.ACTIVE, [])
    with pytest.raises(NotSupported):
        stripe_checkout.checkout(real, "ada@acme.example", "starter", BACK)
    with pytest.raises(Unauthorized):
        stripe_checkout.handle_event(b"{}", "")
    assert stripe_checkout.ask_overdue() == 0
    with transaction() as current:
        current.get_one(Workspace, real.id).billing_subscription = "sub_of_former_times"
    assert subscriptions.cancel(fresh(real), "other", REASON).cancel_at == NOW + MONTH
    clock.forward(days=31)
    lifecycle.run(fresh(real))
    assert fresh(real).subscription == Subscription.ENDED
