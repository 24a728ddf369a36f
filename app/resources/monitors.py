"""Monitors, the people they found, and how these fit, as API resources."""

from datetime import datetime
from typing import Any, Literal, get_args

from app.models import monitors
from app.resources.base import Json, ReasonCode, Resource, Shape, Values

FOUND_STATES = tuple(monitors.FoundState)
Every = Literal["hour", "day"]
Row = Literal["titles", "companyType", "size", "location"]
ROWS = get_args(Row)


class FitRow(Shape):
    """How well a person fits the targeting values of one kind, such as job titles."""

    row: Row
    """The kind of targeting values."""
    matched: list[str]
    """The targeting values that match the person."""
    missed: list[str]
    """The targeting values that do not match the person."""
    unknown: list[str]
    """The targeting values that cannot be compared, because data about the person is missing."""


class Fit(Shape):
    """How well a person fits the targeting."""

    matched: int
    """How many kinds of targeting values match the person."""
    known: int
    """How many kinds of targeting values could be compared with the person's data."""
    rows: list[FitRow]
    """The result for each kind of targeting value."""


class MonitorCounts(Shape):
    """How many of the people found by a monitor are in each state."""

    held: int
    """How many people are waiting for a decision."""
    added: int
    """How many people were added to the list."""
    declined: int
    """How many people you declined."""
    left_out: int
    """How many people were excluded by a rule."""


class LeftOut(Values):
    """A reason why people were excluded, with the number of people."""

    reason: ReasonCode
    """The reason as a stable code."""
    message: str
    """The reason as a sentence you can show to users."""
    people: int
    """How many people the reason applies to."""


class MonitorRun(Shape):
    """A run of a monitor."""

    began_at: datetime
    """When the run started."""
    ended_at: datetime | None
    """When the run ended; null while it is running."""
    read: int
    """How many people the run has read."""
    found: int
    """How many of the people were new to the monitor."""
    left_out: list[LeftOut]
    """How many people were excluded, by reason."""


class MonitorTargeting(Shape):
    """The people to look for."""

    titles: list[str]
    """Job titles to look for."""
    company_type: list[str]
    """Kinds of company, or industries, to look for."""
    size: list[str]
    """Company sizes to look for."""
    location: list[str]
    """Places to look in."""


class Monitor(Resource):
    """A search or signal that is watched for new people, who are added to a list and, optionally, a campaign."""

    id: int
    """The id of the monitor."""
    name: str
    """The name of the monitor."""
    kind: monitors.MonitorKind
    """What the monitor watches: a search or a signal."""
    address: str
    """The URL of the LinkedIn search; empty for a signal."""
    account_id: int | None
    """The id of the LinkedIn account that loads the results; null for a signal, or if the account has been removed."""
    signal: str
    """The signal that is watched; empty for a search."""
    targeting: MonitorTargeting
    """The people to look for, also used to measure how well people fit."""
    list_id: int | None
    """The id of the list to which people are added; null if the list was deleted."""
    campaign_id: int | None
    """The id of the campaign to which people are added; null if there is none."""
    every: Every
    """How often the monitor runs."""
    most_per_day: int
    """The maximum number of new people per day."""
    automatic: bool
    """Whether people are added automatically, without waiting for a decision."""
    state: monitors.MonitorState
    """Whether the monitor is active."""
    people: MonitorCounts
    """How many people were found, by state."""
    last_run: MonitorRun | None
    """The last run; null before the first run."""
    next_at: datetime | None
    """When the monitor runs next; null while it is paused."""
    note: str
    """What the monitor is waiting for, as a sentence; empty if it is not waiting."""
    error: str
    """Why the monitor stopped; empty if it has not stopped."""
    created_at: datetime
    """When the monitor was created."""

    @classmethod
    def of(cls, shown: Any) -> Json:
        monitor = shown.monitor
        run = {
            "beganAt": monitor.run_at,
            "endedAt": monitor.run_ended_at,
            "read": monitor.run_read,
            "found": monitor.run_found,
            "leftOut": [LeftOut.of(*one) for one in shown.left_out],
        }
        return cls.filled(
            monitor,
            targeting={row: list(monitor.targeting.get(row, ())) for row in ROWS},
            people={
                "held": shown.counts.get("held", 0),
                "added": shown.counts.get("added", 0),
                "declined": shown.counts.get("declined", 0),
                "leftOut": shown.counts.get("left_out", 0),
            },
            last_run=run if monitor.run_at else None,
            next_at=monitor.due_at,
        )


class MonitorPerson(Resource):
    """A person found by a monitor, who is waiting for a decision or has been added, declined or excluded."""

    id: int
    """The id of this entry; the person's own id is `personId`."""
    state: monitors.FoundState
    """Whether the person is waiting for a decision, or has been added, declined or excluded."""
    reason: ReasonCode
    """Why the person was excluded by the monitor or, later, by the campaign; empty if the person was not excluded."""
    person_id: int | None
    """The id of the person; null until the person is added."""
    lead_id: int | None
    """The id of the person's lead in the list; null until the person is added."""
    public_id: str
    """The last part of the LinkedIn profile's URL; empty if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if it is not known."""
    first_name: str
    """The first name; empty if not known."""
    last_name: str
    """The last name; empty if not known."""
    headline: str
    """The headline of the profile; empty if not known."""
    position: str
    """The job title; empty if not known."""
    company_name: str
    """The name of the company; empty if not known."""
    location: str
    """The person's location, as stated on their profile; empty if not known."""
    email: str
    """The email address; empty if not known."""
    facts: dict[str, str]
    """Facts from the signal, by variable name."""
    fit: Fit | None
    """How well the person fits the targeting; null if there is no targeting to compare with."""
    found_at: datetime
    """When the monitor found the person."""
    decided_at: datetime | None
    """When the decision was made; null before the decision."""
    decided_by: str
    """The name of the member or API key that made the decision; empty before the decision."""

    @classmethod
    def of(cls, entry: Any) -> Json:
        row, found = entry.row, entry.found
        return cls.filled(
            row,
            lead_id=entry.lead_id or None,
            public_id=found.public_id,
            profile_url=found.profile_url,
            first_name=found.first_name,
            last_name=found.last_name,
            headline=found.headline,
            position=found.title,
            company_name=found.company,
            location=found.location,
            email=found.email,
            facts=dict(found.facts),
            fit=entry.fit,
        )


class MonitorDecision(Values):
    """The result of accepting or declining people."""

    changed: int
    """How many people were accepted or declined."""
    skipped: int
    """How many people were skipped because they had already been decided on."""
    left_out: list[LeftOut]
    """How many of the accepted people were excluded by a rule, by reason."""
