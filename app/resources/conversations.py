"""Conversations and messages as API resources."""

from base64 import b64encode
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from app.core import text as texts
from app.models import accounts, conversations, leads, people, workspaces
from app.models.accounts import Channel
from app.models.conversations import Direction, MessageStatus
from app.resources.base import Columns, Json, Resource, Shape

PREVIEW = 280
TONES = ("positive", "negative", "generic")
Tone = Literal["", "positive", "negative", "generic"]
Kind = Literal["message", "inmail", "email"]

_C: Any = conversations.Conversation.__table__
_L: Any = leads.Lead.__table__
_P: Any = people.Person.__table__
# The lead it belongs to, else the newest one of the person; None for people on no list.
_LEAD_ID = sa.func.coalesce(
    *(
        sa.select(sa.func.max(_L.c.id)).where(chosen, _L.c.deleted_at.is_(None)).correlate(_C).scalar_subquery()
        for chosen in (_L.c.id == _C.c.lead_id, _L.c.person_id == _C.c.person_id)
    )
)
LAST: Any = aliased(conversations.Message.__table__, name="last_message")
_M: Any = conversations.Message.__table__
NEWEST = (
    sa.select(_M.c.id)
    .where(_M.c.conversation_id == _C.c.id)
    .order_by(_M.c.at.desc(), _M.c.id.desc())
    .limit(1)
    .correlate(_C)
    .scalar_subquery()
)


_U: Any = workspaces.User.__table__
_ASSIGNEE = sa.select(_U.c.email).where(_U.c.id == _C.c.assignee_id).correlate(_C).scalar_subquery()


class MessageState(StrEnum):
    """The state of a message. `queued` ones wait for the sender; `unknown` ones may have been sent: that is final."""

    RECEIVED = "received"
    QUEUED = "queued"
    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"


class LetterParty(Shape):
    """The name and email address of a sender or recipient."""

    name: str
    """The name; empty if there is none."""
    address: str
    """The email address."""


class Attachment(Shape):
    """A file attached to an email."""

    id: str
    """The id of the file."""
    name: str
    """The name of the file."""
    media_type: str
    """The file's media type, as stated by the sender."""
    size: int
    """The file's size in bytes; 0 if it was too large to keep."""


def _party(told: Any) -> Json:
    return {"name": told[0], "address": told[1]}


def letter_json(letter: Any) -> Json:
    """Return who an email went to, and its files; empty lists for other messages."""
    told = letter or {}
    return {
        "to": [_party(one) for one in told.get("to", ())],
        "cc": [_party(one) for one in told.get("cc", ())],
        "attachments": [{**one, "id": str(one["id"])} for one in told.get("files", ())],
    }


class ConversationPerson(Shape):
    """The other person in a conversation."""

    lead_id: int | None
    """The id of the person's newest lead; null if they are not in any list."""
    public_id: str
    """The last part of the LinkedIn profile's URL; the email address if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if it is not known."""
    first_name: str
    """The first name; empty if not known."""
    last_name: str
    """The last name; empty if not known."""
    headline: str
    """The headline of the profile; empty if not known."""
    company_name: str
    """The name of the company; empty if not known."""
    image_url: str
    """The URL of the profile picture; empty if there is none."""
    person_id: int
    """The id of the person."""


class LastMessage(Shape):
    """The newest message of a conversation."""

    id: str
    """The id of the message, as text; in events, it is a number."""
    direction: Direction
    """`in` for a message from the person, `out` for a message to the person."""
    status: MessageState
    """The state of the message."""
    text: str
    """The first 280 characters of the text."""
    at: datetime
    """When the message was sent or received; until it is sent, when it was written."""
    to: list[LetterParty]
    """The recipients of an email; empty for other messages."""
    cc: list[LetterParty]
    """The Cc recipients of an email; empty for other messages."""
    attachments: list[Attachment]
    """The files attached to an email."""


class Conversation(Resource):
    """All messages between one sender and one person."""

    selected: ClassVar[Columns] = (
        *(_C.c[name] for name in "id sender_id campaign_id person_id channel sentiment unread muted_at".split()),
        *(_C.c[name] for name in ("last_message_at", "created_at", "updated_at", "done_at")),
        *(_C.c[name] for name in ("remind_at", "remind_by", "remind_text", "assignee_id", "meeting_at")),
        _ASSIGNEE.label("assignee"),
        accounts.Account.__table__.c.name.label("account_name"),
        _LEAD_ID.label("lead_id"),
        *(_P.c[name] for name in "public_id email profile_url first_name last_name headline company_name".split()),
        *(_P.c[name] for name in ("image_url", "tags")),
        *(LAST.c[name].label(f"last_{name}") for name in "id direction status text at send_at letter".split()),
    )

    id: int
    """The id of the conversation."""
    account_id: int
    """The id of the sender."""
    account_name: str
    """The name of the sender."""
    campaign_id: int | None
    """The id of the campaign that started the conversation; null if there is none."""
    channel: Channel
    """Whether the conversation takes place on LinkedIn (`social`) or by email."""
    lead: ConversationPerson
    """The other person."""
    tags: list[str]
    """The person's tags."""
    sentiment: Tone
    """The sentiment of the last reply that is not neutral; `generic` (neutral) if all are. Empty without a reply."""
    unread: int
    """The number of unread messages."""
    muted: bool
    """Whether the conversation is muted: new messages are not marked as unread, and no one is notified."""
    done_at: datetime | None
    """When the conversation was marked as done; null if it is open. A new message from the person reopens it."""
    remind_at: datetime | None
    """When the reminder is due and the conversation is shown again; null if there is no reminder."""
    remind_text: str
    """The note of the reminder; empty if there is none."""
    assignee: str | None
    """The email address of the member the conversation is assigned to; null if unassigned."""
    meeting_at: datetime | None
    """When a meeting with the person was booked; null if no meeting is booked."""
    last_message: LastMessage | None
    """The newest message; null if there is none."""
    last_message_at: datetime
    """When the newest message was sent or received, or written if it has not been sent yet."""
    created_at: datetime
    """When the conversation was created."""
    updated_at: datetime
    """When the conversation or one of its messages last changed."""

    @classmethod
    def of(cls, thing: Any) -> Json:
        return cls.filled(
            thing,
            account_id=thing.sender_id,
            lead=ConversationPerson.filled(thing, public_id=thing.public_id or thing.email),
            muted=thing.muted_at is not None,
            last_message=_last(thing),
        )


def _last(row: Any) -> Json | None:
    if row.last_id is None:
        return None
    return {
        "id": str(row.last_id),
        "direction": row.last_direction,
        "status": _status(row.last_direction, row.last_status),
        "text": texts.shorten(row.last_text, PREVIEW),
        "at": row.last_at,
        **letter_json(row.last_letter),
    }


def _status(direction: str, status: str) -> str:
    return "received" if direction == Direction.IN else status


class Message(Resource):
    """A message in a conversation."""

    id: str
    """The id of the message, as text; in events, it is a number."""
    conversation_id: int
    """The id of the conversation."""
    direction: Direction
    """`in` for a message from the person, `out` for a message to the person."""
    kind: Kind
    """How the message was sent."""
    status: MessageState
    """The state of the message."""
    text: str
    """The text of the message."""
    subject: str
    """The subject; empty if there is none."""
    sentiment: Tone
    """The sentiment of a received message; `generic` is neutral. Empty for sent and automatic messages."""
    automatic: bool
    """True for an automatic message, such as an out-of-office note, which does not count as a reply."""
    by_hand: bool
    """True if a member or an API key wrote the message, false if a campaign did."""
    error: str
    """Why the message failed or is still waiting; empty otherwise."""
    send_at: datetime | None
    """When the message is scheduled to be sent; null if it is not scheduled."""
    at: datetime
    """When the message was sent or received; until it is sent, when it was written."""
    author: LetterParty | None
    """The sender of a received email; null for other messages, and if the sender's address is not known."""
    to: list[LetterParty]
    """The recipients of an email; empty for other messages."""
    cc: list[LetterParty]
    """The Cc recipients of an email; empty for other messages."""
    attachments: list[Attachment]
    """The files attached to an email."""

    @classmethod
    def of(cls, thing: Any) -> Json:
        author = next((_party(one) for one in (thing.letter or {}).get("from", ())), None)
        status = _status(thing.direction, thing.status)
        return cls.filled(thing, id=str(thing.id), status=status, author=author, **letter_json(thing.letter))


class AttachmentContent(Attachment, Resource):
    """A file attached to an email, with its content in base64."""

    size: int
    """The file's size in bytes."""
    content: str
    """The file's content in base64."""

    @classmethod
    def of(cls, thing: Any) -> Json:
        content = b64encode(thing.content).decode()
        return cls.filled(thing, id=str(thing.id), content=content)


class ConversationNote(Resource):
    """A note in a conversation, which only members can see."""

    id: str
    """The id of the note."""
    conversation_id: int
    """The id of the conversation."""
    by: str
    """The name of the member or API key that wrote the note."""
    text: str
    """The text of the note."""
    at: datetime
    """When the note was written."""

    @classmethod
    def of(cls, thing: Any) -> Json:
        return cls.filled(thing, id=str(thing.id))


class Snippet(Resource):
    """A short text to insert in replies; its variables are filled in for each person."""

    id: int
    """The id of the snippet."""
    name: str
    """The name of the snippet."""
    text: str
    """The text, with variables."""
    created_at: datetime
    """When the snippet was created."""
    updated_at: datetime
    """When the snippet was last changed."""


class MessageResult(Resource):
    """A message that is being sent in the background."""

    id: str
    """The id of the message, as text; in events, it is a number."""
    conversation_id: int
    """The id of the conversation."""
    status: MessageStatus
    """The current state of the message."""

    @classmethod
    def of(cls, thing: Any) -> Json:
        return cls.filled(thing, id=str(thing.id))
