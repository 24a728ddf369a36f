"""Meetings in `/v1`: read, assigned and dismissed."""

from app.domain.webhooks.events import EVENTS
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message, only
from tests.domain.tasks.meetings.test_meetings import unmatched
from tests.support.booked import cal, call, connect
from tests.support.clients import Api, Client
from tests.support.movable import Movable


def test_meetings_are_listed_and_read(api: Api, acme: Workspace, client: Client, clock: Movable) -> None:
    campaign = a_campaign(acme, [{"publicId": "accepts-ada", "email": "ada@example.com"}], [INVITE, message()])
    forward(acme, days=2)
    connect(acme, "cal")
    call(client, acme, cal("BOOKING_CREATED", "m1"))
    (found,) = api.get("meetings").json["data"]
    assert (found["service"], found["state"], found["campaignId"]) == ("cal", "booked", campaign.id)
    assert (found["personId"], found["startsAt"]) == (only(campaign).person_id, "2026-03-20T09:00:00Z")
    assert api.get(f"meetings/{found['id']}").json == found
    assert api.get(f"campaigns/{campaign.id}/stats").json["totals"]["meetings"] == 1
    assert api.get("stats").json["pipeline"]["meetings"] == 1
    assert api.get("meetings", state="canceled").json["data"] == []
    (event,) = api.get("events", type="meeting_booked").json["data"]
    assert event["data"]["meeting"]["startsAt"] == "2026-03-20T09:00:00.000Z"
    assert set(event["data"]) <= set(EVENTS["meeting_booked"].parts)


def test_an_unmatched_meeting_is_assigned_or_dismissed(api: Api, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    first, second = unmatched(acme), unmatched(acme, "m2")
    assert len(api.get("meetings", unmatched="true").json["data"]) == 2
    person = only(campaign).person_id
    assert api.post(f"meetings/{first.id}/assign", {"personId": person}).json["personId"] == person
    assert api.post(f"meetings/{first.id}/assign", {"personId": person}).status_code == 409
    assert api.post(f"meetings/{second.id}/dismiss").json["dismissed"] is True
    assert api.get("meetings", unmatched="true").json["data"] == []
