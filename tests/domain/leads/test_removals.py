"""People taken out of a list, and brought back."""

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, NotFound, PlanLimitExceeded
from app.domain.billing import plans
from app.domain.leads import edit, leads, lists, removals
from app.domain.platform import jobs
from app.domain.privacy import erasure
from app.models.campaigns import CampaignLead, CampaignStatus, LeadState
from app.models.leads import Lead, LeadList
from app.models.workspaces import Workspace
from tests.domain.leads.conftest import people
from tests.domain.leads.test_lists import campaign_of
from tests.support.movable import Movable


@pytest.fixture
def founders(acme: Workspace, clock: Movable) -> LeadList:
    found = lists.create_list(acme, "Founders")
    for name in ("ada", "bob", "eve"):
        leads.add(acme, found.id, [{"publicId": name, "firstName": name.title(), "customFields": {"tier": name}}])
        clock.forward(minutes=1)
    return found


def rows(workspace: Workspace, found: LeadList) -> list[tuple[object, ...]]:
    session().expire_all()
    columns = ["id", *(column.name for column in Lead.__table__.columns)]
    seen = [tuple(getattr(lead, name) for name in columns) for lead in people(workspace, found.id)]
    assert lists.get_list(workspace, found.id).lead_count == len(seen)
    return seen


def ids(workspace: Workspace, found: LeadList) -> list[int]:
    return [lead.id for lead in people(workspace, found.id)]


def finished(workspace: Workspace, found: LeadList, *lead_ids: int) -> None:
    campaign = campaign_of(workspace, found, CampaignStatus.FINISHED, *leads.get_many(workspace, lead_ids))
    with transaction() as current:
        there = sa.update(CampaignLead).where(CampaignLead.campaign_id == campaign.id)
        current.execute(there.values(state=LeadState.FINISHED))


def test_removed_leads_come_back_as_they_were_once(acme: Workspace, founders: LeadList) -> None:
    before = rows(acme, founders)
    number, name = removals.remove_people(acme, founders.id, ids(acme, founders)[1:])
    assert (number, rows(acme, founders)) == (2, before[:1])
    with pytest.raises(NotFound):
        leads.get_visible(acme, int(str(before[1][0])))
    assert removals.PEOPLE.undo(acme, name, list=founders.id) == 2
    assert rows(acme, founders) == before
    with pytest.raises(Conflict, match="too late to undo this"):
        removals.PEOPLE.undo(acme, name, list=founders.id)
    assert removals.remove_people(acme, founders.id, [987654321, -1]) == (0, "")


def test_after_a_while_they_are_gone_for_good(acme: Workspace, founders: LeadList, clock: Movable) -> None:
    """Not before; those in a campaign stay in its history."""
    ada, bob, _ = ids(acme, founders)
    finished(acme, founders, bob)
    _, name = removals.remove_people(acme, founders.id, [ada, bob])
    for minutes, gone in [(9, False), (1, True)]:
        clock.forward(minutes=minutes)
        jobs.run_due()
        session().expire_all()
        assert (session().get(Lead, ada) is None) == gone
    assert leads.get_visible(acme, bob).list_id is None
    with pytest.raises(Conflict):
        removals.PEOPLE.undo(acme, name, list=founders.id)


def test_no_one_is_in_a_list_twice(acme: Workspace, founders: LeadList) -> None:
    """Who was added again meanwhile, or removed a second time, is there once, as they are now."""
    ada = people(acme, founders.id)[0].id
    _, first = removals.remove_people(acme, founders.id, [ada])
    leads.add(acme, founders.id, [{"publicId": "ada", "firstName": "Augusta"}])
    again = ids(acme, founders)[-1]
    _, second = removals.remove_people(acme, founders.id, [again, again])
    assert removals.PEOPLE.undo(acme, second, list=founders.id) == 1
    assert removals.PEOPLE.undo(acme, first, list=founders.id) == 0
    assert [lead.first_name for lead in people(acme, founders.id)] == ["Bob", "Eve", "Augusta"]
    assert lists.get_list(acme, founders.id).lead_count == 3


def test_who_was_erased_or_deleted_meanwhile_stays_away(acme: Workspace, founders: LeadList) -> None:
    """They asked to be forgotten. Someone in a campaign comes back, too."""
    ada, bob, eve = ids(acme, founders)
    finished(acme, founders, ada, bob)
    before = rows(acme, founders)
    _, name = removals.remove_people(acme, founders.id, [ada, bob])
    assert removals.PEOPLE.undo(acme, name, list=founders.id) == 2
    assert rows(acme, founders) == before
    _, name = removals.remove_people(acme, founders.id, [ada, bob])
    edit.delete(acme, bob)
    assert removals.PEOPLE.undo(acme, name, list=founders.id) == 1
    assert rows(acme, founders) == [before[0], before[2]]
    other = lists.create_list(acme, "Other")
    leads.add(acme, other.id, [{"publicId": "ada"}])
    _, name = removals.remove_people(acme, founders.id, [ada, eve])
    erasure.erase(acme, ids(acme, other)[0])
    session().expire_all()
    assert removals.PEOPLE.undo(acme, name, list=founders.id) == 1
    assert [lead.public_id for lead in people(acme, founders.id)] == ["eve"]


def test_a_way_back_belongs_to_its_list(acme: Workspace, founders: LeadList, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full plan takes no one back, and the way back stays open."""
    _, name = removals.remove_people(acme, founders.id, ids(acme, founders))
    with pytest.raises(Conflict):
        removals.PEOPLE.undo(acme, name, list=lists.create_list(acme, "Other").id)
    with monkeypatch.context() as patch:
        patch.setitem(plans.PLANS, acme.plan, plans.Plan("Small", 1, 1, leads=2, credits=0))
        with pytest.raises(PlanLimitExceeded):
            removals.PEOPLE.undo(acme, name, list=founders.id)
    assert removals.PEOPLE.undo(acme, name, list=founders.id) == 3
