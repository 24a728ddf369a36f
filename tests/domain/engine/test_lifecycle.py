"""What time alone brings about, and that it comes to an end."""

from datetime import timedelta

import pytest

from app.core.db import session, transaction
from app.core.errors import Conflict
from app.domain.campaigns import campaigns
from app.domain.engine import lifecycle
from app.domain.leads.campaign_leads import campaign_leads
from app.models.campaigns import CampaignStatus, LeadState
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import (
    ALWAYS,
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    events,
    everyone,
    forward,
    fresh,
    message,
    only,
    put,
    takes_in,
    the_account,
    told,
)

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]


def later(workspace: Workspace, **delta: float) -> None:
    """The workspace's clock has moved, and nothing was done on the way."""
    with transaction() as current:
        current.get_one(Workspace, workspace.id).clock_offset += int(timedelta(**delta).total_seconds())
    session().refresh(workspace)


def test_what_falls_due_happens_once(acme: Workspace, rival: Workspace) -> None:
    campaign, theirs = a_campaign(acme, ["ignores-ada"], [VIEW]), a_campaign(rival, ["ignores-ada"], [VIEW])
    put(campaign, state="active", step=1, next_budget="end", due_at=acme.now(), sender_id=None)
    assert lifecycle.next_moment(acme.id) == acme.now()
    assert lifecycle.run(acme) == 2
    assert lifecycle.run(acme) == 0
    assert fresh(campaign).status == CampaignStatus.FINISHED
    assert fresh(theirs).status == CampaignStatus.RUNNING
    assert lifecycle.next_moment(acme.id) is None
    put(theirs, state="active", step=1, next_budget="end", due_at=rival.now(), sender_id=None)
    assert lifecycle.run_due() == 2
    assert lifecycle.run_due() == 0


def test_a_moved_clock_reaches_the_end_of_its_own_subscription_alone(acme: Workspace, rival: Workspace) -> None:
    with transaction() as current:
        current.get_one(Workspace, acme.id).cancel_at = acme.now() + timedelta(days=1)
    later(rival, days=2)
    assert rival.id not in [found.key for found in lifecycle.due(10)]
    later(acme, days=2)
    assert [found.key for found in lifecycle.due(10)] == [acme.id]


def test_a_wait_of_a_paused_campaign_ends_when_it_goes_on(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [VIEW])
    put(campaign, state="active", step=1, next_budget="end", due_at=acme.now(), sender_id=None)
    campaigns.pause(acme, campaign.id)
    assert lifecycle.run(acme) == 0
    assert only(campaign).state == LeadState.ACTIVE
    campaigns.resume(acme, campaign.id)
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.FINISHED


def test_someone_away_comes_back_on_their_day(acme: Workspace) -> None:
    """A second note of absence moves the return."""
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    forward(acme, hours=1)
    for number, day in enumerate((4, 5)):
        note = f"Out of office until {day} March."
        takes_in(acme, the_account(acme), Received("ignores-ada", "message", note, acme.now(), f"away-{number}"))
    back = only(campaign).due_at
    assert back is not None
    assert (back.day, only(campaign).reason) == (5, "out_of_office")
    assert lifecycle.next_moment(acme.id) == back
    assert lifecycle.run(acme) == 0
    later(acme, days=3)
    assert lifecycle.run(acme) == 1
    person = only(campaign)
    assert (person.state, person.next_budget) == (LeadState.AWAITING_ACCEPT, "withdraw")
    assert_counters_hold(campaign)


def test_nothing_is_done_from_the_end_date_on(acme: Workspace) -> None:
    ends = acme.now() + timedelta(hours=1)
    campaign = a_campaign(acme, [f"ignores-{n}" for n in range(40)], [VIEW], schedule={**ALWAYS, "endDate": ends})
    later(acme, hours=1)
    forward(acme, hours=2)
    assert acts(acme) == []
    assert fresh(campaign).status == CampaignStatus.FINISHED
    assert {person.reason for person in everyone(campaign).values()} == {"campaign_ended"}
    assert_counters_hold(campaign)


def test_a_campaign_whose_end_date_passed_while_it_was_paused_is_not_resumed(acme: Workspace) -> None:
    ends = acme.now() + timedelta(days=1)
    campaign = a_campaign(acme, ["ignores-ada"], schedule={**ALWAYS, "endDate": ends})
    campaigns.pause(acme, campaign.id)
    later(acme, days=2)
    with pytest.raises(Conflict) as refusal:
        campaigns.resume(acme, campaign.id)
    assert refusal.value.recovery
    assert fresh(campaign).status == CampaignStatus.PAUSED


def test_a_workspace_that_was_suspended_contacts_no_one_however_far_its_clock_is_moved(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [VIEW])
    with transaction() as current:
        current.get_one(Workspace, acme.id).suspended_at = acme.now()
    session().refresh(acme)
    forward(acme, days=2)
    assert acts(acme) == []
    assert fresh(campaign).status == CampaignStatus.LOCKED


def test_a_person_who_is_paused_keeps_the_campaign_open(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW])
    campaign_leads.pause(acme, campaign.id, everyone(campaign)["ignores-ada"].id)
    forward(acme, days=2)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    campaign_leads.stop(acme, campaign.id, everyone(campaign)["ignores-ada"].id)
    assert lifecycle.run(acme) == 1
    assert fresh(campaign).status == CampaignStatus.FINISHED
    assert events(acme)["campaign_completed"] == 1


def test_a_campaign_is_told_when_it_begins_and_when_it_is_paused(acme: Workspace) -> None:
    soon = a_campaign(acme, ["ignores-ada"], [VIEW])
    assert [one["campaign"]["id"] for one in told(acme, "campaign_started")] == [soon.id]
    date = acme.now() + timedelta(days=2)
    planned = a_campaign(acme, ["ignores-bo"], [VIEW], name="Planned", schedule={**ALWAYS, "startDate": date})
    assert len(told(acme, "campaign_started")) == 1
    forward(acme, days=3)
    assert [one["campaign"]["id"] for one in told(acme, "campaign_started")] == [soon.id, planned.id]
    late = a_campaign(acme, ["ignores-cy"], [INVITE], name="Late")
    campaigns.pause(acme, late.id)
    campaigns.resume(acme, late.id)
    assert [one["campaign"] for one in told(acme, "campaign_paused")] == [{"id": late.id, "name": "Late"}]
    assert len(told(acme, "campaign_started")) == 3
