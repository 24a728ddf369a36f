"""Meetings as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource


class Meeting(Resource):
    """A booked meeting. `personId` is null until a person is assigned."""

    id: int
    service: Literal["", "cal", "calendly"] = Field(description='The source; "" for a member.')
    state: Literal["booked", "moved", "canceled"] = Field(description="`moved`: another meeting took its place.")
    person_id: int | None
    conversation_id: int | None
    campaign_id: int | None = Field(description="The campaign that it counts for.")
    variant: str = Field(description="The text with the used link: step and variant, such as 2B.")
    name: str
    email: str
    title: str
    starts_at: datetime | None
    ends_at: datetime | None
    booked_at: datetime
    canceled_at: datetime | None
    dismissed: bool = Field(description="A member dismissed the meeting.")

    @classmethod
    def of(cls, meeting: Any) -> Json:
        same = ("id", "service", "state", "variant", "name", "email", "title")
        return {name: getattr(meeting, name) for name in same} | {
            "personId": meeting.person_id,
            "conversationId": meeting.conversation_id,
            "campaignId": meeting.campaign_id,
            "startsAt": meeting.starts_at,
            "endsAt": meeting.ends_at,
            "bookedAt": meeting.at,
            "canceledAt": meeting.canceled_at,
            "dismissed": meeting.dismissed_at is not None,
        }
