"""Meetings: match them to people, end the people's campaigns, and count them by campaign."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from app.core.actor import actor
from app.core.db import by_id, get_owned, session, transaction
from app.core.errors import Conflict
from app.domain.conversations import inbox
from app.domain.people import merge
from app.domain.platform import locks
from app.domain.tasks import marked_answers
from app.domain.webhooks import events
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.meetings import MEETING, MeetingState
from app.models.meetings import Meeting as Meeting
from app.models.people import Person
from app.models.workspaces import Workspace
from app.resources.event_data import EventMeeting

BY_HAND = ""  # the `service` of meetings that members marked
STATES = tuple(str(state) for state in MeetingState)


def page(workspace: Workspace, state: str = "", *, unmatched: bool = False) -> sa.Select[Any]:
    """Select the workspace's meetings: all, those in a state, or those of which no one knows whose they are."""
    query = sa.select(Meeting).where(Meeting.workspace_id == workspace.id)
    if state:
        query = query.where(Meeting.state == state)
    return query.where(*_UNMATCHED) if unmatched else query


_UNMATCHED = (Meeting.person_id.is_(None), Meeting.dismissed_at.is_(None), Meeting.state == MeetingState.BOOKED)


def unmatched(workspace: Workspace) -> int:
    """Return the number of booked meetings that are not assigned to a person."""
    query = sa.select(sa.func.count()).select_from(Meeting).where(Meeting.workspace_id == workspace.id, *_UNMATCHED)
    return session().scalar(query) or 0


def get(workspace: Workspace, meeting_id: int) -> Meeting:
    """Return the meeting, or raise NotFound."""
    return get_owned(Meeting, workspace, meeting_id)


def people_of(workspace: Workspace, found: Collection[Meeting]) -> dict[int, Person]:
    """Return the people of these meetings, by their id."""
    return by_id(Person, [one.person_id for one in found], Person.workspace_id == workspace.id)


def of_workspace(workspace: Workspace) -> int:
    """Return the number of people with a booked meeting; each counts once per campaign."""
    each = sa.select(Meeting.campaign_id, Meeting.person_id).where(
        Meeting.workspace_id == workspace.id,
        Meeting.state == MeetingState.BOOKED,
        Meeting.campaign_id.is_not(None),
        Meeting.person_id.is_not(None),
    )
    return session().scalar(sa.select(sa.func.count()).select_from(each.distinct().subquery())) or 0


def mark(workspace: Workspace, conversation_id: int, *, booked: bool) -> Conversation:
    """Mark by hand that a meeting is booked with the person of a conversation, or that none is."""
    with locks.changing(workspace.id) as current:
        thread = get_owned(Conversation, workspace, conversation_id, lock=True)
        ref = f"conversation:{thread.id}"
        ours = (Meeting.workspace_id == workspace.id, Meeting.service == BY_HAND, Meeting.ref == ref)
        known = current.scalars(sa.select(Meeting).where(*ours).with_for_update()).one_or_none()
        if booked and thread.meeting_at is None:
            if known is None:
                known = Meeting(workspace_id=workspace.id, service=BY_HAND, ref=ref, at=workspace.now())
                current.add(known)
            else:
                MEETING.move(known, "book")
                known.at, known.canceled_at = workspace.now(), None
            known.by, known.conversation_id = actor.get().name, thread.id
            current.flush()
            give(workspace, known, thread.person_id)
        elif not booked and thread.meeting_at is not None:
            _unmark(workspace, thread)
        return thread


def marked_by_hand(workspace: Workspace, person_id: int) -> Meeting | None:
    """Return the person's booked meeting that a member marked and no booking service has reported yet."""
    query = sa.select(Meeting).where(
        Meeting.workspace_id == workspace.id,
        Meeting.person_id == person_id,
        Meeting.service == BY_HAND,
        Meeting.state == MeetingState.BOOKED,
    )
    return session().scalars(query.order_by(Meeting.id).limit(1).with_for_update()).first()


def _unmark(workspace: Workspace, thread: Conversation) -> None:
    """Cancel every meeting with the person, marked or from a service, and resume their campaigns."""
    query = sa.select(Meeting).where(Meeting.workspace_id == workspace.id, Meeting.person_id == thread.person_id)
    for one in session().scalars(query.where(Meeting.state == MeetingState.BOOKED).with_for_update()).all():
        cancel(workspace, one)
    inbox.note_meeting(thread, None, workspace.now())
    marked_answers.unmark_meeting(workspace, thread.person_id)


def assign(workspace: Workspace, meeting_id: int, person_id: int) -> Meeting:
    """Assign an unassigned meeting to a person, and end the person's campaigns."""
    with locks.changing(workspace.id):
        meeting = get_owned(Meeting, workspace, meeting_id, lock=True)
        if meeting.person_id is not None:
            raise Conflict("This meeting is already assigned to a person.")
        if meeting.state != MeetingState.BOOKED:
            raise Conflict(f"This meeting has already been {meeting.state}.")
        person = merge.current(workspace, person_id)
        meeting.by, meeting.dismissed_at = actor.get().name, None
        give(workspace, meeting, person.id)
        return meeting


def dismiss(workspace: Workspace, meeting_id: int) -> Meeting:
    """Mark the meeting as unrelated: it is with a person who is not in this workspace."""
    with transaction():
        meeting = get_owned(Meeting, workspace, meeting_id, lock=True)
        if meeting.person_id is not None:
            raise Conflict("This meeting is already assigned to a person.")
        meeting.dismissed_at, meeting.by = meeting.dismissed_at or workspace.now(), actor.get().name
        return meeting


def give(workspace: Workspace, meeting: Meeting, person_id: int, campaign_id: int = 0) -> None:
    """Assign the meeting to a person: end their campaigns, mark their conversation and record an event.

    It counts for that campaign if they are in it, else for the last one that contacted them. Inside a transaction that
    locks the workspace.
    """
    place = _place(person_id, campaign_id)
    meeting.person_id, meeting.campaign_id = person_id, place.campaign_id if place else None
    thread = _thread(meeting)
    meeting.conversation_id = thread.id if thread else None
    if thread is not None:
        inbox.note_meeting(thread, meeting.at, workspace.now())
    marked_answers.mark_meeting(workspace, person_id)
    session().flush()
    _record_booked(workspace, meeting, place)


def cancel(workspace: Workspace, meeting: Meeting) -> None:
    """Cancel the meeting. The person's campaigns stay ended until a member decides otherwise."""
    MEETING.move(meeting, "cancel")
    meeting.canceled_at = workspace.now()
    session().flush()
    if meeting.person_id is None:
        return
    others = sa.select(Meeting.id).where(
        Meeting.workspace_id == workspace.id,
        Meeting.person_id == meeting.person_id,
        Meeting.state == MeetingState.BOOKED,
    )
    thread = _thread(meeting)
    if thread is not None and session().scalar(others.limit(1)) is None:
        inbox.note_meeting(thread, None, workspace.now())


def _place(person_id: int, campaign_id: int) -> CampaignLead | None:
    """Return the person's campaign lead in that campaign, else in the last one that contacted them."""
    query = sa.select(CampaignLead).where(CampaignLead.person_id == person_id)
    named = query.where(CampaignLead.campaign_id == campaign_id).order_by(CampaignLead.id.desc()).limit(1)
    found = session().scalars(named).first() if campaign_id else None
    if found is not None:
        return found
    contacted = query.where(CampaignLead.contacted.is_(True))
    last = contacted.order_by(CampaignLead.last_action_at.desc(), CampaignLead.id.desc()).limit(1)
    return session().scalars(last).first()


def _thread(meeting: Meeting) -> Conversation | None:
    """Return the conversation that the meeting is marked in: its own, else the person's latest."""
    if meeting.conversation_id is not None:
        return session().get(Conversation, meeting.conversation_id, with_for_update=True)
    query = sa.select(Conversation).where(Conversation.person_id == meeting.person_id)
    latest = query.order_by(Conversation.last_message_at.desc(), Conversation.id.desc()).limit(1)
    return session().scalars(latest.with_for_update()).first()


def _record_booked(workspace: Workspace, meeting: Meeting, place: CampaignLead | None) -> None:
    """Record that a meeting was booked, with the place that its person has in a campaign."""
    current = session()
    campaign = current.get(Campaign, place.campaign_id) if place else None
    account = current.get(Account, place.sender_id) if place and place.sender_id else None
    lead = current.get(Lead, place.lead_id) if place else _latest_lead(meeting)
    rows = {"campaign": campaign, "lead": lead, "account": account, "progress": place}
    about = {**rows, "meeting": EventMeeting.of(meeting)}
    events.record(workspace.id, [events.new("meeting_booked", workspace.now(), about, f"meeting:{meeting.id}")])


def _latest_lead(meeting: Meeting) -> Lead | None:
    query = sa.select(Lead).where(Lead.person_id == meeting.person_id, Lead.deleted_at.is_(None))
    return session().scalars(query.order_by(Lead.id.desc()).limit(1)).first()
