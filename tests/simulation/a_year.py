"""Twelve senders of four countries at work for a year, and what the ledger says of their days.

Half of them only invite; the others run a sequence with a split, texts that are compared, messages and a person's own
time zone. Hours, holidays, absences and blackout dates are read again from the calendar here; none of the product's own
rules are asked.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import combinations
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import holidays
import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.campaigns import workspace_blackouts
from app.domain.installation.sandbox import sandbox_clock
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign
from tests.support.movable import Movable

BEGIN = datetime(2026, 1, 5, 0, tzinfo=UTC)  # a Monday
LIMIT, OPENS, CLOSES = 15, time(9), time(17, 30)


class Country(NamedTuple):
    """Where senders and people are."""

    code: str
    zone: str
    place: str


COUNTRIES = (
    Country("DE", "Europe/Berlin", "Berlin, Germany"),
    Country("US", "America/New_York", "New York City, United States"),
    Country("GB", "Europe/London", "London, United Kingdom"),
    Country("AU", "Australia/Sydney", "Sydney, Australia"),
)
INVITE: list[dict[str, Any]] = [{"type": "connection_request"}]
BENT: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {"type": "connection_request", "delay": {"value": 1, "unit": "days"}, "message": "Hello {{first_name}}"},
    {
        "type": "message",
        "delay": {"value": 1, "unit": "days"},
        "variants": [{"message": "How do you ship {{first_name}}?"}, {"message": "Who ships for you, {{first_name}}?"}],
    },
    {"type": "follow"},
    {"type": "message", "delay": {"value": 4, "unit": "days"}, "message": "Still curious."},
]
SPLIT = [{"at": 2, "otherwise": 3, "join": 4, "when": {"is": "accepted", "within": {"value": 5, "unit": "days"}}}]
BLACKOUT = {"name": "Trade fair", "firstDay": "2026-06-15", "lastDay": "2026-06-17"}
CLOSED = {"name": "Company days", "firstDay": "2026-09-21", "lastDay": "2026-09-22"}
LUNCHES = [
    {"days": [1, 2, 3, 4, 5], "start": "08:00", "end": "12:00"},
    {"days": [1, 2, 4], "start": "13:00", "end": "19:00"},
]


@dataclass
class Team:
    """The workspace, each sender's country and absences, and which campaign only invites."""

    workspace: Workspace
    countries: Mapping[int, Country]
    away: Mapping[int, Sequence[tuple[date, date]]]
    inviting: int
    bent: int
    weeks: int


def someone(number: int, kind: str) -> dict[str, str]:
    """One of the people; a fifth say nowhere where they are."""
    place = "" if number % 5 == 4 else COUNTRIES[number % 4].place
    name = f"{'accepts-' if number % 3 or kind == 'a' else 'ignores-'}{kind}{number}"
    return {"publicId": name, "firstName": f"First{number}", "location": place, "companyName": f"{kind} {number}"}


def work(clock: Movable, weeks: int, senders: int = 12, limit: int = LIMIT) -> Team:
    """Let the senders work for so many weeks."""
    clock.to(BEGIN - timedelta(days=1))
    workspace = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True, seed=5)
    for former in accounts.every(workspace):
        accounts.switch(workspace, former.id, active=False)
    countries: dict[int, Country] = {}
    away: dict[int, list[tuple[date, date]]] = {}
    for number in range(senders):
        country = COUNTRIES[number % len(COUNTRIES)]
        account = accounts.connect(workspace, provider="sandbox", name=f"Sender {number}", timezone=country.zone)
        spans = [(BEGIN.date() + timedelta(days=7 * first + number), number % 5 + 3) for first in (9, 27, 41)]
        away[account.id] = [(first, first + timedelta(days=days)) for first, days in spans]
        accounts.edit(
            workspace,
            account.id,
            start=f"{OPENS:%H:%M}",
            end=f"{CLOSES:%H:%M}",
            days=[1, 2, 3, 4, 5],
            limits={"invite": limit},
            paced=True,
            country=country.code,
            away=[{"firstDay": str(a), "lastDay": str(b), "handOverTo": None} for a, b in away[account.id]],
        )
        countries[account.id] = country
    workspace_blackouts.replace(workspace, [CLOSED])
    ids = list(countries)
    half = len(ids) // 2
    hours = {"timezone": "UTC", "windows": [{"days": list(range(1, 8)), "start": "00:00", "end": "23:59"}]}
    people = [someone(number, "a") for number in range(weeks * 5 * limit * half)]
    inviting = a_campaign(workspace, people, INVITE, senders=ids[:half], schedule=hours, name="Campaign a").id
    hours = {"timezone": "Europe/Berlin", "windows": LUNCHES, "recipientTime": True, "blackouts": [BLACKOUT]}
    hours["newPeoplePerDay"] = 20
    people = [someone(number, "b") for number in range(weeks * 5 * 20)]
    bent = a_campaign(workspace, people, BENT, senders=ids[half:], schedule=hours, name="Campaign b", branches=SPLIT).id
    for _ in range(weeks):
        sandbox_clock.advance(workspace, 7 * 24)
        session().expire_all()
    end_read()
    return Team(workspace, countries, away, inviting, bent, weeks)


class Act(NamedTuple):
    """A row of the ledger, with where its person is."""

    at: datetime
    sender: int
    campaign: int
    kind: str
    location: str


def acts(team: Team) -> list[Act]:
    """Everything that was done for the campaigns, oldest first."""
    query = (
        sa.select(Action.at, Action.sender_id, Action.campaign_id, Action.kind, Person.location)
        .join(Person, Person.id == Action.person_id)
        .where(Action.workspace_id == team.workspace.id, Action.state.in_(["sending", "sent", "unknown"]))
    )
    return [Act(*row) for row in session().execute(query.order_by(Action.at, Action.id))]


def breaches(team: Team, found: Sequence[Act]) -> Iterator[tuple[str, Act]]:
    """Yield what happened outside hours, on a holiday, on blackout dates or in an absence."""
    kept = {one.code: holidays.country_holidays(one.code, years=[2026, 2027]) for one in COUNTRIES}
    places = {one.place: one for one in COUNTRIES}
    for act in found:
        mine, theirs = team.countries[act.sender], places.get(act.location)
        local = act.at.astimezone(ZoneInfo(mine.zone))
        today = local.date()
        if today.isoweekday() > 5 or not OPENS <= local.time() < CLOSES:
            yield "outside the sender's hours", act
        if today in kept[mine.code]:
            yield f"on a holiday of the sender: {kept[mine.code][today]}", act
        if any(first <= today <= last for first, last in team.away[act.sender]):
            yield "while the sender was away", act
        there = act.at.astimezone(ZoneInfo(theirs.zone)) if theirs else local
        if theirs and there.date() in kept[theirs.code]:
            yield f"on a holiday of the person: {kept[theirs.code][there.date()]}", act
        for days, zone in ((CLOSED, "UTC" if act.campaign == team.inviting else "Europe/Berlin"), (BLACKOUT, "")):
            if zone or act.campaign == team.bent:
                day = act.at.astimezone(ZoneInfo(zone or "Europe/Berlin")).date().isoformat()
                if days["firstDay"] <= day <= days["lastDay"]:
                    yield f"on blackout dates: {days['name']}", act
        if act.campaign == team.bent and not any(
            there.isoweekday() in one["days"] and one["start"] <= f"{there:%H:%M}" < one["end"] for one in LUNCHES
        ):
            yield "outside the campaign's hours where the person is", act


def shared_seconds(found: Sequence[Act]) -> tuple[int, float]:
    """Return how often two senders acted in one second, and how often chance would have it.

    Chance: how often they do when one of them is read some minutes earlier or later, in hours as busy as these. Read
    weeks later, a part of the time would meet no one: of ten weeks a quarter.
    """
    theirs: defaultdict[int, set[int]] = defaultdict(set)
    for act in found:
        theirs[act.sender].add(int(act.at.timestamp()))
    shifts = [sign * 61 * number for number in range(1, 21) for sign in (1, -1)]
    together = sum(len(theirs[a] & theirs[b]) for a, b in combinations(theirs, 2))
    apart = sum(
        len(theirs[a] & {second + shift for second in theirs[b]})
        for a, b in combinations(theirs, 2)
        for shift in shifts
    )
    return together, apart / len(shifts)
