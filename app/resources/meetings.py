"""Meetings as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource


class Meeting(Resource):
    """A booked meeting. `personId` is null until a person is assigned."""

    id: int
    """The id of the meeting."""
    service: Literal["", "cal", "calendly"]
    """The source; "" for a member."""
    state: Literal["booked", "moved", "canceled"]
    """`moved`: another meeting took its place."""
    person_id: int | None
    """The person; null while it is not known whose meeting it is."""
    conversation_id: int | None
    """The latest conversation with the person; null if there is none."""
    campaign_id: int | None
    """The campaign the meeting counts for."""
    variant: str
    """The text with the used link: step and variant, such as 2B."""
    name: str
    """The name given when booking."""
    email: str
    """The email address given when booking."""
    title: str
    """The title of the meeting."""
    starts_at: datetime | None
    """When it starts; null if the service did not say."""
    ends_at: datetime | None
    """When it ends; null if the service did not say."""
    booked_at: datetime
    """When it was booked."""
    canceled_at: datetime | None
    """When it was canceled; null if it was not."""
    dismissed: bool
    """A member dismissed the meeting."""

    @classmethod
    def of(cls, meeting: Any) -> Json:
        return cls.filled(meeting, booked_at=meeting.at, dismissed=meeting.dismissed_at is not None)
