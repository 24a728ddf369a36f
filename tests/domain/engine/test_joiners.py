"""Open campaigns: people who come into their lists join, by whichever door, some a day, through all gates."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import source_people
from app.domain.autopilot.monitors import found_people, monitors
from app.domain.campaigns import campaigns
from app.domain.campaigns.changes import change_lists, changes
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.engine import joiners, lifecycle
from app.domain.enrichment.crm import lists as crm_lists
from app.domain.leads import company_people, leads, listed_companies, lists, merge_people, removals, search_import
from app.domain.leads.campaign_leads import why_waiting
from app.domain.people.exclusions import never_contact
from app.domain.replies.referral import Referral as Named
from app.domain.senders import accounts
from app.domain.tasks import referrals
from app.models.autopilot import SourceConnection
from app.models.campaigns import Campaign, CampaignStatus, LeadState
from app.models.leads import Lead, LeadList
from app.models.people import Person
from app.models.tasks import Referral
from app.models.workspaces import Workspace
from app.ports import Visitor
from tests.domain.autopilot.monitors.watching import a_monitor, look
from tests.domain.leads.test_csv_import import run as import_file
from tests.domain.leads.test_listed_companies import ids as company_ids
from tests.domain.outreach import (
    VIEW,
    a_campaign,
    a_list,
    acts,
    assert_counters_hold,
    email,
    everyone,
    forward,
    fresh,
    person_id,
)
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support.crms import connect, hubspot_at, read_all
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, Shown, read_out, showing

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


HANDLES = tuple(f"ada-{number}" for number in range(4))  # whom the network shows; the last must not be contacted
LINKS = [f"https://www.linkedin.com/in/{handle}" for handle in HANDLES]
MAILS = [f"{handle}@people.example" for handle in HANDLES]


def called(workspace: Workspace, list_id: int, clock: Movable) -> None:
    add(workspace, list_id, *HANDLES)


def pasted(workspace: Workspace, list_id: int, clock: Movable) -> None:
    leads.add_links(workspace, list_id, "\n".join(LINKS))


def typed(workspace: Workspace, list_id: int, clock: Movable) -> None:
    for address in MAILS:
        leads.add_person(workspace, list_id, {"email": address}, ())


def imported(workspace: Workspace, list_id: int, clock: Movable) -> None:
    import_file(workspace, session().get_one(LeadList, list_id), "\n".join(["email", *MAILS]))


def searched(workspace: Workspace, list_id: int, clock: Movable) -> None:
    account = accounts.every(workspace)[0]
    read_out(workspace, clock, search_import.start(workspace, list_id, account.id, ADDRESS))


def known_at_a_company(workspace: Workspace, list_id: int, clock: Movable) -> None:
    a_list(workspace, [{"email": address, "companyUrl": "https://people.example"} for address in MAILS], "Known")
    firms = lists.create_list(workspace, "Firms", "companies").id
    listed_companies.add(workspace, firms, [{"website": "people.example"}])
    company_people.look_up(workspace, firms, company_ids(workspace, firms), list_id)


def in_the_crm(workspace: Workspace, list_id: int, clock: Movable) -> None:
    server = HubSpotServer(clock=clock)
    hubspot_at(server)
    with transaction() as current:
        current.get_one(Workspace, workspace.id).sandbox = False
    server.put_in_list("31", "Warm", [server.add("contacts", email=address) for address in MAILS])
    connect(workspace)
    read_all(workspace)
    row = crm_lists.follow(workspace, "31")
    with transaction():
        row.list_id = list_id
    read_all(workspace)
    server.stop()


def found_and_accepted(workspace: Workspace, list_id: int, clock: Movable) -> None:
    monitor = look(clock, a_monitor(workspace, list_id=list_id))
    found_people.decide(workspace, monitor.id, True)


def found_by_itself(workspace: Workspace, list_id: int, clock: Movable) -> None:
    monitor = a_monitor(workspace, list_id=list_id)
    monitors.set_automatic(workspace, monitor.id, True)
    look(clock, monitor)


def found_for_the_campaign(workspace: Workspace, list_id: int, clock: Movable) -> None:
    campaign_id = session().scalar(sa.select(Campaign.id).where(Campaign.list_id == list_id))
    monitor = look(clock, a_monitor(workspace, list_id=list_id, campaign_id=campaign_id))
    found_people.decide(workspace, monitor.id, True)


def found_by_a_signal(workspace: Workspace, list_id: int, clock: Movable) -> None:
    monitor = look(clock, a_monitor(workspace, kind="signal", list_id=list_id))
    found_people.decide(workspace, monitor.id, True)


def named_in_a_reply(workspace: Workspace, list_id: int, clock: Movable) -> None:
    a_list(workspace, ["ignores-bob"], "Others")
    with transaction():
        for address in MAILS:
            named = Named("Ada Number", address, said="Talk to Ada.")
            referrals.note(workspace, person_id(workspace, "ignores-bob"), None, named)
    for one in session().scalars(sa.select(Referral).order_by(Referral.id)).all():
        with suppress(Conflict):  # of who must not be contacted
            referrals.add(workspace, one.id, list_id, {"email": one.email})


def put_there_by_a_rule(workspace: Workspace, list_id: int, clock: Movable) -> None:
    a_list(workspace, HANDLES, "Who replied")
    into = session().get_one(LeadList, list_id)
    for one in session().scalars(sa.select(Person).where(Person.public_id.in_(HANDLES))).all():
        with transaction():
            leads.put_in_list(workspace, into, one.id)


def visited(workspace: Workspace, list_id: int, clock: Movable) -> None:
    source = SourceConnection(workspace_id=workspace.id, kind="posthog", list_id=list_id)
    people = [Visitor(email=address, page="Pricing", at=workspace.now()) for address in MAILS]
    source_people.visitors(workspace, source, people)


WAYS_IN: list[Callable[[Workspace, int, Movable], None]] = [
    *(called, pasted, typed, imported, searched, known_at_a_company, in_the_crm, found_and_accepted, found_by_itself),
    *(found_for_the_campaign, found_by_a_signal, named_in_a_reply, put_there_by_a_rule, visited),
]


@pytest.mark.parametrize("way_in", WAYS_IN, ids=lambda way_in: way_in.__name__)
def test_every_way_into_a_list_is_a_way_into_its_open_campaign(
    acme: Workspace, rival: Workspace, clock: Movable, way_in: Callable[[Workspace, int, Movable], None]
) -> None:
    """So many a day, in the next seconds and on the next day; who must not be contacted does not join."""
    theirs = opened(rival, people=("ignores-ada",))
    never_contact.add(acme, [("person", HANDLES[-1]), ("email", MAILS[-1])])
    campaign = a_campaign(acme, [], [VIEW, email()], start=False)
    joiners.choose(acme, campaign.id, 2)
    campaigns.start(acme, campaign.id)
    lifecycle.run(acme)
    with showing(Shown(people=len(HANDLES))):
        way_in(acme, campaign.list_id or 0, clock)
    lifecycle.run(acme)
    people = lists.get_list(acme, campaign.list_id or 0).lead_count
    found = joiners.today(acme, fresh(campaign))
    assert people > 2
    assert (found.joined_today, found.waiting) == (2, people - 2)
    clock.forward(days=1)
    lifecycle.run(acme)
    assert joiners.today(acme, fresh(campaign)).joined_today == min(2, people - 2)
    assert not {HANDLES[-1], MAILS[-1]} & everyone(campaign).keys()
    assert list(everyone(theirs)) == ["ignores-ada"]


def test_a_person_who_comes_back_when_a_merge_is_undone_joins(acme: Workspace, rival: Workspace) -> None:
    """The campaign passed over their place in the list while it was the kept person's, who is in it."""
    theirs = opened(rival)
    campaign = opened(acme)
    campaigns.pause(acme, campaign.id)
    add(acme, campaign.list_id, "ignores-bob")
    keep = person_id(acme, "ignores-ada")
    places = session().scalars(sa.select(Lead.id).where(Lead.person_id == keep)).all()
    leads.remove(acme, campaign.list_id or 0, places)
    name = merge_people.merge_people(acme, keep, person_id(acme, "ignores-bob"))
    campaigns.resume(acme, campaign.id)
    lifecycle.run(acme)
    assert set(everyone(campaign)) == {"ignores-ada"}
    merge_people.MERGED.undo(acme, name, keep=keep)
    lifecycle.run(acme)
    assert set(everyone(campaign)) == {"ignores-ada", "ignores-bob"}
    assert set(everyone(theirs)) == {"ignores-ada"}
