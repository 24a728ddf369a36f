"""Meetings that people booked, and how sure it is who they are with."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Personal, ids
from app.core.state_machine import Machine, move


class MeetingState(StrEnum):
    """The state of a meeting. `moved`: another meeting has replaced it."""

    BOOKED = "booked"
    MOVED = "moved"
    CANCELED = "canceled"


class Meeting(Numbered, OfWorkspace, Base):
    """A meeting that a service reported, or that a member marked by hand (`service` is '')."""

    __tablename__ = "meeting"
    __personal__ = Personal(
        ("person_id", "email"),
        "The person booked the meeting with a booking service, or a member marked it.",
        ("state", "name", "email", "title", "starts_at", "ends_at", "at", "canceled_at", "by"),
        source="service",
    )
    __table_args__ = table_args(
        sa.UniqueConstraint("workspace_id", "service", "ref"),
        sa.Index("ix_meeting_campaign_id_state", "campaign_id", "state"),
        partial_index("ix_meeting_open", "workspace_id", where="person_id IS NULL AND dismissed_at IS NULL"),
    )

    service: Mapped[str]
    # the service's id of the meeting, or `conversation:` and the conversation's id
    ref: Mapped[str] = mapped_column(info=ids(((r"conversation:(\d+)", ("conversation",)),)))
    state: Mapped[str] = mapped_column(default=MeetingState.BOOKED)
    person_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"), index=True)
    conversation_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("conversation.id", ondelete="SET NULL"), index=True
    )
    campaign_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign.id", ondelete="SET NULL"))
    variant: Mapped[str] = mapped_column(default="")  # variant of the message whose link was used, such as 2B
    name: Mapped[str] = mapped_column(default="")
    email: Mapped[str] = mapped_column(default="")
    title: Mapped[str] = mapped_column(default="")
    starts_at: Mapped[datetime | None]
    ends_at: Mapped[datetime | None]
    at: Mapped[datetime]  # when it was booked
    canceled_at: Mapped[datetime | None]
    dismissed_at: Mapped[datetime | None]  # when a member said that it is with none of our people
    by: Mapped[str] = mapped_column(default="")  # who marked, assigned or dismissed it


M = MeetingState
MEETING = Machine(
    "state",
    MeetingState,
    {
        "move": move([M.BOOKED], M.MOVED, "This meeting has already been {state}."),
        "cancel": move([M.BOOKED], M.CANCELED, "This meeting has already been {state}."),
        "book": move([M.CANCELED], M.BOOKED, "This meeting has already been {state}."),
    },
)
