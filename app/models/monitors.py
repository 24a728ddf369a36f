"""Monitors: searches and signals that are watched for new people, and the people they found."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Personal, left_blank
from app.core.state_machine import Machine, move


class MonitorKind(StrEnum):
    """What a monitor watches: a LinkedIn search, or a signal about people who fit the targeting."""

    SEARCH = "search"
    SIGNAL = "signal"


class MonitorState(StrEnum):
    """Whether a monitor is active."""

    ACTIVE = "active"
    PAUSED = "paused"


class FoundState(StrEnum):
    """What happened to a person a monitor found. `held`: waiting for a decision. `left_out`: excluded by a rule."""

    HELD = "held"
    ADDED = "added"
    DECLINED = "declined"
    LEFT_OUT = "left_out"


class Monitor(Numbered, IndexedOfWorkspace, Base):
    """A search or a signal that adds a few new people a day to a list, and perhaps to a campaign.

    A pass reads all results from first to last, over as many runs as needed: `cursor` is where the next page begins,
    '' at the first. A run is active while `run_at` is set and `run_ended_at` is None; the counts are those of the last
    run. `turns` changes whenever the cursor does.
    """

    __tablename__ = "monitor"
    __table_args__ = table_args(partial_index("ix_monitor_due_at", "due_at", where="due_at IS NOT NULL"))

    name: Mapped[str]
    kind: Mapped[str] = mapped_column(info={"words": MonitorKind})
    address: Mapped[str] = mapped_column(default="")
    account_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"), index=True)
    signal: Mapped[str] = mapped_column(default="")
    targeting: Mapped[dict[str, Any]] = mapped_column(default=dict)  # its own labels by row; {}: the workspace's
    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"), index=True)
    campaign_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign.id", ondelete="SET NULL"), index=True)
    fills_campaign: Mapped[bool] = mapped_column(default=False)  # stays True after its campaign was deleted
    every: Mapped[str]  # hour or day
    most_per_day: Mapped[int]
    automatic: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str] = mapped_column(default=MonitorState.ACTIVE)
    cursor: Mapped[str] = mapped_column(default="", info=left_blank(""))
    turns: Mapped[int] = mapped_column(default=0)
    run_at: Mapped[datetime | None]
    run_ended_at: Mapped[datetime | None]
    run_read: Mapped[int] = mapped_column(default=0)
    run_found: Mapped[int] = mapped_column(default=0)
    run_left_out: Mapped[dict[str, Any]] = mapped_column(default=dict)  # how many, by reason
    note: Mapped[str] = mapped_column(default="")  # what the monitor waits for, or why the last run ended early
    error: Mapped[str] = mapped_column(default="")
    due_at: Mapped[datetime | None]  # when the next page or run is due
    claimed_until: Mapped[datetime | None]
    created_at: Mapped[datetime]


class MonitorPerson(Numbered, OfWorkspace, Base):
    """A person found by a monitor; one row per `handle`. `person_id` is the matching person of the workspace."""

    __tablename__ = "monitor_person"
    __noun__ = "person of this monitor"
    __personal__ = Personal(
        ("handle", "person_id"), "A search or signal that a monitor watches.", ("found", "state", "reason", "found_at")
    )
    __table_args__ = table_args(
        sa.UniqueConstraint("monitor_id", "handle"),
        sa.Index("ix_monitor_person_monitor_id_state", "monitor_id", "state", "id"),
        sa.Index("ix_monitor_person_monitor_id_found_at", "monitor_id", "found_at"),
        sa.Index("ix_monitor_person_workspace_id_handle", "workspace_id", "handle"),
        partial_index("ix_monitor_person_held", "workspace_id", where="state = 'held'"),
    )

    monitor_id: Mapped[int] = mapped_column(sa.ForeignKey("monitor.id", ondelete="CASCADE"))
    person_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="SET NULL"), index=True)
    handle: Mapped[str]
    found: Mapped[dict[str, Any]]  # the person as they were found
    state: Mapped[str] = mapped_column(info={"words": FoundState})
    reason: Mapped[str] = mapped_column(default="")  # why they were left out, of the list or of its campaign
    found_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[str] = mapped_column(default="")  # '' when no one decided


MONITOR = Machine(
    "state",
    MonitorState,
    {
        "pause": move([MonitorState.ACTIVE], MonitorState.PAUSED, "This monitor is already {state}."),
        "resume": move([MonitorState.PAUSED], MonitorState.ACTIVE, "This monitor is already {state}."),
        "run": move(
            [MonitorState.ACTIVE], MonitorState.ACTIVE, "This monitor is {state}.", "Resume the monitor first."
        ),
    },
)
F = FoundState
FOUND = Machine(
    "state",
    FoundState,
    {
        "accept": move([F.HELD, F.DECLINED], F.ADDED, "This person is already {state}."),
        "decline": move([F.HELD], F.DECLINED, "This person is already {state}."),
    },
)
