"""Meetings as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource


class Meeting(Resource):
    """A booked meeting."""

    id: int
    """The id of the meeting."""
    service: Literal["", "cal", "calendly"]
    """The calendar service; empty if a member marked the meeting as booked."""
    state: Literal["booked", "moved", "canceled"]
    """The state of the meeting; `moved` if the meeting was replaced by another meeting."""
    person_id: int | None
    """The id of the person the meeting is with; null if the meeting is not matched to a person yet."""
    conversation_id: int | None
    """The id of the latest conversation with the person; null if there is none."""
    campaign_id: int | None
    """The id of the campaign that the meeting counts for; null if there is none."""
    variant: str
    """The step and variant of the message with the booking link that was used, such as 2B; empty if not known."""
    name: str
    """The name given when booking."""
    email: str
    """The email address given when booking."""
    title: str
    """The title of the meeting."""
    starts_at: datetime | None
    """When the meeting starts; null if the calendar service did not say."""
    ends_at: datetime | None
    """When the meeting ends; null if the calendar service did not say."""
    booked_at: datetime
    """When the meeting was booked."""
    canceled_at: datetime | None
    """When the meeting was canceled; null if it was not canceled."""
    dismissed: bool
    """True if a member dismissed the meeting."""

    @classmethod
    def of(cls, meeting: Any) -> Json:
        return cls.filled(meeting, booked_at=meeting.at, dismissed=meeting.dismissed_at is not None)
