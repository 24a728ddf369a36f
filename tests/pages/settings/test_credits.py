"""What is left of the credits, what they went for, and how a subscription ends."""

import re

from app.core.db import transaction
from app.domain.billing import credits
from app.domain.enrichment import signals
from app.models.workspaces import Subscription, Workspace
from tests.domain.billing.test_subscriptions import fresh
from tests.pages.conftest import Web, found_in, must_have

CANCEL = {"reason": "results", "feedback": "It found nobody for us at all."}


def text_of(page: str) -> str:
    """A page without its tags and with plain spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_credits_show_balance_chart_and_ledger(web: Web, acme: Workspace) -> None:
    assert "No credits spent in the last" in web.get("/settings/credits").text
    signals.look_up(acme, "headcount", domain="known-acme.com")
    credits.hold(acme, 50, ref="open", purpose="enrichment", note="Lookups in Founders")
    page = web.get("/settings/credits").text
    said = text_of(page)
    must_have(said, "Available 944 of a balance of 994", "Reserved 50", "Spent 6 in 30 days")
    assert "Headcount: known-acme.com" in said
    assert "Lookups in Founders" not in said
    assert "Lookups in Founders" in text_of(web.get("/settings/credits?show=all").text)


def test_the_ledger_is_paged(web: Web, acme: Workspace) -> None:
    for number in range(30):
        credits.grant(acme, 1, ref=f"gift {number}", note=f"Gift {number}")
    first = web.get("/settings/credits").text
    assert first.count('class="key"') - first.count('<td class="key"') == 25
    more = found_in(first, r'hx-get="(/settings/credits\?cursor=[^"]+)"')
    must_have(web.get(more, htmx=True), "Gift 0<", "Trial credits")


def test_a_subscription_is_canceled_and_that_is_undone(web: Web, acme: Workspace) -> None:
    end = acme.trial_ends_at
    assert end
    shown = f"{end:%a} {end.day} {end:%b %Y}"
    must_have(
        text_of(web.get("/settings/billing").text),
        f"The trial runs until {shown}",
        "3 of 50",
        without="Cancel subscription",
    )
    assert web.get("/settings/billing/cancel").headers["Location"] == "/settings/billing"
    answer = web.post("/settings/billing/cancel", **CANCEL)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/settings/billing")
    must_have(text_of(web.get("/settings/plan").text), f"The trial ends on {shown}", "extend the trial")
    assert fresh(acme).cancel_reason == "results"
    web.post("/settings/billing/undo")
    assert fresh(acme).cancel_at is None
    web.post("/settings/billing/cancel", **CANCEL)
    web.post("/settings/billing/extend")
    assert (fresh(acme).cancel_at, fresh(acme).trial_extended) == (None, True)


def test_a_short_reason_stays_typed_and_what_ended_is_renewed(web: Web, acme: Workspace) -> None:
    answer = web.post("/settings/billing/cancel", reason="other", feedback="Too short.")
    must_have(answer, 422, "10 of 20 characters", "Write at least 20 characters", "Too short.")
    assert web.post("/settings/billing/cancel", feedback="Confirm cancellation").status_code == 422
    assert fresh(acme).cancel_at is None
    with transaction() as current:
        current.get_one(Workspace, acme.id).subscription = Subscription.ENDED
    must_have(text_of(web.get("/settings/plan").text), "Your subscription has ended", without="Cancel subscription")
    assert web.get("/settings/billing/cancel").status_code == 303
    web.post("/settings/billing/renew")
    assert fresh(acme).subscription == Subscription.ACTIVE
    assert "Free on your own server. Your credits reset to" in text_of(web.get("/settings/billing").text)

    assert 'href="/settings/credits"' not in web.get("/settings/plan").text
