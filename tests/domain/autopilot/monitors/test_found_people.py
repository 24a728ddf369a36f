"""Whom monitors find: who is left out and why, who waits, and what a decision does."""

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, PlanLimitExceeded
from app.domain.autopilot.monitors import found_people, monitors, shown
from app.domain.billing import plans
from app.domain.campaigns import campaigns
from app.domain.leads import leads, lists
from app.domain.people.exclusions import never_contact
from app.domain.privacy import erasure
from app.models.campaigns import CampaignLead
from app.models.leads import Lead
from app.models.monitors import Monitor, MonitorPerson
from app.models.people import DataSource, Person
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.autopilot.monitors.watching import a_monitor, look, rows
from tests.domain.outreach import a_campaign, a_list
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, Shown, showing

pytestmark = pytest.mark.postgres


@pytest.fixture
def network() -> Iterator[Shown]:
    """What the network shows."""
    with showing(Shown(people=6)) as network:
        yield network


def listed(monitor: Monitor) -> list[str]:
    """Who is in the monitor's list, by public id."""
    query = sa.select(Person.public_id).join(Lead, Lead.person_id == Person.id).where(Lead.list_id == monitor.list_id)
    return sorted(session().scalars(query))


def enrolled(campaign_id: int) -> dict[str, tuple[str, str]]:
    """State and reason of everyone in the campaign."""
    query = sa.select(Person.public_id, CampaignLead.state, CampaignLead.reason).join(CampaignLead.person)
    found = session().execute(query.where(CampaignLead.campaign_id == campaign_id))
    return {public_id: (state, reason) for public_id, state, reason in found}


def ids(monitor: Monitor, state: str = "held") -> list[int]:
    return [row.id for row in rows(monitor, state)]


def said(acme: Workspace, kind: str) -> list[tuple[str, Any]]:
    """What the audit log says of this kind."""
    query = sa.select(AuditEntry).where(AuditEntry.workspace_id == acme.id, AuditEntry.kind == kind)
    return [(entry.subject, entry.after) for entry in session().scalars(query.order_by(AuditEntry.id))]


def test_the_accepted_join_the_list_and_the_campaign_and_nothing_happens_to_others(
    acme: Workspace, network: Shown, clock: Movable
) -> None:
    """The declined do not, and are not found again; what was decided and by whom is written down."""
    campaign = a_campaign(acme)
    monitor = a_monitor(acme, campaign_id=campaign.id, name="Founders")
    look(clock, monitor)
    assert len(rows(monitor, "held")) == 6
    assert listed(monitor) == []
    assert set(enrolled(campaign.id)) == {"accepts-ada"}
    done = found_people.decide(acme, monitor.id, True, ids(monitor)[:2])
    assert (done.changed, done.skipped, dict(done.left_out)) == (2, 0, {})
    found_people.decide(acme, monitor.id, False, ids(monitor)[:1])
    assert listed(monitor) == ["ada-0", "ada-1"]
    assert set(enrolled(campaign.id)) == {"accepts-ada", "ada-0", "ada-1"}
    look(clock, monitor)
    assert [row.handle for row in rows(monitor, "declined")] == ["ada-2"]
    assert [row.handle for row in rows(monitor, "held")] == ["ada-3", "ada-4", "ada-5"]
    added = rows(monitor, "added")[0]
    assert (added.decided_by, added.reason, added.person_id is not None) == (actor.get().name, "", True)
    assert said(acme, "monitor.accepted") == [("Founders", {"people": 2})]
    assert said(acme, "monitor.declined") == [("Founders", {"people": 1})]
    source = session().get_one(DataSource, session().get_one(Person, added.person_id).source_id)
    assert (source.kind, source.name) == ("search", ADDRESS)
    # Who is in the list already can't be declined; who was declined can still be accepted.
    again_ = found_people.decide(acme, monitor.id, True, ids(monitor, "added"))
    assert (again_.changed, again_.skipped) == (0, 2)
    assert found_people.decide(acme, monitor.id, False, ids(monitor, "added")).changed == 0
    assert found_people.decide(acme, monitor.id, True, ids(monitor, "declined")).changed == 1
    assert listed(monitor) == ["ada-0", "ada-1", "ada-2"]


def test_people_are_left_out_with_the_reason(acme: Workspace, network: Shown, clock: Movable) -> None:
    """Of those on the do-not-contact list nothing is kept; those whom a rule leaves out are shown with it."""
    network.people, network.hidden = 8, 8
    second = a_campaign(acme, [{"publicId": "ada-2"}], name="Second")
    campaigns.change_exclusions(acme, second.id, {"list_ids": [a_list(acme, [{"publicId": "ada-1"}], "Friends")]})
    monitor = a_monitor(acme, campaign_id=second.id)
    leads.add(acme, monitor.list_id or 0, [{"publicId": "ada-3"}])
    never_contact.add(acme, ["https://www.linkedin.com/in/ada-4"])
    found = look(clock, monitor)
    assert [row.handle for row in rows(monitor, "held")] == ["ada-5", "ada-6", "ada-7"]
    assert found.run_left_out == {
        **{"no_profile": 1, "never_contact": 1, "in_list": 1, "in_campaign": 1, "in_excluded_list": 1}
    }
    assert [(row.handle, row.reason) for row in rows(monitor, "left_out")] == [("ada-1", "in_excluded_list")]
    sentences = [sentence for _, sentence, _ in shown.of(found).left_out]
    assert "On a list this campaign leaves out" in sentences
    assert "On the do-not-contact list" in sentences
    # Who is left out by a rule is found when it no longer holds.
    campaigns.change_exclusions(acme, second.id, {"list_ids": []})
    assert look(clock, monitor).run_found == 1
    assert [row.handle for row in rows(monitor, "held")] == ["ada-1", "ada-5", "ada-6", "ada-7"]


def test_the_gate_is_asked_again_when_people_are_accepted(acme: Workspace, network: Shown, clock: Movable) -> None:
    """Who was blocked meanwhile does not join; who is excluded now stands in the campaign with the reason."""
    campaign = a_campaign(acme)
    monitor = a_monitor(acme, campaign_id=campaign.id)
    look(clock, monitor)
    never_contact.add(acme, ["https://www.linkedin.com/in/ada-0"])
    campaigns.change_exclusions(acme, campaign.id, {"list_ids": [a_list(acme, [{"publicId": "ada-1"}], "Friends")]})
    done = found_people.decide(acme, monitor.id, True)
    assert (done.changed, dict(done.left_out)) == (6, {"never_contact": 1, "in_excluded_list": 1})
    assert listed(monitor) == [f"ada-{number}" for number in range(1, 6)]
    assert enrolled(campaign.id)["ada-1"] == ("excluded", "in_excluded_list")
    assert "ada-0" not in enrolled(campaign.id)
    assert [(row.handle, row.reason) for row in rows(monitor) if row.reason] == [("ada-1", "in_excluded_list")]
    assert len(rows(monitor)) == 5


def test_an_owner_lets_a_monitor_add_people_itself(acme: Workspace, network: Shown, clock: Movable) -> None:
    """From then on: those who waited still wait. It is written down."""
    network.people = 2
    monitor = a_monitor(acme, name="Founders")
    look(clock, monitor)
    monitors.set_automatic(acme, monitor.id, True)
    network.people = 4
    look(clock, monitor)
    assert [row.handle for row in rows(monitor, "held")] == ["ada-0", "ada-1"]
    assert listed(monitor) == ["ada-2", "ada-3"]
    assert [row.decided_by for row in rows(monitor, "added")] == ["", ""]
    assert said(acme, "monitor.automatic") == [("Founders", {"adds people": "automatically"})]


def test_a_day_has_no_more_people_than_it_may(acme: Workspace, network: Shown, clock: Movable) -> None:
    """Whatever became of them, and however often it looks."""
    network.people = 50
    monitor = a_monitor(acme, most_per_day=4)
    look(clock, monitor)
    found_people.decide(acme, monitor.id, True)
    for _ in range(3):
        clock.forward(hours=1)
        monitors.run_now(acme, monitor.id)
        assert look(clock, monitor).run_found == 0
    assert len(rows(monitor)) == 4


def test_a_monitor_waits_for_decisions_when_many_are_open(
    acme: Workspace, network: Shown, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found_people, "MOST_HELD", 3)
    monitor = a_monitor(acme)
    assert look(clock, monitor).note == "3 people are waiting for a decision. Accept or decline people to find more."
    found_people.decide(acme, monitor.id, False)
    look(clock, monitor)
    assert len(rows(monitor, "held")) == 3


def test_no_one_is_accepted_into_what_is_full_or_gone(
    acme: Workspace, network: Shown, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full plan, a paused campaign, a deleted list, another monitor: a sentence says so, and all still wait."""
    campaign = a_campaign(acme)
    monitor = a_monitor(acme, campaign_id=campaign.id)
    other = a_monitor(acme)
    look(clock, monitor)
    with pytest.raises(InvalidRequest) as refusal:
        found_people.decide(acme, other.id, True, ids(monitor)[:1])
    assert refusal.value.fields[0].path == "ids[0]"
    with monkeypatch.context() as patch:
        patch.setitem(plans.PLANS, acme.plan, plans.Plan("Small", 1, 1, leads=2, credits=0))
        with pytest.raises(PlanLimitExceeded):
            found_people.decide(acme, monitor.id, True)
    campaigns.pause(acme, campaign.id)
    with pytest.raises(Conflict, match="is paused"):
        found_people.decide(acme, monitor.id, True)
    campaigns.resume(acme, campaign.id)
    lists.delete_list(acme, monitor.list_id or 0)
    with pytest.raises(Conflict, match="This monitor's list was deleted"):
        found_people.decide(acme, monitor.id, True)
    assert len(rows(monitor, "held")) == 6
    assert found_people.decide(acme, monitor.id, False).changed == 6


def test_an_erased_person_is_forgotten_and_not_found_again(acme: Workspace, network: Shown, clock: Movable) -> None:
    """Also at a monitor where they only wait."""
    monitor, other = a_monitor(acme), a_monitor(acme)
    look(clock, monitor)
    look(clock, other)
    found_people.decide(acme, monitor.id, True, ids(monitor)[:1])
    lead = session().scalars(sa.select(Lead).where(Lead.list_id == monitor.list_id)).one()
    erasure.erase(acme, lead.id)
    left = session().scalars(sa.select(MonitorPerson.handle).where(MonitorPerson.workspace_id == acme.id)).all()
    assert "ada-0" not in left
    clock.forward(days=1)
    look(clock, other)
    assert "ada-0" not in [row.handle for row in rows(other)]


def test_two_who_accept_at_once_add_a_person_once_and_a_row_of_a_list_has_the_last_word(
    acme: Workspace, network: Shown, clock: Movable
) -> None:
    """Two monitors of one list found the same people. What a member knows stays; what is missing is filled in."""
    known = lists.create_list(acme, "Known")
    leads.add(acme, known.id, [{"publicId": "ada-0", "firstName": "Augusta"}])
    monitor = a_monitor(acme)
    other = a_monitor(acme, list_id=monitor.list_id)
    look(clock, monitor)
    look(clock, other)
    found_people.decide(acme, monitor.id, True)
    found_people.decide(acme, other.id, True)
    assert listed(monitor) == [f"ada-{number}" for number in range(6)]
    assert lists.get_list(acme, monitor.list_id or 0).lead_count == 6
    with transaction() as current:
        person = current.scalars(sa.select(Person).where(Person.public_id == "ada-0")).one()
        assert (person.first_name, person.last_name, person.position) == ("Augusta", "Number0", "Founder")
