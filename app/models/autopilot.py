"""The autopilot: setup, plays with sample people, documents, templates and sources."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, table_args
from app.core.row_rules import Personal, sealed_for
from app.core.state_machine import Machine, move


class SetupStatus(StrEnum):
    """Whether the autopilot is being set up, active or paused."""

    SETUP = "setup"
    ACTIVE = "active"
    PAUSED = "paused"


class ProfileState(StrEnum):
    """How far the business has been understood; '' before it was ever looked at."""

    NONE = ""
    READING = "reading"
    UNDERSTANDING = "understanding"
    WRITING = "writing"
    DONE = "done"
    FAILED = "failed"


class Phase(StrEnum):
    """The stage of the setup that is running."""

    PROFILE = "profile"
    TARGETS = "targets"
    PLAYS = "plays"
    SEQUENCE = "sequence"
    BUILD = "build"


class PlayStatus(StrEnum):
    """The state of a play. `designed`: not built. `finding`, `writing`: being built. `review`: ready for you."""

    DESIGNED = "designed"
    FINDING = "finding"
    WRITING = "writing"
    REVIEW = "review"
    SCHEDULED = "scheduled"
    RUNNING = "running"
    STOPPED = "stopped"
    FAILED = "failed"


class PlayChannel(StrEnum):
    """How a play contacts people: on LinkedIn and by email, only on LinkedIn, or only by email."""

    SOCIAL_EMAIL = "social_email"
    SOCIAL = "social"
    EMAIL = "email"


MINUTES = {"minutes": 1, "hours": 60, "days": 1440}


def days(steps: Sequence[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    """Return the contacting steps, each with the earliest day it falls on; the first day is 1."""
    minutes, found = 0, []
    for step in steps:
        minutes += step["delay"]["count"] * MINUTES[step["delay"]["unit"]]
        if step["kind"] != "reaction":
            found.append((1 + minutes // MINUTES["days"], step))
    return found


# The fields of the profile that messages are built on.
MESSAGE_FIELDS = (
    "name", "pitch", "topic", "kind", "change", "proof", "tone", "language",
)  # fmt: skip


def message_fields(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the profile that messages use: MESSAGE_FIELDS and the quotes that messages may contain."""
    quotable = sorted(fact["quote"] for fact in profile.get("facts") or () if fact.get("quotable"))
    return {name: profile.get(name) or "" for name in MESSAGE_FIELDS} | {"quotable": quotable}


class Setup(Numbered, Base):
    """The autopilot of a workspace: the answers given, and the results.

    `run` counts the stages started; the job of an earlier stage stops silently.
    """

    __tablename__ = "autopilot_setup"
    __noun__ = "autopilot setup"
    __table_args__ = table_args()

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), unique=True)
    status: Mapped[str] = mapped_column(default=SetupStatus.SETUP)
    step: Mapped[int] = mapped_column(default=1)
    website: Mapped[str] = mapped_column(default="")
    description: Mapped[str] = mapped_column(default="")
    profile: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    profile_state: Mapped[str] = mapped_column(default=ProfileState.NONE)
    customer_types: Mapped[list[Any]] = mapped_column(default=list)
    customer_type_id: Mapped[str] = mapped_column(default="")
    targets: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    channel: Mapped[str | None] = mapped_column(info={"words": PlayChannel})
    country: Mapped[str] = mapped_column(default="")
    offer: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    alerts: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))  # a chat's address is masked
    alerts_sealed: Mapped[bytes | None] = mapped_column(
        info=sealed_for("autopilot_setup|alerts_sealed|{id}|{workspace_id}")
    )
    alerts_event: Mapped[int] = mapped_column(default=0)  # number of the last event checked for alerts
    alerts_at: Mapped[datetime | None]  # when events were last checked for alerts, on the workspace's clock
    drafts_told_at: Mapped[datetime | None]  # when an alert last reported waiting drafts, on the workspace's clock
    alerts_digest: Mapped[str] = mapped_column(default="immediately")
    alerts_quiet: Mapped[dict[str, str] | None] = mapped_column(sa.JSON(none_as_null=True))  # start and end, as 22:00
    alerts_problem: Mapped[str] = mapped_column(default="")  # why the last alert could not be sent
    alerts_broken_at: Mapped[datetime | None]  # since when alerts are off, until a person repairs them
    rules: Mapped[list[str]] = mapped_column(default=list)
    error: Mapped[str | None]
    progress: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    phase: Mapped[str] = mapped_column(default="", info={"words": Phase})  # the phase of the running stage
    run: Mapped[int] = mapped_column(default=0)
    note: Mapped[str] = mapped_column(default="")  # why another writer had to stand in
    model_dismissed: Mapped[bool] = mapped_column(
        default=False, server_default=sa.false()
    )  # an owner dismissed the suggestion to set up a model
    site_key: Mapped[str] = mapped_column(default="")
    site_verified_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    created_at: Mapped[datetime]


class Play(Numbered, OfWorkspace, Base):
    """One strategy with its sequence, from the idea to the campaign created from it. Its texts contain variables."""

    __tablename__ = "play"
    __table_args__ = table_args(sa.Index("ix_play_workspace_id_rank", "workspace_id", "rank"))

    rank: Mapped[int]
    angle: Mapped[str]
    name: Mapped[str] = mapped_column(default="")
    pitch: Mapped[str] = mapped_column(default="")
    why: Mapped[str] = mapped_column(default="")
    strategy: Mapped[str] = mapped_column(default="")
    reaches: Mapped[str] = mapped_column(default="")
    chips: Mapped[list[str]] = mapped_column(default=list)
    written_by: Mapped[str] = mapped_column(
        default="", server_default=sa.text("''")
    )  # the writer of its steps, such as the model's name
    note: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # why another writer had to stand in
    channel: Mapped[str] = mapped_column(default=PlayChannel.SOCIAL_EMAIL)
    status: Mapped[str] = mapped_column(default=PlayStatus.DESIGNED)
    steps: Mapped[list[Any]] = mapped_column(default=list)
    # {steps, by}: the autopilot's texts and their writers, by step id; None for plays from before this was stored
    written: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # a change not yet accepted: {wish, before, after, by} or, for a rewrite, {texts, from, by, note}
    proposed: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    # the profile's `message_fields` when the play's texts were written; None if that was not stored
    written_from: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    audience: Mapped[int] = mapped_column(default=0)
    credits_per_lead: Mapped[int] = mapped_column(default=0)
    log: Mapped[list[Any]] = mapped_column(default=list)
    working: Mapped[str] = mapped_column(default="")
    build: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    error: Mapped[str] = mapped_column(default="")
    run: Mapped[int] = mapped_column(default=0)  # counts its builds; the job of an earlier one stops
    launch: Mapped[dict[str, Any]] = mapped_column(default=dict)  # how far its launch got
    approved_at: Mapped[datetime | None]
    skipped_at: Mapped[datetime | None]
    start_at: Mapped[datetime | None]
    launched_at: Mapped[datetime | None]
    campaign_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign.id", ondelete="SET NULL"), index=True)
    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"), index=True)
    created_at: Mapped[datetime]

    def is_outdated(self, profile: Mapping[str, Any] | None) -> bool:
        """Return whether the play's texts were written from a profile that has changed since."""
        now, then = message_fields(profile or {}), self.written_from or {}
        return bool(self.steps) and any(then[name] != said for name, said in now.items() if name in then)

    @property
    def sequence(self) -> list[dict[str, Any]]:
        """Return the messages day by day, with variables; the first day is 1."""
        return [
            {"day": day, "kind": step["kind"], "subject": step.get("subject", ""), "text": step.get("text", "")}
            for day, step in days(self.steps)
        ]


class PlaySample(Numbered, OfWorkspace, Base):
    """One of the people a play shows for review, with why they fit and the messages they would get."""

    __tablename__ = "play_sample"
    __noun__ = "person in this play"
    __personal__ = Personal(
        ("person",),
        "A LinkedIn search for an autopilot play.",
        ("found", "reason", "messages", "created_at"),
    )
    __table_args__ = table_args(sa.UniqueConstraint("play_id", "person"))

    play_id: Mapped[int] = mapped_column(sa.ForeignKey("play.id", ondelete="CASCADE"), index=True)
    person: Mapped[str]
    found: Mapped[dict[str, Any]]  # the person as the search found them
    reason: Mapped[str] = mapped_column(default="")
    fit: Mapped[str] = mapped_column(default="")  # good, bad or '' before anyone judged
    messages: Mapped[list[Any]] = mapped_column(default=list)
    created_at: Mapped[datetime]


class CompanyReading(Numbered, OfWorkspace, Base):
    """Quotes from a company's website, for messages to the people who work there, or why it could not be read."""

    __tablename__ = "company_reading"
    __noun__ = "company's website"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "domain"))

    domain: Mapped[str]
    quotes: Mapped[list[Any]]  # {page, quote, date}
    problem: Mapped[str] = mapped_column(default="")
    read_at: Mapped[datetime]


class DocVersion(Numbered, OfWorkspace, Base):
    """One version of a document that guides the writer; the highest version is used."""

    __tablename__ = "doc_version"
    __noun__ = "document"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "kind", "version"))

    kind: Mapped[str]
    version: Mapped[int]
    markdown: Mapped[str]
    by_autopilot: Mapped[bool] = mapped_column(default=False)
    at: Mapped[datetime]


class PlayTemplate(Numbered, IndexedOfWorkspace, Base):
    """The steps of a play, saved as a template."""

    __tablename__ = "play_template"
    __noun__ = "template"

    name: Mapped[str]
    channel: Mapped[str] = mapped_column(info={"words": PlayChannel})
    steps: Mapped[list[Any]]
    created_at: Mapped[datetime]


class SourceConnection(Numbered, OfWorkspace, Base):
    """A source that the autopilot may read; its secret is sealed and never shown."""

    __tablename__ = "source_connection"
    __noun__ = "source"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "kind"))

    kind: Mapped[str]  # analytics or payments
    region: Mapped[str] = mapped_column(default="")
    project_id: Mapped[str] = mapped_column(default="")
    test: Mapped[bool] = mapped_column(default=False)  # its key is for test data only
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("source_connection|sealed|{id}|{workspace_id}"))
    former_customers: Mapped[int | None]
    list_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead_list.id", ondelete="SET NULL"))
    checked_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    run: Mapped[int] = mapped_column(default=0)  # counts its syncs; the job of an earlier one stops
    stage: Mapped[str] = mapped_column(default="")  # what the running sync reads; '' between syncs
    after: Mapped[str] = mapped_column(default="")  # the cursor of the running sync
    read: Mapped[int] = mapped_column(default=0)  # people read so far
    begun_at: Mapped[datetime | None]
    refreshed_at: Mapped[datetime | None]  # when the last sync completed
    failed_at: Mapped[datetime | None]
    failure: Mapped[str] = mapped_column(default="")
    due_at: Mapped[datetime | None]  # when the next refresh is due, in real time


SETUP = Machine(
    "status",
    SetupStatus,
    {
        "launch": move(
            [SetupStatus.SETUP, SetupStatus.ACTIVE],
            SetupStatus.ACTIVE,
            "The autopilot is {state}, so you can't launch plays.",
            "Resume the autopilot first.",
        ),
        "pause": move(
            [SetupStatus.ACTIVE],
            SetupStatus.PAUSED,
            "The autopilot is not active (state: {state}), so you can't pause it.",
            "The autopilot becomes active when you launch your first play.",
        ),
        "resume": move(
            [SetupStatus.PAUSED],
            SetupStatus.ACTIVE,
            "The autopilot is not paused (state: {state}).",
            "You can only resume a paused autopilot.",
        ),
    },
)

R = ProfileState
AT_WORK = [R.READING, R.UNDERSTANDING, R.WRITING]
PROFILE = Machine(
    "profile_state",
    ProfileState,
    {
        "read": move(
            [R.NONE, R.DONE, R.FAILED],
            R.READING,
            "Your business is already being analyzed (state: {state}).",
            "Wait until `profileState` is done or failed, then start again.",
        ),
        "again": move(AT_WORK, R.READING, "No website is being read; the profile is {state}."),
        "understand": move([R.READING], R.UNDERSTANDING, "No website was read; the profile is {state}."),
        "write": move([R.UNDERSTANDING], R.WRITING, "No business was analyzed; the profile is {state}."),
        "finish": move([R.WRITING], R.DONE, "Nothing is being written; the profile is {state}."),
        "fail": move(AT_WORK, R.FAILED, "No analysis is running; the profile is {state}."),
    },
)

P = PlayStatus
PLAY = Machine(
    "status",
    PlayStatus,
    {
        "find": move(
            [P.DESIGNED, P.REVIEW, P.FAILED, P.STOPPED],
            P.FINDING,
            "A {state} play can't look for people.",
            "Wait until the play is ready for review. Stop a scheduled or running play first.",
        ),
        "again": move([P.FINDING, P.WRITING], P.FINDING, "A {state} play isn't looking for people."),
        "write": move([P.FINDING], P.WRITING, "A {state} play has no people yet."),
        "review": move([P.WRITING], P.REVIEW, "A {state} play can't be reviewed yet."),
        "retry": move(
            [P.FAILED], P.FINDING, "This play has not failed; it is {state}.", "You can only retry a failed play."
        ),
        "edit": move(
            [P.REVIEW],
            P.REVIEW,
            "A {state} play can't be changed.",
            "You can change a play only while it is in review. Rebuild a stopped play, or retry a failed one.",
        ),
        "launch": move(
            [P.REVIEW],
            P.SCHEDULED,
            "A {state} play can't be launched.",
            "You can only launch a play in review. Rebuild a stopped play, or retry a failed one.",
        ),
        "run": move([P.SCHEDULED], P.RUNNING, "A {state} play can't start."),
        "stop": move(
            [P.SCHEDULED, P.RUNNING],
            P.STOPPED,
            "A {state} play can't be stopped.",
            "You can only stop a scheduled or running play.",
        ),
        "fail": move([P.DESIGNED, P.FINDING, P.WRITING, P.SCHEDULED], P.FAILED, "A {state} play can't fail."),
    },
)
