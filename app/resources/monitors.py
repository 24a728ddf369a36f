"""Monitors, the people they found, and how these fit, as API resources."""

from datetime import datetime
from typing import Any, Literal, get_args

from app.models import monitors
from app.resources.base import Json, Resource, Shape

FOUND_STATES = tuple(monitors.FoundState)
Every = Literal["hour", "day"]
Row = Literal["titles", "companyType", "size", "location"]
ROWS = get_args(Row)


class FitRow(Shape):
    """The words of one targeting row; each is an alternative."""

    row: Row
    """The row of the targeting."""
    matched: list[str]
    """Words of the row that the person's profile has."""
    missed: list[str]
    """Words of the row that it does not have."""
    unknown: list[str]
    """True if there is not enough data about the person."""


class Fit(Shape):
    """How a person fits a targeting: how many known rows match."""

    matched: int
    """How many rows match."""
    known: int
    """How many rows could be compared; the others had no data."""
    rows: list[FitRow]
    """The rows that could be compared."""


def fit_of(found: Any) -> Json | None:
    """Build the fit, None without a targeting."""
    if found is None:
        return None
    rows = [{name: list(one) if name != "row" else one for name, one in row._asdict().items()} for row in found.rows]
    return {"matched": found.matched, "known": found.known, "rows": rows}


class MonitorCounts(Shape):
    """How many of the people found are in each state."""

    held: int
    """People who wait for a decision."""
    added: int
    """People who were added to the list."""
    declined: int
    """People you declined."""
    left_out: int
    """People who were left out by a rule."""


class LeftOut(Shape):
    """How many people were left out for one reason."""

    reason: str
    """The reason as a stable code."""
    message: str
    """The reason as a sentence to show."""
    people: int
    """How many people it applies to."""


class MonitorRun(Shape):
    """A run: people read, new people found, and those left out by reason; `endedAt` is null while it runs."""

    began_at: datetime
    """When the run began."""
    ended_at: datetime | None
    """When the run ended; null while it runs."""
    read: int
    """People read."""
    found: int
    """People the monitor had not seen before."""
    left_out: list[LeftOut]
    """People who were left out, by reason."""


class MonitorTargeting(Shape):
    """Words by row, for a signal's search and for the fit."""

    titles: list[str]
    """Job titles."""
    company_type: list[str]
    """Kinds of company or industries."""
    size: list[str]
    """Company sizes."""
    location: list[str]
    """Places."""


class Monitor(Resource):
    """A watched search or signal that adds a few new people a day to a list and optionally a campaign.

    `note` says what it waits for, `error` why it stopped, `nextAt` when it runs next.
    """

    id: int
    """The id of the monitor."""
    name: str
    """The name of the monitor."""
    kind: monitors.MonitorKind
    """What is watched: a search or a signal."""
    address: str
    """The address of the search; empty for a signal."""
    account_id: int | None
    """The LinkedIn account that reads the search; null for a signal, or if it was removed."""
    signal: str
    """The signal that is watched; empty for a search."""
    targeting: MonitorTargeting
    """What people are compared with."""
    list_id: int | None
    """The list people are added to; null if it was deleted."""
    campaign_id: int | None
    """The campaign people are added to; null if there is none."""
    every: Every
    """How often the monitor runs."""
    most_per_day: int
    """The most new people a day."""
    automatic: bool
    """Whether people are added without a decision."""
    state: monitors.MonitorState
    """Whether the monitor is active."""
    people: MonitorCounts
    """How many people were found, by state."""
    last_run: MonitorRun | None
    """The last run; null before the first."""
    next_at: datetime | None
    """When the monitor runs next; null while paused."""
    note: str
    """What it waits for, as a sentence; empty if nothing."""
    error: str
    """Why it stopped; empty if it runs."""
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
            "leftOut": [left_out_of(*one) for one in shown.left_out],
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

    @classmethod
    def many(cls, things: Any) -> list[Json]:
        return [cls.of(one) for one in things]


def left_out_of(code: str, message: str, people: int) -> Json:
    """Build one reason with its number."""
    return {"reason": code, "message": message, "people": people}


class MonitorPerson(Resource):
    """A person found by a monitor: held for a decision, added, declined, or left out with a reason."""

    id: int
    """The id of the person found."""
    state: monitors.FoundState
    """The person's state."""
    reason: str
    """Why they are left out, also by the campaign later; "" otherwise."""
    person_id: int | None
    """The person in the workspace; null until added."""
    lead_id: int | None
    """The lead in the list; null until added."""
    public_id: str
    """The last part of the LinkedIn profile's URL; empty if no profile is known."""
    profile_url: str
    """The URL of the LinkedIn profile; empty if no profile is known."""
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
    """Facts from the signal, by variable."""
    fit: Fit | None
    """How the person fits the targeting; null if there is none to compare with."""
    found_at: datetime
    """When the monitor found the person."""
    decided_at: datetime | None
    """When it was decided; null before."""
    decided_by: str
    """The name of the member or API key that decided; empty if no one did."""

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
            fit=fit_of(entry.fit),
        )

    @classmethod
    def many(cls, things: Any) -> list[Json]:
        return [cls.of(one) for one in things]


class MonitorDecision(Resource):
    """The effect of a decision: people changed, people decided before, and people left out."""

    changed: int
    """How many people the decision changed."""
    skipped: int
    """How many people were decided before."""
    left_out: list[LeftOut]
    """People who were left out after all, by reason."""

    @classmethod
    def of(cls, changed: int, skipped: int, left_out: Any) -> Json:  # type: ignore[override]
        return {"changed": changed, "skipped": skipped, "leftOut": [left_out_of(*one) for one in left_out]}
