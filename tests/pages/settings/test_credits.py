"""What is left of the credits, what they went for, and how a subscription ends."""

import re

import pytest

from app.core.db import transaction
from app.domain.billing import credits, subscriptions
from app.domain.enrichment import signals
from app.models.workspaces import Membership, Subscription, Workspace
from tests.pages.conftest import Web

CANCEL = {"reason": "results", "feedback": "It found nobody for us at all."}


def fresh(workspace: Workspace) -> Workspace:
    """The workspace as it is now."""
    with transaction() as current:
        return current.get_one(Workspace, workspace.id, populate_existing=True)


def text_of(page: str) -> str:
    """A page without its tags and with plain spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_credits_show_balance_chart_and_ledger(web: Web, acme: Workspace) -> None:
    """Balance, chart and ledger after a look-up; settings lead there."""
    empty = web.get("/settings/credits").text
    assert "No credits spent in the last" in empty
    signals.look_up(acme, "headcount", domain="known-acme.com")
    credits.hold(acme, 50, ref="open", purpose="enrichment", note="Lookups in Founders")
    page = web.get("/settings/credits").text
    said = text_of(page)
    assert "Available 944 of 994 in balance" in said
    assert "Reserved 50" in said
    assert "Spent 6 in 30 days" in said
    assert "Headcount: known-acme.com" in said
    assert "Lookups in Founders" not in said
    everything = text_of(web.get("/settings/credits?show=all").text)
    assert "Lookups in Founders" in everything
    assert 'href="/settings/credits"' in web.get("/settings").text


def test_the_ledger_is_paged(web: Web, acme: Workspace) -> None:
    """Newest first, and only ours."""
    for number in range(30):
        credits.grant(acme, 1, ref=f"gift {number}", note=f"Gift {number}")
    first = web.get("/settings/credits").text
    assert first.count('class="key"') - first.count('<td class="key"') == 25
    more = re.search(r'hx-get="(/settings/credits\?cursor=[^"]+)"', first)
    assert more
    rest = web.get(more[1], htmx=True).text
    assert "Gift 0<" in rest
    assert "Trial credits" in rest


def test_a_subscription_is_canceled_and_that_is_undone(web: Web, acme: Workspace) -> None:
    """With the end in words, before and after."""
    end = acme.trial_ends_at
    assert end
    shown = f"{end:%a} {end.day} {end:%b %Y}"
    before = text_of(web.get("/settings/billing").text)
    assert f"The trial runs until {shown}" in before
    assert "3 of 50" in before
    form = web.get("/settings/billing/cancel").text
    assert "0 of 20 characters" in form
    answer = web.post("/settings/billing/cancel", **CANCEL)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/settings/billing")
    after = text_of(web.get("/settings/billing").text)
    assert f"The trial ends on {shown}" in after
    assert "extend the trial" in after
    assert fresh(acme).cancel_reason == "results"
    web.post("/settings/billing/undo")
    assert fresh(acme).cancel_at is None
    web.post("/settings/billing/cancel", **CANCEL)
    web.post("/settings/billing/extend")
    assert (fresh(acme).cancel_at, fresh(acme).trial_extended) == (None, True)


def test_what_was_typed_stays_when_it_is_too_short(web: Web, acme: Workspace) -> None:
    """With how long it is."""
    answer = web.post("/settings/billing/cancel", reason="other", feedback="Too short.")
    assert answer.status_code == 422
    assert "10 of 20 characters" in answer.text
    assert "Write at least 20 characters" in answer.text
    assert "Too short." in answer.text
    assert web.post("/settings/billing/cancel", feedback="Confirm cancellation").status_code == 422
    assert fresh(acme).cancel_at is None


def test_what_ended_is_renewed(web: Web, acme: Workspace) -> None:
    """From a page that says what still works."""
    with transaction() as current:
        current.get_one(Workspace, acme.id).subscription = Subscription.ENDED
    page = text_of(web.get("/settings/billing").text)
    assert "Your subscription has ended" in page
    assert "Cancel subscription" not in page
    assert web.get("/settings/billing/cancel").status_code == 303
    web.post("/settings/billing/renew")
    assert fresh(acme).subscription == Subscription.ACTIVE
    assert "Free on your own server. Credits are renewed to" in text_of(web.get("/settings/billing").text)


@pytest.mark.parametrize("path", ["cancel", "undo", "extend", "renew"])
def test_only_an_owner_ends_or_changes_it(web: Web, acme: Workspace, path: str) -> None:
    """Everyone may look."""
    with transaction() as current:
        current.query(Membership).filter_by(workspace_id=acme.id).one().role = "operator"
    assert web.post(f"/settings/billing/{path}", **CANCEL).status_code == 403
    assert web.get("/settings/billing").status_code == 200
    assert fresh(acme).cancel_at is None


def test_others_see_their_own(stranger: Web, acme: Workspace, rival: Workspace) -> None:
    """Neither our balance nor our end."""
    subscriptions.cancel(acme, "other", subscriptions.CONFIRMATION)
    credits.grant(acme, 77, ref="gift", note="Ours alone")
    assert "Ours alone" not in stranger.get("/settings/credits").text
    assert "ends on" not in stranger.get("/settings/billing").text
