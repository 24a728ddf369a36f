"""Event data: each part of an event's `data`, as built from rows and as published in the contract."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field

from app.models.campaigns import Connection, LeadState
from app.resources.base import Json, Shape

# A body stays below 20 kB, as receivers of Standard Webhooks expect; only texts can be longer. Bytes, as JSON.
LONGEST_TEXT = 15_000
LONGEST_CUSTOM = 2_000
MOST_PARTIES = 10
EVENT_FILE = ("name", "mediaType", "size")
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def moment(at: datetime) -> str:
    """Format a time as `2026-01-15T10:20:00.000Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class EventCampaign(Shape):
    """The campaign that the event is about."""

    id: int
    """The id of the campaign."""
    name: str
    """The name of the campaign."""


class EventList(Shape):
    """A list, as it was called at the time."""

    id: int
    """The id of the list."""
    name: str
    """The name of the list."""


class EventLead(Shape):
    """The person's data at the time of the event."""

    id: int
    """The id of the lead."""
    public_id: str | None
    """The last part of the LinkedIn profile's URL; empty or null if no profile is known."""
    profile_url: str | None
    """The URL of the LinkedIn profile; empty or null if it is not known."""
    first_name: str
    """The first name; empty if not known."""
    last_name: str
    """The last name; empty if not known."""
    headline: str
    """The headline of the profile; empty if not known."""
    company_name: str
    """The name of the company; empty if not known. All texts are empty once the person was erased."""
    position: str
    """The job title; empty if not known."""
    email: str
    """The email address; empty if not known."""
    phone: str
    """The phone number; empty if not known."""
    tags: list[str]
    """The person's tags; in `lead_auto_tagged_…`, the tags before the change."""
    custom_fields: dict[str, Any] = Field(
        description=f"The person's custom fields, by name; only as many as fit in {LONGEST_CUSTOM:,} bytes."
    )
    list: EventList | None
    """The list that the lead is in; null if the lead is in no list."""
    conversation_url: str | None
    """The URL of the message's conversation, else of that with the sender, else of the newest; null if none."""
    truncated: Literal[True] | None = None
    """True if some custom fields were left out; otherwise absent."""

    @staticmethod
    def of(lead: Any) -> Json:
        """Build what every version of the payload has."""
        return {
            "id": lead.id,
            "publicId": lead.public_id,
            "profileUrl": lead.profile_url,
            "firstName": lead.first_name,
            "lastName": lead.last_name,
            "headline": lead.headline,
            "companyName": lead.company_name,
        }

    @staticmethod
    def more(lead: Any, conversation_url: str | None) -> Json:
        """Build the rest, with as many custom fields as fit."""
        room, fields = LONGEST_CUSTOM, {}
        for name, value in lead.custom_fields.items():
            room -= len(_json({name: value}).encode())
            if room >= 0:
                fields[name] = value
        part = {
            "position": lead.position,
            "email": lead.email,
            "phone": lead.phone,
            "tags": lead.tags,
            "customFields": fields,
            "list": {"id": lead.list_id, "name": lead.list_name} if lead.list_id else None,
            "conversationUrl": conversation_url,
        }
        return {**part, "truncated": True} if len(fields) < len(lead.custom_fields) else part


class EventAccount(Shape):
    """The sender that the event is about."""

    id: int
    """The id of the sender."""
    name: str
    """The name of the sender."""


class EventProgress(Shape):
    """The person's progress in the campaign after the event or, in `every_reply`, before the event."""

    state: LeadState
    """The person's state in the campaign."""
    connection: Connection
    """Whether the person and the LinkedIn account are connected."""
    replied: bool
    """Whether the person has replied in this campaign."""
    messages_sent: int
    """How many messages, InMails and emails of this campaign the person has received, not counting those by hand."""

    @staticmethod
    def of(progress: Any) -> Json:
        return EventProgress.filled(progress, replied=bool(progress.replied))


class EventParty(Shape):
    """The name and email address of a recipient."""

    name: str
    """The name; empty if there is none."""
    address: str
    """The email address."""


class EventAttachment(Shape):
    """A file attached to an email, without its content."""

    name: str
    """The name of the file."""
    media_type: str
    """The file's media type, as stated by the sender."""
    size: int
    """The file's size in bytes; 0 if it was too large to keep."""


class EventMessage(Shape):
    """A message; emails also have recipients and files."""

    id: int | None
    """The id of the message, as a number; null if the message is not in a conversation yet."""
    conversation_id: int | None
    """The id of the conversation; null if there is none yet. Every reply belongs to a conversation."""
    kind: Literal["connection_request", "message", "inmail", "email"]
    """How the message was sent; the note of a connection request has `message`, never `connection_request`."""
    text: str = Field(description=f"The text, cut after {LONGEST_TEXT:,} bytes.")
    at: datetime
    """When the message was sent or received."""
    to: list[EventParty] | None = None
    """The first 10 recipients; only present for emails."""
    cc: list[EventParty] | None = None
    """The first 10 Cc recipients; only present for emails with a Cc."""
    attachments: list[EventAttachment] | None = None
    """The first 10 attached files; only present for emails with files."""
    truncated: Literal[True] | None = None
    """True if the text was cut; otherwise absent."""

    @staticmethod
    def of(message: Any) -> Json:
        """Build it with as much of the text as fits."""
        text, cut = _fitting(message.text)
        part = {
            "id": message.id,
            "conversationId": message.conversation_id,
            "kind": message.kind,
            "text": text,
            "at": moment(message.at),
            **_letter(message.letter or {}),
        }
        return {**part, "truncated": True} if cut else part


def _letter(letter: Mapping[str, Any]) -> Json:
    """Build who an email went to, and the names of its files, as far as there are any."""
    told = {
        name: [{"name": one[0][:80], "address": one[1]} for one in letter.get(name, ())[:MOST_PARTIES]]
        for name in ("to", "cc")
    }
    files = [{name: one[name] for name in EVENT_FILE} for one in letter.get("files", ())[:MOST_PARTIES]]
    return {name: found for name, found in {**told, "attachments": files}.items() if found}


def _fitting(text: str) -> tuple[str, bool]:
    """Return as much of the text as fits, and whether it was cut."""
    cut = False
    while len(text) * 6 > LONGEST_TEXT and (length := len(_json(text).encode())) > LONGEST_TEXT:
        text, cut = text[: len(text) * LONGEST_TEXT // length], True
    return text, cut


class EventBounce(Shape):
    """The bounce of an email, as reported by the mail server."""

    address: str
    """The address that could not be reached."""
    reason: str
    """The reason given by the mail server."""
    permanent: bool
    """True if the address does not exist or has bounced too often; it is then on the do-not-contact list."""
    sender_at_fault: bool
    """True if the email was rejected because of the sender; the address itself may be valid."""


class EventUnsubscription(Shape):
    """How the person asked not to be contacted."""

    how: Literal["link", "reply"]
    """Whether the person used the unsubscribe link (`link`) or wrote a reply (`reply`)."""
    address: str | None
    """The person's email address; null if not known."""


class EventAbsence(Shape):
    """The person's absence, after which the campaign continues."""

    until: datetime
    """When the person will be back."""

    @staticmethod
    def of(until: datetime) -> Json:
        return {"until": moment(until)}


class EventApproval(Shape):
    """A draft that is or was waiting for a decision."""

    id: int
    """The id of the draft."""
    kind: Literal["connection_request", "message", "inmail", "email"]
    """How the draft would be sent."""
    subject: str
    """The subject; empty if there is none."""
    text: str = Field(description=f"The text, cut after {LONGEST_TEXT:,} bytes.")
    expires_at: datetime
    """When the draft expires and can no longer be approved."""
    url: str
    """The URL of the page where the draft can be approved or skipped."""
    truncated: Literal[True] | None = None
    """True if the text was cut; otherwise absent."""

    @staticmethod
    def of(approval: Any, url: str) -> Json:
        """Build it with as much of the text as fits."""
        text, cut = _fitting(approval.text)
        part = {
            "id": approval.id,
            "kind": approval.kind,
            "subject": approval.subject,
            "text": text,
            "expiresAt": moment(approval.expires_at),
            "url": url,
        }
        return {**part, "truncated": True} if cut else part


class EventImport(Shape):
    """An import, and how many people or companies it added."""

    id: int
    """The id of the import."""
    kind: Literal["file", "search"]
    """Whether a CSV or Excel file or a LinkedIn search was imported."""
    state: Literal["done", "failed", "canceled"]
    """How the import ended."""
    list: EventList
    """The list into which people or companies were imported."""
    file_name: str | None
    """The name of the file; null for a search."""
    added: int
    """The number of people or companies added to the list."""
    updated: int
    """The number of people already in the list whose data was updated."""
    skipped: int
    """The number of rows or people that were skipped: without new data, on the do-not-contact list, or erased."""
    invalid: int
    """The number of rows or people that could not be imported."""
    error: str
    """Why the import failed; empty if there was no error."""

    @staticmethod
    def of(found: Any, named: Any) -> Json:
        file_name = getattr(found, "file_name", None)
        kind = "search" if file_name is None else "file"
        return EventImport.filled(found, kind=kind, state=str(found.state), list=named, file_name=file_name)


class EventEnrichment(Shape):
    """A run of lookups for missing data, and its results."""

    id: int
    """The id of the lookup run."""
    what: Literal["email", "phone", "both"]
    """What was looked up."""
    state: Literal["finished", "failed", "canceled"]
    """How the run ended."""
    list: EventList | None
    """The list; null if it was deleted."""
    queued: int
    """How many people were looked up."""
    found: int
    """The number of people with a result."""
    missed: int
    """The number of people without a result."""
    skipped: int
    """How many people were skipped because they already had the value or must not be contacted."""
    credits: int
    """The cost of the run, in credits."""
    error: str
    """Why the run failed; empty if there was no error."""

    @staticmethod
    def of(run: Any, named: Any) -> Json:
        return EventEnrichment.filled(run, state=str(run.state), list=named)


class EventTag(Shape):
    """The tags that were added or removed, with the sentiment that a tag stands for, if any."""

    label: str
    """The sentiment of the reply, whether or not its tag was added; in `lead_tag_updated`, all tags, with commas."""
    sentiment: Literal["positive", "negative", "generic"] | None
    """The sentiment of the reply; null in `lead_tag_updated`."""
    former: str | None
    """The tag that was replaced; null if there was none.

    In `lead_tag_updated`, all tags before the change, separated by commas; empty if there were none.
    """
    added: list[str]
    """Tags that were added."""
    removed: list[str]
    """Tags that were removed."""

    @staticmethod
    def of(tag: Mapping[str, Any]) -> Json:
        return dict(tag)


class EventMeeting(Shape):
    """The booked meeting."""

    id: int
    """The id of the meeting."""
    service: Literal["", "cal", "calendly"]
    """The calendar service; empty if a member marked the meeting as booked."""
    title: str
    """The title of the meeting."""
    name: str
    """The name given when booking."""
    email: str
    """The email address given when booking."""
    starts_at: datetime | None
    """When the meeting starts; null if the calendar service did not say."""
    ends_at: datetime | None
    """When the meeting ends; null if the calendar service did not say."""

    @staticmethod
    def of(meeting: Any) -> Json:
        return EventMeeting.filled(
            meeting,
            starts_at=moment(meeting.starts_at) if meeting.starts_at else None,
            ends_at=moment(meeting.ends_at) if meeting.ends_at else None,
        )


# The parts of an event's data: the type of each, and what it says.
PARTS: dict[str, tuple[Any, str]] = {
    "campaign": (EventCampaign, "The campaign of the event."),
    "lead": (EventLead, "The lead that the event is about."),
    "account": (EventAccount, "The sender: a LinkedIn account or mailbox."),
    "progress": (EventProgress, "The person's state in the campaign."),
    "message": (EventMessage, "The message that was sent or, in events about replies and absences, received."),
    "tag": (EventTag, "The tags that were added and removed, and the sentiment of the reply, if any."),
    "channel": (Literal["social", "email"], "Whether the message was sent on LinkedIn (`social`) or by email."),
    "bounce": (EventBounce, "The email address that could not be reached, and the reason."),
    "unsubscription": (EventUnsubscription, "How the person unsubscribed."),
    "absence": (EventAbsence, "How long the person is away."),
    "approval": (EventApproval, "The draft that needs or needed a decision."),
    "reason": (str, "The reason for the event, as a sentence you can show to users."),
    "import": (EventImport, "The import that ended."),
    "enrichment": (EventEnrichment, "The enrichment that ended."),
    "meeting": (EventMeeting, "The meeting that was booked."),
}
