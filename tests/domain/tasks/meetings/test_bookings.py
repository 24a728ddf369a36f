"""Bookings: signed calls over HTTP, applied once each and in any order; what is wrong with one holds up no other."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from app.core import clock as time
from app.core.db import end_read, session, transaction
from app.domain.conversations import meeting_links
from app.domain.conversations.meeting_links import Origin
from app.domain.platform import services
from app.domain.tasks.meetings import bookings, meetings
from app.models.campaigns import Campaign
from app.models.meetings import Meeting
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message
from tests.domain.tasks.meetings.test_meetings import ADA, BO, lead
from tests.support.booked import SECRET, cal, calendly, call, connect, invitee, signed
from tests.support.clients import Client
from tests.support.movable import Movable

BOTH = pytest.mark.parametrize("service", ["cal", "calendly"])


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    found = a_campaign(acme, [ADA, BO], [INVITE, message("Hello"), message("Again", days=9)])
    forward(acme, days=2)
    for service in ("cal", "calendly"):
        connect(acme, service)
    return found


@pytest.fixture
def tell(client: Client, acme: Workspace) -> Callable[..., int]:
    return lambda told, service="cal": call(client, acme, told, service).status_code


def stored(workspace: Workspace) -> list[Meeting]:
    end_read()
    query = sa.select(Meeting).where(Meeting.workspace_id == workspace.id).order_by(Meeting.id)
    return list(session().scalars(query.execution_options(populate_existing=True)))


def states(workspace: Workspace) -> list[tuple[str, str]]:
    return [(one.ref, one.state) for one in stored(workspace)]


def told(workspace: Workspace) -> list[Any]:
    end_read()
    query = sa.select(Event).where(Event.workspace_id == workspace.id, Event.kind == "meeting_booked")
    return list(session().scalars(query.order_by(Event.sequence)))


def a_booking(service: str, ref: str, email: str = "ada@example.com") -> dict[str, Any]:
    return cal("BOOKING_CREATED", ref, email) if service == "cal" else calendly("invitee.created", ref, email)


def a_cancellation(service: str, ref: str) -> dict[str, Any]:
    return cal("BOOKING_CANCELLED", ref) if service == "cal" else calendly("invitee.canceled", ref)


def a_move(service: str, former: str, ref: str) -> dict[str, Any]:
    if service == "cal":
        return cal("BOOKING_RESCHEDULED", ref, rescheduleUid=former, startTime="2026-03-27T09:00:00Z")
    return calendly("invitee.created", ref, old_invitee=invitee(former))


@BOTH
def test_a_booked_meeting_ends_the_sequence_and_is_told_once(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int], service: str
) -> None:
    """Only of the one who booked it. Moved, it counts once; canceled, not at all, and nothing is sent again."""
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
    assert meetings.of_workspace(acme) == 1
    tell(a_move(service, "m1", "m2"), service)
    former, meeting = stored(acme)
    assert (former.state, meeting.state) == ("moved", "booked")
    assert (meeting.person_id, meeting.campaign_id) == (former.person_id, campaign.id)
    assert meetings.of_workspace(acme) == 1
    assert tell(a_cancellation(service, "m2"), service) == 200
    meeting = stored(acme)[-1]
    assert (meeting.state, meeting.canceled_at is not None) == ("canceled", True)
    assert meetings.of_workspace(acme) == 0
    assert len(told(acme)) == 1
    forward(acme, days=10)
    assert lead(campaign, "Ada").state == "finished"
    assert lead(campaign, "Ada").messages_sent < lead(campaign, "Bo").messages_sent


@BOTH
def test_calls_come_in_any_order(acme: Workspace, campaign: Campaign, tell: Callable[..., int], service: str) -> None:
    """A move before the booking it moves, a cancellation before the booking it cancels."""
    tell(a_move(service, "m1", "m2"), service)
    tell(a_booking(service, "m1"), service)
    tell(a_cancellation(service, "m3"), service)
    tell(a_booking(service, "m3"), service)
    assert [state for _, state in states(acme)] == ["moved", "booked", "canceled"]
    assert len(told(acme)) == 1


def test_the_link_says_whose_meeting_it_is_under_any_address(
    acme: Workspace, rival: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    """One of another workspace says nothing, and the meeting of no one known waits for a member."""
    bo = lead(campaign, "Bo")
    theirs = meeting_links.token(Origin(rival.id, bo.person_id, campaign.id, ""))
    tell(cal("BOOKING_CREATED", "m0", "stranger@mail.example", metadata={"utm_term": theirs}))
    assert (stored(acme)[0].person_id, meetings.unmatched(acme), told(acme)) == (None, 1, [])
    token = {"utm_term": meeting_links.token(Origin(acme.id, bo.person_id, campaign.id, "2B"))}
    tell(cal("BOOKING_CREATED", "m1", "private@mail.example", metadata=token))
    tell(calendly("invitee.created", "m2", "private@mail.example", tracking=token), "calendly")
    for meeting in stored(acme)[1:]:
        assert (meeting.person_id, meeting.campaign_id, meeting.variant) == (bo.person_id, campaign.id, "2B")
    assert lead(campaign, "Bo").reason == "meeting_booked"


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


def test_a_call_without_a_right_signature_is_refused_alike(
    client: Client, acme: Workspace, rival: Workspace, campaign: Campaign
) -> None:
    """Of the bytes that came, and not long ago; whether the workspace takes meetings, or exists, does not show."""
    for service in ("cal", "calendly"):
        for number in (acme.id, rival.id, 98765):
            wrong = signed(service, b"{}", "another secret of someone")
            answer = client.post(f"/hooks/meetings/{service}/{number}", data=b"{}", headers=wrong)
            assert answer.status_code == 401
            assert answer.json == {"message": "No meeting service is connected here, or the signature is wrong."}
    body = b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": "m1"}}'
    assert call(client, acme, body + b" ", "cal", **signed("cal", body)).status_code == 401
    body = b'{"event": "invitee.created", "payload": {"uri": "m1"}}'
    for seconds, status in ((-301, 401), (301, 401), (-299, 200), (299, 200)):
        late = signed("calendly", body, SECRET, time.now().timestamp() + seconds)
        assert call(client, acme, body, "calendly", **late).status_code == status, seconds
        assert status == 200 or stored(acme) == []


def test_a_call_that_cannot_be_read_is_noted_and_the_next_one_is_taken(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    """Odd parts of a readable one are left out, and what is about no meeting is dropped."""
    for body in (
        b"",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"triggerEvent": "BOOKING_CREATED"}',
        b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": 7}}',
        b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": "\\u0000"}}',
        b'{"triggerEvent": "BOOKING_CREATED", "payload": {"uid": "\\ud800"}}',
    ):
        assert tell(body) == 200
        end_read()
        assert services.get(acme, "cal").failure == bookings.UNREADABLE
        assert tell({"triggerEvent": "PING", "payload": {}}) == 200
        assert tell({"event": "routing_form_submission.created", "payload": {}}, "calendly") == 200
        assert stored(acme) == []
    odd = {"attendees": "none", "responses": 7, "title": ["x"], "startTime": "soon", "endTime": None, "metadata": [1]}
    assert tell(cal("BOOKING_CREATED", "m1", **odd)) == 200
    (meeting,) = stored(acme)
    assert services.get(acme, "cal").failure == ""
    assert (meeting.name, meeting.email, meeting.title, meeting.starts_at) == ("", "", "", None)


def test_the_cancellation_of_a_moved_invitee_is_no_cancellation(
    acme: Workspace, campaign: Campaign, tell: Callable[..., int]
) -> None:
    tell(a_booking("calendly", "m1"), "calendly")
    assert tell(calendly("invitee.canceled", "m1", rescheduled=True, new_invitee=invitee("m2")), "calendly") == 200
    assert [state for _, state in states(acme)] == ["booked"]
