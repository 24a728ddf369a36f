"""What happened in a workspace that a member may not have seen yet: replies, meetings, problems, imports, ends.

Nothing extra is stored for this: each look queries the rows that other modules store, newest first, and a member's
`looked_at` says which are new to them.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import text
from app.core.db import session, transaction
from app.domain.approvals import approvals
from app.domain.conversations import threads
from app.domain.senders import accounts
from app.domain.workspace import roles
from app.models.accounts import STUCK, Account
from app.models.campaigns import Campaign, CampaignStatus
from app.models.conversations import Conversation, Direction, Message
from app.models.leads import ImportState, LeadImport
from app.models.meetings import Meeting, MeetingState
from app.models.people import Person
from app.models.workspaces import Membership, User, Workspace

SHOWN, MOST, LONGEST = timedelta(days=14), 50, 160
KINDS = {  # and the area of the roles' table that each belongs to
    "reply": "conversations",
    "meeting": "conversations",
    "booking": "conversations",
    "problem": "senders",
    "silence": "senders",
    "import": "lists",
    "end": "campaigns",
}


@dataclass(frozen=True)
class Happening:
    """One line: what it is, of which record, when, and in words. `list_id` is the list of an import."""

    kind: str
    id: int
    at: datetime
    title: str
    words: str = ""
    tone: str = ""
    list_id: int | None = None


def latest(workspace: Workspace, role: str, since: datetime | None = None) -> list[Happening]:
    """Return what the role may see of the last fortnight, or of the shorter time since `since`; newest first."""
    earliest = workspace.now() - SHOWN
    begin = max(since or earliest, earliest)
    found = []
    for kind, (query, moment) in _queries(workspace, begin).items():
        if roles.may(role, KINDS[kind]):
            rows = session().execute(query.order_by(moment.desc()).limit(MOST)).all()
            found += [_row_text(kind, row) for row in rows]
    return sorted(found, key=lambda one: one.at, reverse=True)[:MOST]


def is_new(workspace: Workspace, user: User, role: str) -> bool:
    """Return whether something happened that the member has not looked at; with one query."""
    begin = max(_looked_at(workspace, user), workspace.now() - SHOWN)
    kinds = [query.exists() for kind, (query, _) in _queries(workspace, begin).items() if roles.may(role, KINDS[kind])]
    return bool(kinds) and bool(session().scalar(sa.select(sa.or_(*kinds))))


class ToDo(NamedTuple):
    """How much waits in a workspace: drafts, conversations, and senders that need attention."""

    drafts: int
    conversations: int
    senders: int


def to_do(workspace: Workspace) -> ToDo:
    """Return how much waits, for the navigation; with one query."""
    stuck = sa.select(sa.func.count()).where(Account.workspace_id == workspace.id, Account.status.in_(STUCK))
    columns = approvals.counted(workspace), threads.count_waiting(workspace), stuck.scalar_subquery()
    return ToDo(*session().execute(sa.select(*columns)).one())


def look(workspace: Workspace, user: User) -> datetime:
    """Record that the member has seen everything now; return when they looked before, or joined."""
    with transaction() as current:
        before = _looked_at(workspace, user)
        ours = (Membership.workspace_id == workspace.id, Membership.user_id == user.id)
        current.execute(sa.update(Membership).where(*ours).values(looked_at=workspace.now()))
        return before


def _looked_at(workspace: Workspace, user: User) -> datetime:
    ours = (Membership.workspace_id == workspace.id, Membership.user_id == user.id)
    row = session().execute(sa.select(Membership.looked_at, Membership.created_at).where(*ours)).first()
    return (row.looked_at or row.created_at) if row else workspace.now()


def troubled(workspace: Workspace, since: datetime) -> sa.Select[Any]:
    """Select the senders that need attention since then."""
    stuck = sa.or_(Account.status.in_(STUCK), accounts.was_stopped())
    return sa.select(Account).where(Account.workspace_id == workspace.id, stuck, Account.status_at > since)


def silent(workspace: Workspace, since: datetime) -> sa.Select[Any]:
    """Select the senders whose inboxes could not be read since then."""
    return sa.select(Account).where(Account.workspace_id == workspace.id, Account.silent_at > since)


def _queries(workspace: Workspace, since: datetime) -> dict[str, tuple[Any, Any]]:
    """Return, by kind, the query for what happened since then, and the column to order it by."""
    talks = (Conversation.workspace_id == workspace.id, Conversation.muted_at.is_(None))
    replies = (
        sa.select(Message.id, Message.at, Message.text, Message.sentiment, Message.conversation_id, Person)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(Person, Person.id == Conversation.person_id)
        .where(Message.workspace_id == workspace.id, Message.direction == Direction.IN, Message.at > since)
        .where(Message.automatic.is_(False), *talks)
    )
    meetings = (
        sa.select(Conversation.id, Conversation.meeting_at.label("at"), Person)
        .join(Person, Person.id == Conversation.person_id)
        .where(*talks, Conversation.meeting_at > since, Conversation.updated_at > since)  # `updated_at` has an index
    )
    bookings = sa.select(Meeting.id, Meeting.at, Meeting.name, Meeting.email).where(
        Meeting.workspace_id == workspace.id,
        Meeting.person_id.is_(None),
        Meeting.dismissed_at.is_(None),
        Meeting.state == MeetingState.BOOKED,
        Meeting.at > since,
    )
    imports = sa.select(
        *(LeadImport.id, LeadImport.finished_at.label("at"), LeadImport.file_name, LeadImport.list_id),
        *(LeadImport.state, LeadImport.added, LeadImport.updated, LeadImport.error),
    ).where(
        LeadImport.workspace_id == workspace.id,
        LeadImport.state.in_((ImportState.DONE, ImportState.FAILED)),
        LeadImport.finished_at > since,
    )
    stopped = sa.case((Campaign.status == CampaignStatus.PAUSED, Campaign.bounced_at), else_=Campaign.ended_at)
    ends = sa.select(Campaign.id, stopped.label("at"), Campaign.name, Campaign.status, Campaign.error).where(
        Campaign.workspace_id == workspace.id,
        Campaign.status.in_((CampaignStatus.FINISHED, CampaignStatus.FAILED, CampaignStatus.PAUSED)),
        stopped > since,
    )
    about = (Account.id, Account.name, Account.status, Account.status_reason)
    return {
        "reply": (replies, Message.at),
        "meeting": (meetings, Conversation.meeting_at),
        "booking": (bookings, Meeting.at),
        "problem": (
            troubled(workspace, since).with_only_columns(*about, Account.status_at.label("at")),
            Account.status_at,
        ),
        "silence": (
            silent(workspace, since).with_only_columns(*about, Account.silent_at.label("at")),
            Account.silent_at,
        ),
        "import": (imports, LeadImport.finished_at),
        "end": (ends, stopped),
    }


def _row_text(kind: str, row: Any) -> Happening:
    """Return a row in words."""
    if kind == "reply":
        words = text.shorten(text.squeeze(row.text), LONGEST)
        return Happening(kind, row.conversation_id, row.at, f"{_who(row.Person)} replied", words, row.sentiment)
    if kind == "meeting":
        return Happening(kind, row.id, row.at, f"Meeting booked with {_who(row.Person)}")
    if kind == "booking":
        who = text.shorten(row.name or row.email or "Someone", LONGEST)
        return Happening(kind, row.id, row.at, f"{who} booked a meeting", "Unknown address. Choose the person.")
    if kind == "problem":
        return Happening(kind, row.id, row.at, f"{row.name} needs attention", row.status_reason or row.status)
    if kind == "silence":
        return Happening(kind, row.id, row.at, f"No access to {row.name}", "New replies aren't coming in.")
    if kind == "end":
        what = {CampaignStatus.FAILED: "has failed", CampaignStatus.PAUSED: "was paused"}.get(
            row.status, "has finished"
        )
        return Happening(kind, row.id, row.at, f"“{row.name}” {what}", row.error)
    if row.state == ImportState.FAILED:
        return Happening(kind, row.id, row.at, f"Import of {row.file_name} stopped", row.error, list_id=row.list_id)
    words = f"{row.added:,} added, {row.updated:,} updated."
    return Happening(kind, row.id, row.at, f"{row.file_name} imported", words, list_id=row.list_id)


def _who(person: Person) -> str:
    return f"{person.name} ({person.company_name})" if person.company_name else person.name
