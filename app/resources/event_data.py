"""Event data: each part of an event's `data`, as built from rows and as published in the contract."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Shape

# A body stays below 20 kB, as receivers of Standard Webhooks expect; only texts can be longer. Bytes, as JSON.
LONGEST_TEXT = 15_000
LONGEST_CUSTOM = 2_000
_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def moment(at: datetime) -> str:
    """Format a time as `2026-01-15T10:20:00.000Z`."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class EventCampaign(Shape):
    """The campaign of the event."""

    id: int
    name: str

    @staticmethod
    def of(campaign: Any) -> Json:
        return {"id": campaign.id, "name": campaign.name}


class EventList(Shape):
    """The person's list."""

    id: int
    name: str


class EventLead(Shape):
    """The person's data at the time of the event."""

    id: int
    public_id: str | None
    profile_url: str | None
    first_name: str
    last_name: str
    headline: str
    company_name: str
    position: str
    email: str
    phone: str
    tags: list[str]
    custom_fields: dict[str, Any] = Field(description=f"As many as fit in {LONGEST_CUSTOM:,} bytes.")
    list: EventList | None
    conversation_url: str | None = Field(description="The page of the conversation with them; null when there is none.")
    truncated: Literal[True] | None = Field(default=None, description="Only present when custom fields were left out.")

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
    """The sender."""

    id: int
    name: str

    @staticmethod
    def of(account: Any) -> Json:
        return {"id": account.id, "name": account.name}


class EventProgress(Shape):
    """The person's state in the campaign, right after the event."""

    state: str
    connection: str
    replied: bool
    messages_sent: int

    @staticmethod
    def of(progress: Any) -> Json:
        return {
            "state": progress.state,
            "connection": progress.connection,
            "replied": bool(progress.replied),
            "messagesSent": progress.messages_sent,
        }


class EventMessage(Shape):
    """The text of the message."""

    id: int | None
    conversation_id: int | None
    kind: Literal["connection_request", "message", "inmail", "email"]
    text: str = Field(description=f"Cut at {LONGEST_TEXT:,} bytes.")
    at: datetime
    truncated: Literal[True] | None = Field(default=None, description="Only present when the text was cut.")

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
        }
        return {**part, "truncated": True} if cut else part


def _fitting(text: str) -> tuple[str, bool]:
    """Return as much of the text as fits, and whether it was cut."""
    cut = False
    while len(text) * 6 > LONGEST_TEXT and (length := len(_json(text).encode())) > LONGEST_TEXT:
        text, cut = text[: len(text) * LONGEST_TEXT // length], True
    return text, cut


class EventBounce(Shape):
    """What the mail server said about the bounced email."""

    address: str
    reason: str
    permanent: bool = Field(description="The address does not exist or bounced too often.")
    sender_at_fault: bool = Field(description="Rejected because of the sender; the address may be fine.")


class EventUnsubscription(Shape):
    """How the person asked not to be contacted."""

    how: Literal["link", "reply"]
    address: str | None = Field(description="Their email address; null when it is not known.")


class EventAbsence(Shape):
    """Until when the person is away; then the campaign continues."""

    until: datetime

    @staticmethod
    def of(until: datetime) -> Json:
        return {"until": moment(until)}


class EventApproval(Shape):
    """The draft that waits or waited for a decision."""

    id: int
    kind: Literal["connection_request", "message", "inmail", "email"]
    subject: str
    text: str = Field(description=f"Cut at {LONGEST_TEXT:,} bytes.")
    expires_at: datetime
    url: str = Field(description="The page for the decision.")
    truncated: Literal[True] | None = Field(default=None, description="Only present when the text was cut.")

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
    """The import, and how many people (or companies) came in."""

    id: int
    kind: Literal["file", "search"]
    state: Literal["done", "failed", "canceled"]
    list: EventList
    file_name: str | None = Field(description="Null for an import of a search.")
    added: int
    updated: int
    skipped: int
    invalid: int
    error: str

    @staticmethod
    def of(found: Any, named: Any) -> Json:
        file_name = getattr(found, "file_name", None)
        counts = {name: getattr(found, name) for name in ("added", "updated", "skipped", "invalid")}
        return {
            "id": found.id,
            "kind": "search" if file_name is None else "file",
            "state": str(found.state),
            "list": {"id": named.id, "name": named.name},
            "fileName": file_name,
            **counts,
            "error": found.error,
        }


class EventEnrichment(Shape):
    """The lookups of missing data and their results."""

    id: int
    what: Literal["email", "phone", "both"]
    state: Literal["finished", "failed", "canceled"]
    list: EventList | None
    queued: int
    found: int
    missed: int
    skipped: int
    credits: int
    error: str

    @staticmethod
    def of(run: Any, named: Any) -> Json:
        counts = {name: getattr(run, name) for name in ("queued", "found", "missed", "skipped", "credits")}
        return {
            "id": run.id,
            "what": run.what,
            "state": str(run.state),
            "list": {"id": named.id, "name": named.name} if named else None,
            **counts,
            "error": run.error,
        }


class EventTag(Shape):
    """The added or removed tag, and the sentiment it comes from, if any."""

    label: str
    sentiment: Literal["positive", "negative", "generic"] | None
    former: str | None
    added: list[str]
    removed: list[str]

    @staticmethod
    def of(tag: Mapping[str, Any]) -> Json:
        return dict(tag)


class EventMeeting(Shape):
    """The booked meeting."""

    id: int
    service: Literal["", "cal", "calendly"] = Field(description='The source; "" for a member.')
    title: str
    name: str
    email: str
    starts_at: datetime | None
    ends_at: datetime | None

    @staticmethod
    def of(meeting: Any) -> Json:
        return {
            "id": meeting.id,
            "service": meeting.service,
            "title": meeting.title,
            "name": meeting.name,
            "email": meeting.email,
            "startsAt": moment(meeting.starts_at) if meeting.starts_at else None,
            "endsAt": moment(meeting.ends_at) if meeting.ends_at else None,
        }


PARTS: dict[str, Any] = {
    "campaign": EventCampaign,
    "lead": EventLead,
    "account": EventAccount,
    "progress": EventProgress,
    "message": EventMessage,
    "tag": EventTag,
    "channel": Literal["social", "email"],
    "bounce": EventBounce,
    "unsubscription": EventUnsubscription,
    "absence": EventAbsence,
    "approval": EventApproval,
    "reason": str,
    "import": EventImport,
    "enrichment": EventEnrichment,
    "meeting": EventMeeting,
}
