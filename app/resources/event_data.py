"""Event data: each part of an event's `data`, as built from rows and as published in the contract."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Shape

# A body stays below 20 kB, as receivers of Standard Webhooks expect; only texts can be longer. Bytes, as JSON.
LONGEST_TEXT = 15_000
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


class EventLead(Shape):
    """The person. Never includes an email address or a phone number."""

    id: int
    public_id: str | None
    profile_url: str | None
    first_name: str
    last_name: str
    headline: str
    company_name: str

    @staticmethod
    def of(lead: Any) -> Json:
        return {
            "id": lead.id,
            "publicId": lead.public_id,
            "profileUrl": lead.profile_url,
            "firstName": lead.first_name,
            "lastName": lead.last_name,
            "headline": lead.headline,
            "companyName": lead.company_name,
        }


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
        text, cut = message.text, False
        while len(text) * 6 > LONGEST_TEXT and (length := len(_json(text).encode())) > LONGEST_TEXT:
            text, cut = text[: len(text) * LONGEST_TEXT // length], True
        part = {
            "id": message.id,
            "conversationId": message.conversation_id,
            "kind": message.kind,
            "text": text,
            "at": moment(message.at),
        }
        return {**part, "truncated": True} if cut else part


class EventTag(Shape):
    """The added or removed tag, and the sentiment it comes from, if any."""

    label: str
    sentiment: Literal["positive", "negative", "generic"] | None
    former: str | None

    @staticmethod
    def of(tag: Mapping[str, Any]) -> Json:
        return dict(tag)


PARTS: dict[str, Any] = {
    "campaign": EventCampaign,
    "lead": EventLead,
    "account": EventAccount,
    "progress": EventProgress,
    "message": EventMessage,
    "tag": EventTag,
    "channel": Literal["social", "email"],
}
