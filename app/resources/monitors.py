"""Monitors, the people they found, and how these fit, as API resources."""

from datetime import datetime
from typing import Any, Literal, get_args

from pydantic import Field

from app.models import monitors
from app.resources.base import Json, Resource, Shape

FOUND_STATES = tuple(monitors.FoundState)
Every = Literal["hour", "day"]
Row = Literal["titles", "companyType", "size", "location"]
ROWS = get_args(Row)


class FitRow(Shape):
    """The words of one targeting row; each is an alternative."""

    row: Row
    matched: list[str]
    missed: list[str]
    unknown: list[str] = Field(description="There is not enough data about the person.")


class Fit(Shape):
    """How a person fits a targeting: how many known rows match."""

    matched: int
    known: int
    rows: list[FitRow]


def fit_of(found: Any) -> Json | None:
    """Build the fit, None without a targeting."""
    if found is None:
        return None
    rows = [{name: list(one) if name != "row" else one for name, one in row._asdict().items()} for row in found.rows]
    return {"matched": found.matched, "known": found.known, "rows": rows}


class MonitorCounts(Shape):
    """How many of the people found are in each state."""

    held: int
    added: int
    declined: int
    left_out: int


class LeftOut(Shape):
    """How many people were left out for one reason."""

    reason: str
    message: str
    people: int


class MonitorRun(Shape):
    """A run: people read, new people found, and those left out by reason; `endedAt` is null while it runs."""

    began_at: datetime
    ended_at: datetime | None
    read: int
    found: int
    left_out: list[LeftOut]


class MonitorTargeting(Shape):
    """Words by row, for a signal's search and for the fit."""

    titles: list[str]
    company_type: list[str]
    size: list[str]
    location: list[str]


class Monitor(Resource):
    """A watched search or signal that adds a few new people a day to a list and optionally a campaign.

    `note` says what it waits for, `error` why it stopped, `nextAt` when it runs next.
    """

    id: int
    name: str
    kind: monitors.MonitorKind
    address: str
    account_id: int | None
    signal: str
    targeting: MonitorTargeting
    list_id: int | None
    campaign_id: int | None
    every: Every
    most_per_day: int
    automatic: bool = Field(description="People are added without a decision.")
    state: monitors.MonitorState
    people: MonitorCounts
    last_run: MonitorRun | None
    next_at: datetime | None
    note: str
    error: str
    created_at: datetime

    @classmethod
    def of(cls, shown: Any) -> Json:
        monitor = shown.monitor
        same = ("name", "kind", "address", "signal", "every", "automatic", "state", "note", "error")
        run = {
            "beganAt": monitor.run_at,
            "endedAt": monitor.run_ended_at,
            "read": monitor.run_read,
            "found": monitor.run_found,
            "leftOut": [left_out_of(*one) for one in shown.left_out],
        }
        return {"id": monitor.id, **{name: getattr(monitor, name) for name in same}} | {
            "accountId": monitor.account_id,
            "targeting": {row: list(monitor.targeting.get(row, ())) for row in ROWS},
            "listId": monitor.list_id,
            "campaignId": monitor.campaign_id,
            "mostPerDay": monitor.most_per_day,
            "people": {
                "held": shown.counts.get("held", 0),
                "added": shown.counts.get("added", 0),
                "declined": shown.counts.get("declined", 0),
                "leftOut": shown.counts.get("left_out", 0),
            },
            "lastRun": run if monitor.run_at else None,
            "nextAt": monitor.due_at,
            "createdAt": monitor.created_at,
        }

    @classmethod
    def many(cls, things: Any) -> list[Json]:
        return [cls.of(one) for one in things]


def left_out_of(code: str, message: str, people: int) -> Json:
    """Build one reason with its number."""
    return {"reason": code, "message": message, "people": people}


class MonitorPerson(Resource):
    """A person found by a monitor: held for a decision, added, declined, or left out with a reason."""

    id: int
    state: monitors.FoundState
    reason: str = Field(description='Why they are left out, also by the campaign later; "" otherwise.')
    person_id: int | None
    lead_id: int | None
    public_id: str
    profile_url: str
    first_name: str
    last_name: str
    headline: str
    position: str
    company_name: str
    location: str
    email: str
    facts: dict[str, str] = Field(description="Facts from the signal, by variable.")
    fit: Fit | None
    found_at: datetime
    decided_at: datetime | None
    decided_by: str

    @classmethod
    def of(cls, entry: Any) -> Json:
        row, found = entry.row, entry.found
        return {
            "id": row.id,
            "state": row.state,
            "reason": row.reason,
            "personId": row.person_id,
            "leadId": entry.lead_id or None,
            "publicId": found.public_id,
            "profileUrl": found.profile_url,
            "firstName": found.first_name,
            "lastName": found.last_name,
            "headline": found.headline,
            "position": found.title,
            "companyName": found.company,
            "location": found.location,
            "email": found.email,
            "facts": dict(found.facts),
            "fit": fit_of(entry.fit),
            "foundAt": row.found_at,
            "decidedAt": row.decided_at,
            "decidedBy": row.decided_by,
        }

    @classmethod
    def many(cls, things: Any) -> list[Json]:
        return [cls.of(one) for one in things]


class MonitorDecision(Resource):
    """The effect of a decision: people changed, people decided before, and people left out."""

    changed: int
    skipped: int
    left_out: list[LeftOut]

    @classmethod
    def of(cls, changed: int, skipped: int, left_out: Any) -> Json:  # type: ignore[override]
        return {"changed": changed, "skipped": skipped, "leftOut": [left_out_of(*one) for one in left_out]}
