"""Open campaigns: people who come into their lists join, by whichever door, some a day, through all gates."""

from datetime import timedelta

import pytest

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.campaign_leads import why_waiting
from app.domain.campaigns import campaigns, change_lists, changes
from app.domain.campaigns.revision_log import Wanted
from app.domain.engine import joiners, lifecycle
from app.domain.exclusions import never_contact
from app.domain.leads import leads, lists, removals
from app.models.campaigns import Campaign, CampaignStatus, LeadState
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    VIEW,
    a_campaign,
    a_list,
    acts,
    assert_counters_hold,
    everyone,
    forward,
    fresh,
)

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("clock")]


def add(workspace: Workspace, list_id: int | None, *people: str) -> None:
    leads.add(workspace, list_id or 0, [{"publicId": one} for one in people])


def opened(workspace: Workspace, per_day: int = 10, people: tuple[str, ...] = ("ignores-ada",)) -> Campaign:
    """A running campaign that is open for new people, and has settled."""
    campaign = a_campaign(workspace, people, [VIEW])
    joiners.choose(workspace, campaign.id, per_day)
    lifecycle.run(workspace)
    return campaign


def test_an_open_campaign_with_nothing_left_to_do_waits_for_new_people(acme: Workspace) -> None:
    campaign = opened(acme)
    forward(acme, days=30)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    assert why_waiting.of_campaign(acme, fresh(campaign)).code == "awaiting_people"


def test_who_comes_into_a_list_joins_and_no_one_twice(acme: Workspace, rival: Workspace) -> None:
    """By hand, moved from another list, back by an undo, in a list that was added later: each once."""
    theirs = opened(rival)
    campaign = opened(acme)
    assert lifecycle.due(10) == []
    add(acme, campaign.list_id, "ignores-bob")
    assert [found.key for found in lifecycle.due(10)] == [acme.id]
    lifecycle.run(acme)
    assert set(everyone(campaign)) == {"ignores-ada", "ignores-bob"}
    before = a_list(acme, ["ignores-old"], "Older")
    add(acme, campaign.list_id, "ignores-cy")
    lifecycle.run(acme)
    moved = [lead.id for lead in session().scalars(lists.query_list(acme, before))]
    lists.move_people(acme, before, campaign.list_id or 0, moved)
    lifecycle.run(acme)
    assert "ignores-old" in everyone(campaign)
    add(acme, campaign.list_id, "ignores-fay")
    last = [lead.id for lead in session().scalars(lists.query_list(acme, campaign.list_id or 0))][-1:]
    _, name = removals.remove_people(acme, campaign.list_id or 0, last)
    add(acme, campaign.list_id, "ignores-gil")
    lifecycle.run(acme)
    removals.PEOPLE.undo(acme, name)
    lifecycle.run(acme)
    assert {"ignores-fay", "ignores-gil"} <= everyone(campaign).keys()
    more = a_list(acme, ["ignores-dan", "ignores-bob"], "More")
    changes.apply(acme, campaign.id, Wanted(list_ids=[*change_lists.list_ids(campaign), more]))
    add(acme, more, "ignores-eve", "ignores-ada")
    lifecycle.run(acme)
    assert len(everyone(campaign)) == 8
    assert assert_counters_hold(campaign).leads == 8
    assert list(everyone(theirs)) == ["ignores-ada"]
    assert lifecycle.due(10) == []


def test_only_so_many_join_a_day_and_who_is_left_out_takes_no_place(acme: Workspace) -> None:
    campaign = opened(acme, per_day=2)
    never_contact.add(acme, [("person", "ignores-dan")])
    a_campaign(acme, ["ignores-bob"], [VIEW], name="Other")
    add(acme, campaign.list_id, "ignores-bob", "ignores-cy", "ignores-eve", "ignores-fay", "ignores-gil", "ignores-dan")
    for _ in range(3):
        lifecycle.run(acme)
    people = everyone(campaign)
    assert {name for name, one in people.items() if one.joined_at and one.state != LeadState.EXCLUDED} == {
        "ignores-cy",
        "ignores-eve",
    }
    assert people["ignores-bob"].reason == "active_elsewhere"
    found = joiners.today(acme, fresh(campaign))
    assert (found.joined_today, found.waiting) == (2, 2)
    assert [(one.code, one.people) for one in found.left_out_today] == [("active_elsewhere", 1)]
    assert found.joins_at == fresh(campaign).joins_at == lifecycle.next_moment(acme.id)
    assert lifecycle.due(10) == []
    joiners.choose(acme, campaign.id, 3)
    lifecycle.run(acme)
    assert joiners.today(acme, fresh(campaign)).joined_today == 3
    forward(acme, days=1)
    assert set(everyone(campaign)) >= {"ignores-fay", "ignores-gil"}
    assert "ignores-dan" not in everyone(campaign)
    assert joiners.today(acme, fresh(campaign)).joined_today == 1


def test_an_open_campaign_waits_for_people_instead_of_ending(acme: Workspace) -> None:
    """It begins with an empty list, too; one that had finished runs again, and ends when it is closed."""
    campaign = a_campaign(acme, [], [VIEW], start=False)
    joiners.choose(acme, campaign.id, 10)
    campaigns.start(acme, campaign.id)
    forward(acme, days=2)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    add(acme, campaign.list_id, "ignores-ada")
    forward(acme, days=2)
    assert ("view_profile", "ignores-ada") in acts(acme)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    joiners.choose(acme, campaign.id, None)
    add(acme, campaign.list_id, "ignores-bob")
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.FINISHED
    joiners.choose(acme, campaign.id, 10)
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.RUNNING
    assert set(everyone(campaign)) == {"ignores-ada", "ignores-bob"}
    campaigns.cancel(acme, campaign.id)
    joiners.choose(acme, campaign.id, None)
    with pytest.raises(Conflict, match="canceled campaign"):
        joiners.choose(acme, campaign.id, 10)
    for wrong in (0, 10_001):
        with pytest.raises(InvalidRequest):
            joiners.choose(acme, campaign.id, wrong)


def test_no_one_joins_a_paused_campaign_or_one_past_its_end(acme: Workspace) -> None:
    campaign = opened(acme)
    campaigns.pause(acme, campaign.id)
    add(acme, campaign.list_id, "ignores-bob")
    lifecycle.run(acme)
    assert set(everyone(campaign)) == {"ignores-ada"}
    assert joiners.today(acme, fresh(campaign)).waiting == 1
    campaigns.resume(acme, campaign.id)
    lifecycle.run(acme)
    assert set(everyone(campaign)) == {"ignores-ada", "ignores-bob"}
    with transaction() as current:
        current.get_one(Campaign, campaign.id).end_date = acme.now() + timedelta(hours=1)
    forward(acme, hours=2)
    add(acme, campaign.list_id, "ignores-cy")
    lifecycle.run(acme)
    assert fresh(campaign).status == CampaignStatus.FINISHED
    assert set(everyone(campaign)) == {"ignores-ada", "ignores-bob"}


def test_a_join_that_was_cut_off_is_done_again_and_one_that_is_repeated_does_nothing(acme: Workspace) -> None:
    campaign = opened(acme)
    add(acme, campaign.list_id, "ignores-bob", "ignores-cy")
    with pytest.raises(ZeroDivisionError), transaction():
        joiners.join(campaigns.locked(acme, campaign.id), acme.now())
        raise ZeroDivisionError
    assert set(everyone(campaign)) == {"ignores-ada"}
    lifecycle.run(acme)
    with transaction() as current:
        current.get_one(Campaign, campaign.id).joined_to = 0
    assert lifecycle.run(acme) == 1
    assert set(everyone(campaign)) == {"ignores-ada", "ignores-bob", "ignores-cy"}
    assert joiners.today(acme, fresh(campaign)).joined_today == 2
