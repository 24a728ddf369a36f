"""Bookings: signed calls over HTTP, applied once each and in any order; what is wrong with one holds up no other."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from app.core import clock as time
from app.core.clock import Movable
from app.core.db import end_read, session, transaction
from app.domain.conversations import meeting_links
from app.domain.conversations.meeting_links import Origin
from app.domain.platform import services
from app.domain.tasks.meetings import bookings, meetings
from app.models.campaigns import Campaign, CampaignLead
from app.models.meetings import Meeting
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, everyone, forward, message
from tests.support.booked import SECRET, cal, calendly, call, connect, invitee, signed
from tests.support.clients import Client

ADA = {"publicId": "accepts-ada", "firstName": "Ada", "email": "ada@example.com"}
BO = {"publicId": "accepts-bo", "firstName": "Bo", "email": "bo@example.com"}
BOTH = pytest.mark.parametrize("service", ["cal", "calendly"])


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    """Ada and Bo are under way in a campaign; the workspace takes meetings of both services."""
    found = a_campaign(acme, [ADA, BO], [INVITE, message("Hello"), message("Again", days=9)])
    forward(acme, days=2)
    for service in ("cal", "calendly"):
        connect(acme, service)
    return found


@pytest.fixture
def tell(client: Client, acme: Workspace) -> Callable[..., int]:
    """A call of a service with a right signature; how it is answered."""
    return lambda told, service="cal": call(client, acme, told, service).status_code


def stored(workspace: Workspace) -> list[Meeting]:
    """Its meetings as they are in the database."""
    end_read()
    query = sa.select(Meeting).where(Meeting.workspace_id == workspace.id).order_by(Meeting.id)
    return list(session().scalars(query.execution_options(populate_existing=True)))


def states(workspace: Workspace) -> list[tuple[str, str]]:
    """Each meeting's id at its service, and its state."""
    return [(one.ref, one.state) for one in stored(workspace)]


def lead(campaign: Campaign, name: str) -> CampaignLead:
    """Someone's place in the campaign."""
    session().expire_all()
    (found,) = [one for one in everyone(campaign).values() if one.person.first_name == name]
    return found


def told(workspace: Workspace) -> list[Any]:
    """The events of meetings."""
    end_read()
    query = sa.select(Event).where(Event.workspace_id == workspace.id, Event.kind == "meeting_booked")
    return list(session().scalars(query.order_by(Event.sequence)))


def a_booking(service: str, ref: str, email: str = "ada@example.com") -> dict[str, Any]:
    """A new meeting, as the service tells it."""
    return cal("BOOKING_CREATED", ref, email) if service == "cal" else calendly("invitee.created", ref, email)


def a_cancellation(service: str, ref: str) -> dict[str, Any]:
    """A canceled meeting, as the service tells it."""
    return cal("BOOKING_CANCELLED", ref) if service == "cal" else calendly("invitee.canceled", ref)


def a_move(service: str, former: str, ref: str) -> dict[str, Any]:
    """A meeting at another time, as the service tells it."""
    if service == "cal":
        return cal("BOOKING_RESCHEDULED", ref, rescheduleUid=former, startTime="2026-03-27T09:00:00Z")
    return calendly("invitee.created", ref, old_invitee=invitee(former))


@BOTH
def test_a_booked_meeting_ends_the_sequence_and_is_told_once(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], service: str
) -> None:
    """Only of the one who booked it; it counts for the campaign, and a repeated call changes nothing."""
    assert [tell(a_booking(service, "m1"), service) for _ in range(3)] == [200] * 3
    (meeting,) = stored(acme)
    ada = lead(campaign, "Ada")
    assert (meeting.service, meeting.state, meeting.person_id) == (service, "booked", ada.person_id)
    assert (meeting.campaign_id, meeting.email) == (campaign.id, "ada@example.com")
    assert meeting.starts_at is not None
    assert (ada.state, ada.reason) == ("finished", "meeting_booked")
    assert lead(campaign, "Bo").state == "active"
    (event,) = told(acme)
    assert (event.campaign_id, event.lead_id) == (campaign.id, ada.lead_id)
    assert meetings.counts([campaign.id]) == {campaign.id: 1}
    forward(acme, days=10)
    assert lead(campaign, "Ada").messages_sent < lead(campaign, "Bo").messages_sent


@BOTH
def test_a_canceled_meeting_does_not_count_and_nothing_is_sent_again(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], service: str
) -> None:
    tell(a_booking(service, "m1"), service)
    assert tell(a_cancellation(service, "m1"), service) == 200
    (meeting,) = stored(acme)
    assert (meeting.state, meeting.canceled_at is not None) == ("canceled", True)
    assert meetings.counts([campaign.id]) == {campaign.id: 0}
    assert lead(campaign, "Ada").state == "finished"


@BOTH
def test_a_moved_meeting_is_one_meeting_at_another_time(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], service: str
) -> None:
    """It stays with its person, counts once and is told once."""
    tell(a_booking(service, "m1"), service)
    tell(a_move(service, "m1", "m2"), service)
    former, meeting = stored(acme)
    assert (former.state, meeting.state) == ("moved", "booked")
    assert (meeting.person_id, meeting.campaign_id) == (former.person_id, campaign.id)
    assert meetings.counts([campaign.id]) == {campaign.id: 1}
    assert len(told(acme)) == 1


@BOTH
def test_calls_may_come_in_any_order(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], service: str
) -> None:
    """A move before the booking it moves, a cancellation before the booking it cancels."""
    tell(a_move(service, "m1", "m2"), service)
    tell(a_booking(service, "m1"), service)
    tell(a_cancellation(service, "m3"), service)
    tell(a_booking(service, "m3"), service)
    assert [state for _, state in states(acme)] == ["moved", "booked", "canceled"]
    assert len(told(acme)) == 1


def test_the_cancellation_of_a_moved_invitee_is_no_cancellation(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    tell(a_booking("calendly", "m1"), "calendly")
    gone = calendly("invitee.canceled", "m1", rescheduled=True, new_invitee=invitee("m2"))
    assert tell(gone, "calendly") == 200
    assert [state for _, state in states(acme)] == ["booked"]


@pytest.mark.parametrize(
    "made",
    [
        lambda token: ("cal", cal("BOOKING_CREATED", "m1", "private@mail.example", metadata={"utm_term": token})),
        lambda token: (
            "calendly",
            calendly("invitee.created", "m1", "private@mail.example", tracking={"utm_term": token}),
        ),
    ],
)
def test_the_link_says_whose_meeting_it_is_under_any_address(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], made: Callable[[str], tuple[str, dict[str, Any]]]
) -> None:
    bo = lead(campaign, "Bo")
    service, news = made(meeting_links.token(Origin(acme.id, bo.person_id, campaign.id, "2B")))
    tell(news, service)
    (meeting,) = stored(acme)
    assert (meeting.person_id, meeting.campaign_id, meeting.variant) == (bo.person_id, campaign.id, "2B")
    assert lead(campaign, "Bo").reason == "meeting_booked"


def test_a_link_of_another_workspace_says_nothing(
    acme: Workspace, rival: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    bo = lead(campaign, "Bo")
    token = meeting_links.token(Origin(rival.id, bo.person_id, campaign.id, ""))
    tell(cal("BOOKING_CREATED", "m1", "private@mail.example", metadata={"utm_term": token}))
    assert stored(acme)[0].person_id is None


def test_a_meeting_of_no_one_known_waits_for_a_member(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    tell(cal("BOOKING_CREATED", "m1", "stranger@mail.example"))
    assert (stored(acme)[0].person_id, meetings.unmatched(acme), told(acme)) == (None, 1, [])


def test_a_meeting_that_was_marked_by_hand_is_the_same_one(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    """The service's call completes it; it is told once."""
    ada = lead(campaign, "Ada")
    marked = Meeting(workspace_id=acme.id, service="", ref="conversation:1", at=acme.now())

    with transaction() as current:
        current.add(marked)
        current.flush()
        meetings.give(acme, marked, ada.person_id)
    tell(cal("BOOKING_CREATED", "m1"))
    (meeting,) = stored(acme)
    assert (meeting.service, meeting.ref, meeting.title) == ("cal", "m1", "30 minutes between Ines and Ada")
    assert len(told(acme)) == 1


@BOTH
@pytest.mark.parametrize("workspace", ["own", "foreign", "unknown"])
def test_a_call_without_a_right_signature_is_refused_alike(
    client: Client, acme: Workspace, rival: Workspace, campaign: Campaign, service: str, workspace: str
) -> None:
    """Whether the workspace takes meetings, or exists, does not show."""
    owner = {"own": acme, "foreign": rival}.get(workspace)
    path = f"/hooks/meetings/{service}/{owner.id if owner else 98765}"
    answer = client.post(path, data=b"{}", headers=signed(service, b"{}", "another secret of someone"))
    assert answer.status_code == 401
    assert answer.json == {"message": "No meetings are taken here, or the signature is wrong."}
    assert stored(acme) == []


def test_the_signature_is_of_the_bytes_that_came(client: Client, acme: Workspace, campaign: Campaign) -> None:
    body = b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": "m1"}}'
    answer = call(client, acme, body + b" ", "cal", **signed("cal", body))
    assert answer.status_code == 401
    assert call(client, acme, body, "cal").status_code == 200


@pytest.mark.parametrize("seconds", [-301, 301])
def test_an_old_call_of_calendly_is_refused(
    client: Client, acme: Workspace, campaign: Campaign, clock: Movable, seconds: int
) -> None:

    body = b'{"event": "invitee.created", "payload": {"uri": "m1"}}'
    late = signed("calendly", body, SECRET, time.now().timestamp() + seconds)
    assert call(client, acme, body, "calendly", **late).status_code == 401
    just = signed("calendly", body, SECRET, time.now().timestamp() + seconds // abs(seconds) * 299)
    assert call(client, acme, body, "calendly", **just).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"triggerEvent": "BOOKING_CREATED"}',
        b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": 7}}',
        b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": "\\u0000"}}',
        b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": "\\ud800"}}',
    ],
)
def test_a_call_that_cannot_be_read_is_noted_and_the_next_one_is_taken(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], body: bytes
) -> None:
    assert tell(body) == 200
    end_read()
    assert services.get(acme, "cal").failure == bookings.UNREADABLE
    assert tell(cal("BOOKING_CREATED", "m1")) == 200
    end_read()
    assert (services.get(acme, "cal").failure, len(stored(acme))) == ("", 1)


def test_odd_parts_of_a_readable_call_are_left_out(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    odd = {"attendees": "none", "responses": 7, "title": ["x"], "startTime": "soon", "endTime": None, "metadata": [1]}
    assert tell(cal("BOOKING_CREATED", "m1", **odd)) == 200
    (meeting,) = stored(acme)
    assert (meeting.name, meeting.email, meeting.title, meeting.starts_at) == ("", "", "", None)


def test_what_is_about_no_meeting_is_answered_and_dropped(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    assert tell({"triggerEvent": "PING", "payload": {}}) == 200
    assert tell({"event": "routing_form_submission.created", "payload": {}}, "calendly") == 200
    assert stored(acme) == []
