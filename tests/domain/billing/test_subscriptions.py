"""Subscriptions: what they allow, cancellation, and its undo."""

from datetime import timedelta

import pytest

from app.core.db import transaction
from app.core.errors import Conflict, InvalidRequest, SubscriptionRequired
from app.domain.billing import credits, subscriptions
from app.domain.billing.subscriptions import Ending
from app.domain.campaigns import campaigns
from app.domain.engine import lifecycle
from app.domain.workspace import workspaces
from app.models.accounts import Account
from app.models.workspaces import Subscription, Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign, forward

REASON = "It did what it should, we are done."


def fresh(workspace: Workspace) -> Workspace:
    with transaction() as current:
        return current.get_one(Workspace, workspace.id, populate_existing=True)


@pytest.fixture
def real(acme: Workspace) -> Workspace:
    """An installation of one's own, which reaches real people."""
    return workspaces.create("Real", "ada@acme.example", PASSWORD)


def test_a_canceled_trial_works_until_its_end_and_can_be_renewed_then(acme: Workspace) -> None:
    """Its campaigns are locked at the very end, so that whoever would be contacted later is not."""
    with pytest.raises(Conflict, match="has not ended"):
        subscriptions.renew(acme)
    campaign = a_campaign(acme, ["accepts-ada"] + [f"ignores-{number}" for number in range(60)])
    with transaction() as current:
        for account in current.query(Account).filter_by(workspace_id=acme.id):
            account.limits = {**account.limits, "invite": 1}
    end = acme.trial_ends_at
    assert end == acme.created_at + timedelta(days=14)
    shown = end.isoformat().replace("+00:00", "Z")
    assert subscriptions.cancel(acme, "other", REASON) == Ending(True, True, shown, end)
    subscriptions.require(fresh(acme))
    forward(acme, days=13)
    assert fresh(acme).subscription == Subscription.TRIALING
    forward(acme, days=2)
    assert fresh(acme).subscription == Subscription.ENDED
    assert campaigns.get(acme, campaign.id).status == "locked"
    with pytest.raises(SubscriptionRequired, match="has ended"):
        subscriptions.require(fresh(acme))
    for verb in (subscriptions.undo_cancel, subscriptions.extend_trial):
        with pytest.raises(Conflict):
            verb(acme)
    with pytest.raises(Conflict, match="already ended"):
        subscriptions.cancel(acme, "other", REASON)
    renewed = subscriptions.renew(acme)
    assert (renewed.plan, renewed.subscription, renewed.cancel_at) == ("local", Subscription.ACTIVE, None)
    subscriptions.require(renewed)
    lifecycle.run(fresh(acme))
    assert campaigns.get(acme, campaign.id).status == "paused"
    assert campaigns.resume(fresh(acme), campaign.id).status in ("running", "starting")


def test_a_trial_that_no_one_cancels_goes_on_for_free(acme: Workspace) -> None:
    """An installation does not lock its owner out; every period fills the credits up."""
    credits.hold(acme, 400, ref="work", purpose="signals")
    credits.capture(acme, "work", 400)
    forward(acme, days=15)
    now = fresh(acme)
    assert (now.plan, now.subscription) == ("local", Subscription.ACTIVE)
    assert now.period_ends_at == now.trial_ends_at + subscriptions.PERIOD
    assert credits.balance(acme).posted == 10_000
    forward(acme, days=70)
    assert fresh(acme).period_ends_at == now.trial_ends_at + 3 * subscriptions.PERIOD
    assert credits.balance(acme).posted == 10_000


def test_an_installation_of_ones_own_just_works(real: Workspace) -> None:
    assert (real.plan, real.subscription, real.trial_ends_at) == ("local", Subscription.ACTIVE, None)
    assert credits.balance(real).posted == 10_000
    end = real.created_at + subscriptions.PERIOD
    ending = subscriptions.cancel(real, "results", subscriptions.CONFIRMATION)
    assert (ending.trialing, ending.can_extend, ending.cancel_at) == (False, False, end)
    assert subscriptions.reach(real, end - timedelta(seconds=1)) == 0
    assert subscriptions.reach(real, end) == 1
    assert fresh(real).subscription == Subscription.ENDED
    assert subscriptions.reach(fresh(real), end + timedelta(days=400)) == 0


def test_canceling_twice_or_without_a_reason_is_refused(acme: Workspace) -> None:
    """Every problem at once. It can be taken back once."""
    for reason, feedback, paths in (
        ("bored", "too short", ["reason", "feedback"]),
        ("other", " " * 30, ["feedback"]),
        ("other", "x" * 19, ["feedback"]),
        ("other", "x" * 2001, ["feedback"]),
        ("", REASON, ["reason"]),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            subscriptions.cancel(acme, reason, feedback)
        assert [field.path for field in refusal.value.fields] == paths
        assert fresh(acme).cancel_at is None
    subscriptions.cancel(acme, "technical", REASON)
    with pytest.raises(Conflict, match="Your subscription is already canceled and ends on"):
        subscriptions.cancel(acme, "technical", REASON)
    subscriptions.undo_cancel(acme)
    assert (fresh(acme).cancel_at, fresh(acme).cancel_feedback) == (None, "")
    with pytest.raises(Conflict, match="not canceled"):
        subscriptions.undo_cancel(acme)


def test_a_trial_is_extended_once(acme: Workspace, real: Workspace) -> None:
    subscriptions.cancel(acme, "technical", REASON)
    end = acme.trial_ends_at
    assert end is not None
    longer = subscriptions.extend_trial(acme)
    assert (longer.trial_ends_at, longer.cancel_at) == (end + subscriptions.TRIAL, None)
    assert not subscriptions.cancel(acme, "technical", REASON).can_extend
    with pytest.raises(Conflict, match="You have already extended the trial"):
        subscriptions.extend_trial(acme)
    with pytest.raises(Conflict, match="no trial"):
        subscriptions.extend_trial(real)


def test_the_overview_has_everything(acme: Workspace, rival: Workspace) -> None:
    """Plan, subscription, credits and room, counted for us alone."""
    credits.hold(acme, 7, ref="work", purpose="signals")
    a_campaign(acme, ["accepts-ada", "accepts-bob"])
    shown = subscriptions.overview(acme)
    assert (shown.plan, shown.status, shown.can_extend) == ("trial", "trialing", True)
    assert shown.ends_at == acme.trial_ends_at
    assert vars(shown.credits) == {"balance": 1000, "held": 7, "available": 993}
    used = {name: room.used for name, room in shown.quotas.items()}
    assert used == {"accounts": 3, "running_campaigns": 1, "leads": 2}
    assert subscriptions.overview(rival).quotas["leads"].used == 0
