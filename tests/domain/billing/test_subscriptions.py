"""Subscriptions: what they allow, cancellation, and its undo."""

from datetime import timedelta

import pytest

from app.core.db import transaction
from app.core.errors import Conflict, InvalidRequest, SubscriptionRequired, WorkspaceSuspended
from app.domain.billing import credits, subscriptions
from app.domain.billing.subscriptions import Ending
from app.domain.campaigns import campaigns
from app.domain.engine import lifecycle
from app.domain.workspace import workspaces
from app.models.workspaces import Subscription, Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign, forward

REASON = "It did what it should, we are done."


def fresh(workspace: Workspace) -> Workspace:
    """The workspace as it is now."""
    with transaction() as current:
        return current.get_one(Workspace, workspace.id, populate_existing=True)


@pytest.fixture
def real(acme: Workspace) -> Workspace:
    """An installation of one's own, which reaches real people."""
    return workspaces.create("Real", "ada@acme.example", PASSWORD)


def test_a_canceled_trial_works_until_its_end(acme: Workspace) -> None:
    """A trial that is canceled ends at its end, with its campaigns locked; until then everything works."""
    campaign = a_campaign(acme)
    end = acme.trial_ends_at
    assert end == acme.created_at + timedelta(days=14)
    shown = end.isoformat().replace("+00:00", "Z")
    assert subscriptions.cancel(acme, "other", REASON) == Ending(True, True, shown, end)
    subscriptions.require(fresh(acme))
    forward(acme, days=13)
    assert fresh(acme).subscription == Subscription.TRIALING
    forward(acme, days=2)
    assert fresh(acme).subscription == Subscription.ENDED
    assert campaigns.get(acme, campaign.id).status in ("locked", "finished")
    with pytest.raises(SubscriptionRequired, match="has ended"):
        subscriptions.require(fresh(acme))


def test_a_campaign_is_locked_at_the_very_end(acme: Workspace) -> None:
    """Whoever would be contacted later is not."""
    campaign = a_campaign(acme, ["accepts-ada"] + [f"ignores-{number}" for number in range(600)])
    subscriptions.cancel(acme, "other", REASON)
    forward(acme, days=20)
    found = campaigns.get(acme, campaign.id)
    assert found.status == "locked"
    subscriptions.renew(acme)
    lifecycle.run(fresh(acme))
    assert campaigns.get(acme, campaign.id).status == "paused"
    assert campaigns.resume(fresh(acme), campaign.id).status in ("running", "starting")


def test_a_trial_that_no_one_cancels_goes_on_for_free(acme: Workspace) -> None:
    """An installation does not lock its owner out; every period fills the credits up."""
    credits.hold(acme, 400, ref="work", purpose="signals")
    credits.capture(acme, "work", 400)
    forward(acme, days=15)
    now = fresh(acme)
    assert (now.plan, now.subscription, now.period_ends_at) == (
        "local",
        Subscription.ACTIVE,
        now.trial_ends_at + subscriptions.PERIOD,
    )
    assert credits.balance(acme).posted == 10_000
    forward(acme, days=70)
    assert fresh(acme).period_ends_at == now.trial_ends_at + 3 * subscriptions.PERIOD
    assert credits.balance(acme).posted == 10_000


def test_an_installation_of_ones_own_just_works(real: Workspace) -> None:
    """On the local plan, without a trial."""
    assert (real.plan, real.subscription, real.trial_ends_at) == ("local", Subscription.ACTIVE, None)
    assert credits.balance(real).posted == 10_000
    end = real.created_at + subscriptions.PERIOD
    ending = subscriptions.cancel(real, "results", subscriptions.CONFIRMATION)
    assert (ending.trialing, ending.can_extend, ending.cancel_at) == (False, False, end)
    assert subscriptions.reach(real, end - timedelta(seconds=1)) == 0
    assert subscriptions.reach(real, end) == 1
    assert fresh(real).subscription == Subscription.ENDED
    assert subscriptions.reach(fresh(real), end + timedelta(days=400)) == 0


@pytest.mark.parametrize(
    ("reason", "feedback", "paths"),
    [
        ("bored", "too short", ["reason", "feedback"]),
        ("other", " " * 30, ["feedback"]),
        ("other", "x" * 2001, ["feedback"]),
        ("", REASON, ["reason"]),
    ],
)
def test_what_does_not_fit_is_refused(acme: Workspace, reason: str, feedback: str, paths: list[str]) -> None:
    """Every problem at once."""
    with pytest.raises(InvalidRequest) as refusal:
        subscriptions.cancel(acme, reason, feedback)
    assert [field.path for field in refusal.value.fields] == paths
    assert fresh(acme).cancel_at is None


def test_canceling_twice_is_a_conflict(acme: Workspace, rival: Workspace) -> None:
    """It can be taken back once; others' subscriptions are not touched."""
    subscriptions.cancel(acme, "technical", REASON)
    with pytest.raises(Conflict, match="Your subscription is already canceled and ends on"):
        subscriptions.cancel(acme, "technical", REASON)
    subscriptions.undo_cancel(acme)
    assert (fresh(acme).cancel_at, fresh(acme).cancel_feedback) == (None, "")
    with pytest.raises(Conflict, match="not canceled"):
        subscriptions.undo_cancel(acme)
    with pytest.raises(Conflict, match="not canceled"):
        subscriptions.undo_cancel(rival)


def test_a_trial_is_extended_once(acme: Workspace, real: Workspace) -> None:
    """Which takes a cancellation back."""
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


def test_what_ended_can_only_be_renewed(acme: Workspace) -> None:
    """And what has not ended, not."""
    with pytest.raises(Conflict, match="has not ended"):
        subscriptions.renew(acme)
    subscriptions.cancel(acme, "other", REASON)
    forward(acme, days=15)
    for verb in (subscriptions.undo_cancel, subscriptions.extend_trial):
        with pytest.raises(Conflict):
            verb(acme)
    with pytest.raises(Conflict, match="already ended"):
        subscriptions.cancel(acme, "other", REASON)
    renewed = subscriptions.renew(acme)
    assert (renewed.plan, renewed.subscription, renewed.cancel_at) == ("local", Subscription.ACTIVE, None)
    subscriptions.require(renewed)


def test_a_suspended_workspace_does_nothing(acme: Workspace) -> None:
    """That is said before anything about the subscription."""
    with transaction() as current:
        found = current.get_one(Workspace, acme.id)
        found.suspended_at, found.subscription = found.created_at, Subscription.ENDED
    with pytest.raises(WorkspaceSuspended):
        subscriptions.require(fresh(acme))


def test_the_overview_has_everything(acme: Workspace, rival: Workspace) -> None:
    """Plan, subscription, credits and room, counted for us alone."""
    credits.hold(acme, 7, ref="work", purpose="signals")
    a_campaign(acme, ["accepts-ada", "accepts-bob"])
    shown = subscriptions.overview(acme)
    assert (shown.plan, shown.status, shown.can_extend, shown.ends_at) == (
        "trial",
        "trialing",
        True,
        acme.trial_ends_at,
    )
    assert vars(shown.credits) == {"balance": 1000, "held": 7, "available": 993}
    assert {name: room.used for name, room in shown.quotas.items()} == {
        "accounts": 3,
        "running_campaigns": 1,
        "leads": 2,
    }
    assert subscriptions.overview(rival).quotas["leads"].used == 0
