"""Meetings: marked by hand, assigned and dismissed, counted, and forgotten with their person."""

import json
from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict
from app.domain.campaigns import campaigns, statistics
from app.domain.campaigns.forecasts import pipeline
from app.domain.conversations import threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.leads import merge_people
from app.domain.notifications import happenings
from app.domain.privacy import erasure, export
from app.domain.tasks.meetings import meetings
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation
from app.models.meetings import Meeting
from app.models.webhooks import Event
from app.models.workspaces import Role, Workspace
from app.ports import Received
from tests.domain.outreach import INVITE, a_campaign, everyone, forward, message, takes_in, the_account
from tests.support.movable import Movable

ADA = {"publicId": "accepts-ada", "firstName": "Ada", "email": "ada@example.com"}
BO = {"publicId": "accepts-bo", "firstName": "Bo", "email": "bo@example.com"}


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    found = a_campaign(acme, [ADA, BO], [INVITE, message("Hello"), message("Again", days=9)])
    forward(acme, days=2)
    return found


@pytest.fixture
def talk(acme: Workspace, campaign: Campaign) -> Conversation:
    query = sa.select(Conversation).where(Conversation.person_id == lead(campaign, "Ada").person_id)
    return session().scalars(query).one()


def lead(campaign: Campaign, name: str) -> CampaignLead:
    session().expire_all()
    (found,) = [one for one in everyone(campaign).values() if one.person.first_name == name]
    return found


def told(workspace: Workspace) -> int:
    query = sa.select(sa.func.count()).select_from(Event)
    return session().scalar(query.where(Event.workspace_id == workspace.id, Event.kind == "meeting_booked")) or 0


def unmatched(workspace: Workspace, ref: str = "m1") -> Meeting:
    """A meeting of which no one knows whose it is."""
    with transaction() as current:
        found = Meeting(
            workspace_id=workspace.id, service="cal", ref=ref, name="Ada", email="a@mail.example", at=workspace.now()
        )
        current.add(found)
    return found


def test_a_mark_by_hand_is_a_meeting_that_ends_the_sequence(
    acme: Workspace, campaign: Campaign, talk: Conversation, clock: Movable
) -> None:
    """It counts in the funnel, in the filter of people, in the pipeline, and it is told once.

    Taking it back lets the sequence go on, unless the person has answered meanwhile.
    """
    before = lead(campaign, "Ada").due_at
    assert meetings.mark(acme, talk.id, booked=True).meeting_at is not None
    meetings.mark(acme, talk.id, booked=True)
    ada = lead(campaign, "Ada")
    assert (ada.state, ada.reason, lead(campaign, "Bo").state) == ("finished", "meeting_booked", "active")
    (found,) = session().scalars(meetings.page(acme))
    assert (found.service, found.person_id, found.conversation_id) == ("", ada.person_id, talk.id)
    kept = campaigns.stats(acme, [campaign.id])[campaign.id]
    assert statistics.totals(acme, campaign, kept, None)[0]["meeting"] == 1
    assert statistics.numbers(acme, campaign.id).meetings == 1
    assert pipeline.pipeline(acme).meetings == 1
    assert [one.id for one in threads.newest(acme, ThreadFilter(meeting=True), limit=5)[0]] == [talk.id]
    assert meetings.mark(acme, talk.id, booked=False).meeting_at is None
    ada = lead(campaign, "Ada")
    assert (ada.state, ada.due_at, meetings.of_workspace(acme)) == ("active", before, 0)
    meetings.mark(acme, talk.id, booked=True)
    assert [one.state for one in session().scalars(meetings.page(acme))] == ["booked"]
    assert told(acme) == 1
    clock.forward(hours=1)
    takes_in(acme, the_account(acme), Received("accepts-ada", "message", "No thanks", acme.now(), "r1"))
    meetings.mark(acme, talk.id, booked=False)
    assert lead(campaign, "Ada").state == "finished"


def test_an_unmatched_meeting_is_assigned_once(acme: Workspace, campaign: Campaign) -> None:
    """It is news for members until it is dismissed, and can still be assigned then."""
    ada, before = lead(campaign, "Ada"), acme.now() - timedelta(seconds=1)
    found = unmatched(acme)
    assert meetings.unmatched(acme) == 1
    (news,) = happenings.latest(acme, Role.OWNER, before)
    assert (news.kind, news.id, news.title) == ("booking", found.id, "Ada booked a meeting")
    meetings.dismiss(acme, found.id)
    assert (meetings.unmatched(acme), happenings.latest(acme, Role.OWNER, before)) == (0, [])
    assert meetings.assign(acme, found.id, ada.person_id).campaign_id == campaign.id
    assert (lead(campaign, "Ada").reason, meetings.unmatched(acme), told(acme)) == ("meeting_booked", 0, 1)
    with pytest.raises(Conflict):
        meetings.assign(acme, found.id, lead(campaign, "Bo").person_id)
    with pytest.raises(Conflict):
        meetings.dismiss(acme, found.id)


def test_an_erased_persons_meetings_are_gone(acme: Workspace, campaign: Campaign) -> None:
    """Also one under their address that no one assigned, and their name in the event."""
    ada = lead(campaign, "Ada")
    meetings.assign(acme, unmatched(acme).id, ada.person_id)
    other = unmatched(acme, "m2")
    with transaction() as current:
        current.get_one(Meeting, other.id).email = "ada@example.com"
    kept = {one.table: one.rows for one in export.collect(acme, ada.lead_id).stored}
    end_read()
    assert [(one["origin"], one["email"]) for one in kept["meeting"]] == [
        ("The person booked the meeting with a booking service, or a member marked it. (cal)", "a@mail.example"),
        ("The person booked the meeting with a booking service, or a member marked it. (cal)", "ada@example.com"),
    ]
    erasure.erase(acme, ada.lead_id)
    end_read()
    assert session().scalars(meetings.page(acme)).all() == []
    (body,) = session().scalars(sa.select(Event.body).where(Event.kind == "meeting_booked"))
    assert json.loads(body)["data"]["meeting"] | {"id": 0} == {
        "id": 0, "service": "cal", "title": "", "name": "", "email": "", "startsAt": None, "endsAt": None,
    }  # fmt: skip


def test_a_merge_gives_the_meetings_to_the_kept_person(acme: Workspace, campaign: Campaign) -> None:
    ada, bo = lead(campaign, "Ada").person_id, lead(campaign, "Bo").person_id
    found = meetings.assign(acme, unmatched(acme).id, bo)
    name = merge_people.merge_people(acme, ada, bo)
    assert session().get_one(Meeting, found.id, populate_existing=True).person_id == ada
    merge_people.MERGED.undo(acme, name, keep=ada)
    assert session().get_one(Meeting, found.id, populate_existing=True).person_id == bo
