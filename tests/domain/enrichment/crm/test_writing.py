"""What happens here goes to the CRM: every touch and answer once, contacts it is to know, and values it lacks."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.enrichment.crm import activities as told
from app.domain.enrichment.crm import connection, lists, writing
from app.domain.leads import edit, leads
from app.domain.leads import lists as lead_lists
from app.domain.webhooks import events
from app.domain.webhooks.events import NewEvent
from app.models.crm import CrmActivity, CrmFlow, Way
from app.models.leads import Lead
from app.models.workspaces import Workspace
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support.crms import activities, connect, contacts, flow, leads_of, people_of, read_again, read_all, write_all
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres


def happens(workspace: Workspace, event: str, lead: Lead, **message: Any) -> None:
    """An event about that person."""
    data = events.sample(event)
    data["lead"] = data["lead"] | {"id": lead.id}
    if "message" in data:
        data["message"] = data["message"] | message
    with transaction():
        events.record(workspace.id, [NewEvent(event, workspace.now(), None, data)])


def known_there(workspace: Workspace, hubspot: HubSpotServer, *names: str) -> list[Lead]:
    """People of a followed list."""
    ids = [hubspot.add("contacts", email=f"{name}@acme.example", firstname=name.title()) for name in names]
    hubspot.put_in_list("31", "Warm", ids)
    connect(workspace)
    row = lists.follow(workspace, "31")
    read_all(workspace)
    query = sa.select(Lead).where(Lead.list_id == row.list_id).order_by(Lead.id)
    return list(session().scalars(query))


def test_every_touch_and_answer_becomes_an_activity(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """Of its kind, with its text, at its time, joined to the contact; a meeting at the time it starts."""
    [ada] = known_there(live, hubspot, "ada")
    happens(live, "invite_sent", ada, kind="connection_request", text="Hello Ada")
    happens(live, "message_sent", ada, kind="email", text="Dear Ada", at="2026-01-15T10:20:00.000Z")
    happens(live, "every_reply", ada, text="Yes please")
    happens(live, "lead_auto_tagged_positive", ada)
    happens(live, "profile_viewed", ada)
    happens(live, "meeting_booked", ada)
    write_all(live, clock)
    [contact] = hubspot.records["contacts"]
    [email] = hubspot.told("emails")
    assert email["hs_email_text"] == "Dear Ada"
    assert email["hs_email_subject"] == "Email sent: Spring outreach"
    assert email["hs_timestamp"] == "2026-01-15T10:20:00+00:00"
    assert email["contacts"] == [contact]
    assert sorted(one["hs_communication_body"] for one in hubspot.told("communications")) == [
        "Connection request sent: Spring outreach\nHello Ada",
        "Replied: Spring outreach\nYes please",
    ]
    assert [one["hs_note_body"] for one in hubspot.told("notes")] == ["Stage: interested: Spring outreach"]
    [meeting] = hubspot.told("meetings")
    assert meeting["hs_meeting_title"] == "Meeting booked: Spring outreach"
    assert meeting["hs_meeting_body"] == "30 minutes"
    assert meeting["hs_meeting_start_time"] == meeting["hs_timestamp"] == "2026-01-20T09:00:00+00:00"
    assert {one.state for one in activities(live)} == {"sent"}
    assert {one.text for one in activities(live)} == {""}


def test_an_answer_that_was_lost_doubles_nothing(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """The activity is there; it is sent again under its key, also by another worker, and is there once."""
    [ada] = known_there(live, hubspot, "ada")
    happens(live, "message_sent", ada)
    lost = ["/crm/v3/objects/communications/batch/upsert"]
    hubspot.lose = lambda path: path in lost and bool(lost.pop())
    write_all(live, clock)
    assert [one.state for one in activities(live)] == ["sending"]
    assert flow(live, Way.OUT).note
    clock.forward(minutes=2)
    write_all(live, clock)
    assert [one.state for one in activities(live)] == ["sent"]
    assert len(hubspot.told("communications")) == 1
    assert len(hubspot.told("communications")[0]["contacts"]) == 1
    hubspot.wrong = lambda path: ("", 500) if "upsert" in path else None
    happens(live, "message_sent", ada)
    write_all(live, clock)
    assert [one.state for one in activities(live)] == ["sent", "sending"]
    hubspot.wrong = lambda path: None
    clock.forward(minutes=5)
    write_all(live, clock)
    keys = {one["overture_key"] for one in hubspot.told("communications")}
    assert keys == set(session().scalars(sa.select(CrmActivity.key)))
    assert len(hubspot.told("communications")) == 2


def test_activities_go_in_batches(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """A hundred of a kind in one call, and one to join them."""
    [ada] = known_there(live, hubspot, "ada")
    for _ in range(120):
        happens(live, "message_sent", ada)
    hubspot.asked.clear()
    write_all(live, clock)
    paths = [path for path, _ in hubspot.asked]
    assert paths.count("/crm/v3/objects/communications/batch/upsert") == 2
    assert len(hubspot.told("communications")) == 120


def test_one_that_is_refused_holds_up_no_other(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """It fails with the CRM's sentence, and can be tried again; so do those of a contact that is gone."""
    ada, bob = known_there(live, hubspot, "ada", "bob")
    for text in ("One", "Please refuse me", "Three"):
        happens(live, "message_sent", ada, text=text)
    write_all(live, clock)
    assert [one.state for one in activities(live)] == ["sent", "failed", "sent"]
    assert "A value was not valid" in activities(live)[1].error
    with transaction():
        activities(live)[1].text = "Now it is fine"
    assert told.retry(live) == 1
    write_all(live, clock)
    assert [one.state for one in activities(live)] == ["sent"] * 3
    with pytest.raises(Conflict):
        told.retry(live)
    del hubspot.records["contacts"][contacts(live)["ada@acme.example"].external_id]
    happens(live, "message_sent", ada)
    happens(live, "message_sent", bob)
    write_all(live, clock)
    assert [(one.state, one.error) for one in activities(live)[3:]] == [
        ("failed", "This contact was deleted in HubSpot."),
        ("sent", ""),
    ]


@pytest.mark.parametrize(("create", "made"), [("no", 0), ("reply", 1), ("all", 2)])
def test_contacts_are_made_as_the_settings_say(
    live: Workspace, hubspot: HubSpotServer, clock: Movable, create: str, made: int
) -> None:
    """Of no one, of who answered, or of everyone who was contacted; once each, whatever answer is lost."""
    connect(live)
    connection.change(live, {"create": create})
    read_all(live)
    own = lead_lists.create_list(live, "Own").id
    given = [{"email": f"{name}@own.example", "firstName": name.title()} for name in ("ada", "bob")]
    leads.add(live, own, given, by_email=True)
    ada, bob = session().scalars(sa.select(Lead).where(Lead.list_id == own).order_by(Lead.id))
    for someone in (ada, bob):
        happens(live, "message_sent", someone)
    happens(live, "every_reply", bob)
    lost = ["/crm/v3/objects/contacts/batch/upsert"]
    hubspot.lose = lambda path: path in lost and bool(lost.pop())
    write_all(live, clock)
    clock.forward(minutes=2)
    write_all(live, clock)
    assert len(hubspot.records["contacts"]) == made
    names = {each["properties"]["firstname"] for each in hubspot.records["contacts"].values()}
    assert names <= {"Ada", "Bob"}
    assert len(hubspot.activities()) == {0: 0, 1: 1, 2: 3}[made]
    assert len(contacts(live)) == made


def test_values_go_out_where_the_crm_has_none(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """Never over a value that is there, unless ours wins and no person typed it there."""
    ada = hubspot.add("contacts", email="ada@acme.example", jobtitle="Typed there")
    hubspot.put("contacts", ada, by="INTEGRATION", city="Old")
    hubspot.put_in_list("31", "Warm", [ada])
    connect(live)
    fields = {name: {"incoming": "fill", "outgoing": "ours"} for name in ("position", "location")}
    connection.change(live, {"fields": fields})
    row = lists.follow(live, "31")
    read_all(live)
    [lead] = leads_of(row.list_id or 0)
    edit.change(live, lead.id, {"position": "Ours", "location": "New", "phone": "+351 3"})
    write_all(live, clock)
    there = hubspot.records["contacts"][ada]["properties"]
    assert (there["jobtitle"], there["city"], there["phone"]) == ("Typed there", "New", "+351 3")
    assert people_of(row.list_id or 0)["ada@acme.example"].position == "Ours"


def test_what_we_wrote_does_not_come_back(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """Reading it changes nothing here, and then there is nothing to write."""
    [ada] = known_there(live, hubspot, "ada")
    edit.change(live, ada.id, {"phone": "+351 3"}, "api")
    write_all(live, clock)
    before = people_of(ada.list_id or 0)["ada@acme.example"].origins
    for _ in range(3):
        clock.forward(hours=2)
        read_again(live)
        hubspot.asked.clear()
        write_all(live, clock)
        assert not [path for path, _ in hubspot.asked if "/batch/" in path]
    assert people_of(ada.list_id or 0)["ada@acme.example"].origins == before


def test_an_older_answer_does_not_undo_what_was_written(
    live: Workspace, hubspot: HubSpotServer, clock: Movable
) -> None:
    """A search may show a contact as it was before."""
    [ada] = known_there(live, hubspot, "ada")
    external_id = contacts(live)["ada@acme.example"].external_id
    hubspot.put("contacts", external_id, phone="+351 1")
    read_again(live)
    old = dict(hubspot.records["contacts"][external_id]["properties"])
    clock.forward(minutes=1)
    connection.change(live, {"fields": {"phone": {"incoming": "fill", "outgoing": "ours"}}})
    hubspot.typed[external_id, "phone"] = "INTEGRATION"
    edit.change(live, ada.id, {"phone": "+351 2"}, "api")
    write_all(live, clock)
    assert hubspot.records["contacts"][external_id]["properties"]["phone"] == "+351 2"
    hubspot.records["contacts"][external_id]["properties"] = old
    read_again(live)
    assert contacts(live)["ada@acme.example"].values["phone"] == "+351 2"


def test_both_sides_cannot_win(live: Workspace, hubspot: HubSpotServer) -> None:
    """Then each change would call for the next one."""
    connect(live)
    with pytest.raises(InvalidRequest) as caught:
        connection.change(live, {"fields": {"phone": {"outgoing": "ours"}, "owner": {"outgoing": "fill"}, "size": {}}})
    assert [one.path for one in caught.value.fields] == ["fields.phone", "fields.owner", "fields.size"]


def test_no_event_is_told_from_before_the_crm_was_connected(
    live: Workspace, hubspot: HubSpotServer, clock: Movable
) -> None:
    own = lead_lists.create_list(live, "Own").id
    leads.add(live, own, [{"email": "ada@acme.example"}], by_email=True)
    [ada] = session().scalars(sa.select(Lead).where(Lead.list_id == own))
    happens(live, "every_reply", ada)
    connect(live)
    connection.change(live, {"activities": False})
    happens(live, "every_reply", ada)
    write_all(live, clock)
    connection.change(live, {"activities": True})
    write_all(live, clock)
    assert activities(live) == []


def test_one_flow_does_not_wait_for_the_other(live: Workspace, hubspot: HubSpotServer, clock: Movable) -> None:
    """Each has its own place and its own claim."""
    [ada] = known_there(live, hubspot, "ada")
    happens(live, "message_sent", ada)
    with transaction():
        flow(live, Way.IN).claimed_until = clock.at.replace(year=2030)
    write_all(live, clock)
    assert [one.state for one in activities(live)] == ["sent"]
    assert [one.key for one in writing.due(10)] == []
    assert session().scalar(sa.select(sa.func.count()).select_from(CrmFlow)) == 2
