"""What a CRM says comes in: contacts, companies, owners, deals, do-not-contact, and lists that are followed."""

from datetime import timedelta

import pytest

from app.core.db import session
from app.core.errors import Conflict, NotFound
from app.domain.enrichment.crm import connection, lists, reading
from app.domain.leads import edit, leads
from app.domain.leads import lists as lead_lists
from app.domain.people.exclusions import never_contact
from app.domain.platform import services
from app.domain.privacy import erasure
from app.models.crm import Way
from app.models.workspaces import Workspace
from tests.providers.crm.hubspot_server import HubSpotServer, Limits
from tests.support.crms import connect, contacts, flow, leads_of, now, people_of, read_again, read_all
from tests.support.movable import Movable


def add(hubspot: HubSpotServer, name: str, **more: str) -> str:
    """A contact of that first name."""
    return hubspot.add("contacts", email=f"{name}@acme.example", firstname=name.title(), **more)


def test_a_connected_crm_is_read_by_itself(live: Workspace, hubspot: HubSpotServer) -> None:
    """Page by page to the end, with the names of owners; between two passes nothing is asked."""
    hubspot.owners.append({"id": "7", "firstName": "Ines", "lastName": "Duarte"})
    for number in range(120):
        add(hubspot, f"p{number}", hubspot_owner_id="7", lifecyclestage="lead")
    connect(live)
    assert [one.workspace_id for one in reading.due(10)] == [live.id]
    read_all(live)
    assert len(contacts(live)) == 120
    assert connection.get(live).owners == {"7": "Ines Duarte"}
    there = flow(live, Way.IN)
    assert (there.stage, there.error, there.due_at) == ("", "", now() + reading.EVERY)
    assert reading.due(10) == []
    asked = len(hubspot.asked)
    assert reading.run(there.id) == 0
    assert len(hubspot.asked) == asked


def test_only_changes_are_read_after_a_whole_pass(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """By a search from shortly before the last pass began; once a day everything, and who is gone is forgotten."""
    ada, bob = add(hubspot, "ada"), add(hubspot, "bob")
    connect(live)
    read_all(live)
    clock.forward(hours=1)
    hubspot.put("contacts", ada, jobtitle="Head of Sales")
    hubspot.asked.clear()
    read_all(live)
    paths = [path for path, _ in hubspot.asked]
    assert "/crm/v3/objects/contacts/search" in paths
    assert "/crm/v3/objects/contacts" not in paths
    assert contacts(live)["ada@acme.example"].values["position"] == "Head of Sales"
    del hubspot.records["contacts"][bob]
    clock.forward(days=1)
    read_all(live)
    assert set(contacts(live)) == {"ada@acme.example"}


def test_more_changes_than_a_search_shows_are_all_read(
    live: Workspace, hubspot: HubSpotServer, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next search begins with the moment at which the last one ended, of which it did not show everyone."""
    monkeypatch.setattr("app.providers.crm.hubspot.SEARCHED", 2)
    monkeypatch.setattr("app.providers.crm.hubspot.FOUND", 4)
    people = [add(hubspot, f"p{number}") for number in range(7)]
    connect(live)
    read_all(live)
    clock.forward(hours=1)
    for number, person in enumerate(people):
        hubspot.put("contacts", person, jobtitle="Head of Sales")
        clock.forward(seconds=number % 3 // 2)
    read_all(live)
    assert {one.values["position"] for one in contacts(live).values()} == {"Head of Sales"}


def test_a_followed_list_stays_up_to_date(live: Workspace, hubspot: HubSpotServer) -> None:
    """Who joins there joins here, who leaves there leaves here; whom a member took out stays out."""
    ada, bob, cleo = (add(hubspot, name, company="Acme") for name in ("ada", "bob", "cleo"))
    hubspot.put_in_list("31", "Warm leads", [ada, bob])
    connect(live)
    read_all(live)
    assert [(one.id, one.name, one.size) for one in connection.offered_lists(live)] == [("31", "Warm leads", 2)]
    row = lists.follow(live, "31")
    read_all(live)
    list_id = row.list_id or 0
    assert lead_lists.get_list(live, list_id).name == "Warm leads"
    assert set(people_of(list_id)) == {"ada@acme.example", "bob@acme.example"}
    assert people_of(list_id)["ada@acme.example"].first_name == "Ada"
    hubspot.put_in_list("31", "Warm leads", [bob, cleo])
    read_again(live)
    assert set(people_of(list_id)) == {"bob@acme.example", "cleo@acme.example"}
    assert lead_lists.get_list(live, list_id).lead_count == 2
    [bobs] = leads_of(list_id)[:1]
    leads.remove(live, list_id, [bobs.id])
    read_again(live)
    assert set(people_of(list_id)) == {"cleo@acme.example"}
    lists.unfollow(live, row.id)
    assert set(people_of(list_id)) == {"cleo@acme.example"}


def test_a_list_that_is_gone_there_says_so(live: Workspace, hubspot: HubSpotServer) -> None:
    ada = add(hubspot, "ada")
    hubspot.put_in_list("31", "Gone soon", [ada])
    hubspot.put_in_list("32", "Stays", [ada])
    connect(live)
    first, second = lists.follow(live, "31"), lists.follow(live, "32")
    del hubspot.lists["31"]
    read_again(live)
    errors = {one.id: one.error for one in connection.status(live).lists}
    assert errors == {first.id: "This list was deleted in HubSpot.", second.id: ""}
    assert set(people_of(second.list_id or 0)) == {"ada@acme.example"}


def test_fields_come_in_as_the_table_says(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """The CRM wins, fills, or says nothing; what a member typed here stays."""
    ada = add(hubspot, "ada", jobtitle="Sales", phone="+351 1", city="Porto", lifecyclestage="lead")
    hubspot.put_in_list("31", "Warm", [ada])
    connect(live)
    connection.change(live, {"fields": {"phone": {"incoming": "fill"}, "location": {"incoming": "off"}}})
    row = lists.follow(live, "31")
    read_all(live)
    person = people_of(row.list_id or 0)["ada@acme.example"]
    assert (person.position, person.phone, person.location) == ("Sales", "+351 1", "")
    assert person.custom_fields == {"crm_stage": "lead"}
    [lead] = leads_of(row.list_id or 0)
    edit.change(live, lead.id, {"lastName": "Byron"})
    clock.forward(hours=1)
    hubspot.put("contacts", ada, jobtitle="Head", phone="+351 2", lastname="Lovelace", lifecyclestage="customer")
    read_all(live)
    person = people_of(row.list_id or 0)["ada@acme.example"]
    assert (person.position, person.phone, person.last_name) == ("Head", "+351 1", "Byron")
    assert person.custom_fields == {"crm_stage": "customer"}


def test_who_opted_out_there_is_not_contacted_until_they_opt_in(
    live: Workspace, hubspot: HubSpotServer, clock: Movable
) -> None:
    """By the opt-out of email and by the lead statuses that were chosen; an owner cannot remove the entry here."""
    add(hubspot, "ada", hs_email_optout="true")
    add(hubspot, "bob", hs_lead_status="UNQUALIFIED")
    connect(live)
    read_all(live)
    assert [one.label for one in entries(live)] == ["ada@acme.example"]
    connection.change(live, {"stop_statuses": ["UNQUALIFIED"]})
    read_all(live)
    assert [one.label for one in entries(live)] == ["ada@acme.example", "bob@acme.example"]
    with pytest.raises(Conflict):
        never_contact.remove(live, entries(live)[0].id)
    clock.forward(hours=1)
    hubspot.put("contacts", contacts(live)["ada@acme.example"].external_id, hs_email_optout="false")
    read_all(live)
    assert [one.label for one in entries(live)] == ["bob@acme.example"]


def entries(workspace: Workspace) -> list[never_contact.NeverContact]:
    query = never_contact.page(workspace).order_by(never_contact.NeverContact.label)
    return list(session().scalars(query))


def test_customers_and_open_deals_are_known(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """Of contacts and of companies; a deal that closes is open no more."""
    ada, bob = add(hubspot, "ada", lifecyclestage="customer"), add(hubspot, "bob")
    company = hubspot.add("companies", name="Acme", domain="www.acme.example", lifecyclestage="customer")
    deal = hubspot.add("deals", dealname="Big", hs_is_closed="false")
    hubspot.records["deals"][deal] |= {"contacts": [bob], "companies": [company]}
    connect(live)
    read_all(live)
    told = [(one.customer, one.open_deal) for _, one in sorted(contacts(live).items())]
    assert told == [(True, False), (False, True)]
    hubspot.put("deals", deal, hs_is_closed="true")
    clock.forward(hours=1)
    read_all(live)
    assert not contacts(live)["bob@acme.example"].open_deal
    assert ada in {one.external_id for one in contacts(live).values()}


def test_a_limit_is_waited_for_as_long_as_the_crm_says(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """With its sentence; then it goes on where it was."""
    for number in range(250):
        add(hubspot, f"p{number}")
    connect(live)
    hubspot.limits = Limits(burst=3, window=30)
    read_all(live)
    there = flow(live, Way.IN)
    assert "request limit" in there.note
    assert there.stage == "contacts"
    assert timedelta(0) < (there.due_at or now()) - now() <= timedelta(seconds=30)
    hubspot.limits = Limits()
    clock.forward(seconds=31)
    read_all(live)
    assert len(contacts(live)) == 250
    assert flow(live, Way.IN).note == ""


def test_a_withdrawn_token_stops_and_says_what_to_do(live: Workspace, hubspot: HubSpotServer) -> None:
    add(hubspot, "ada")
    connect(live)
    hubspot.keys = {"new"}
    read_all(live)
    assert "Create a new token and connect again" in flow(live, Way.IN).error
    connect(live, token="new")
    read_all(live)
    assert (flow(live, Way.IN).error, set(contacts(live))) == ("", {"ada@acme.example"})


def test_a_disconnected_crm_is_forgotten_and_people_stay(live: Workspace, hubspot: HubSpotServer) -> None:
    """With its contacts; the list and its people are ours."""
    ada = add(hubspot, "ada")
    hubspot.put_in_list("31", "Warm", [ada])
    connect(live)
    row = lists.follow(live, "31")
    read_all(live)
    list_id = row.list_id or 0
    services.disconnect(live, "hubspot")
    assert contacts(live) == {}
    assert set(people_of(list_id)) == {"ada@acme.example"}
    with pytest.raises(NotFound):
        connection.status(live)


def test_an_erased_person_is_forgotten_and_not_read_again(
    live: Workspace, hubspot: HubSpotServer, clock: Movable
) -> None:
    """Neither by a whole pass, nor with the list that they are still in there."""
    hubspot.put_in_list("31", "Warm", [add(hubspot, "ada"), add(hubspot, "bob")])
    connect(live)
    row = lists.follow(live, "31")
    read_all(live)
    ada = people_of(row.list_id or 0)["ada@acme.example"]
    [lead] = [one for one in leads_of(row.list_id or 0) if one.person_id == ada.id]
    erasure.erase(live, lead.id)
    clock.forward(days=2)
    read_all(live)
    assert set(contacts(live)) == {"bob@acme.example"}
    assert set(people_of(row.list_id or 0)) == {"bob@acme.example"}


def test_a_search_goes_on_past_its_end(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """HubSpot shows 10,000 results of a search; more changed than that."""
    connect(live)
    read_all(live)
    clock.forward(minutes=20)
    for number in range(10_050):
        if number % 1000 == 0:
            clock.forward(milliseconds=1)
        add(hubspot, f"p{number}")
    read_again(live)
    assert len(contacts(live)) == 10_050
