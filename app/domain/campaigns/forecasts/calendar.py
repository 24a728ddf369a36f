"""The fortnight of a workspace: what each sender does on each day for which campaign, and why it does nothing.

All campaigns that run or begin are simulated together, so that senders serve them in turn as they really do. A calendar
is kept for some minutes.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from copy import copy
from dataclasses import astuple, dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import insert, session, transaction
from app.domain.approvals import drafting
from app.domain.campaigns.forecasts import forecast
from app.domain.campaigns.simulation import responses
from app.domain.campaigns.simulation.simulation import SimulatedAction, SimulatedCampaign, SimulatedLead, Simulation
from app.domain.ledger.rates import Responses
from app.domain.rules import limits, planner
from app.domain.rules.contact_rules import Caps
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import places, working_hours
from app.domain.rules.sequences.branches import Flow
from app.domain.senders import accounts
from app.models.accounts import Account, Budget
from app.models.campaigns import OPEN_STATES, CalendarForecast, Campaign, CampaignLead, CampaignStatus
from app.models.people import Person
from app.models.workspaces import Workspace

DAYS = 14
MOST_CAMPAIGNS, LEAST_PEOPLE = 100, 200
KEPT_NEXT = 100  # next actions to store: some of them pass while a calendar is kept
VERSION = 2  # of the stored format
_LIVE = (CampaignStatus.RUNNING, CampaignStatus.STARTING, CampaignStatus.SCHEDULED)
_WAITING = (CampaignStatus.PAUSED, CampaignStatus.LOCKED)


class Work(NamedTuple):
    """A number of actions of one budget for one campaign."""

    campaign_id: int
    budget: str
    number: int


@dataclass(frozen=True)
class Entry:
    """What one sender does on one day, or why nothing: `idle` is a code, and `detail` the name of a holiday or so."""

    sender_id: int
    work: tuple[Work, ...] = ()
    idle: str = ""
    detail: str = ""

    @property
    def total(self) -> int:
        """Return how many actions there are, withdrawals aside: no one is contacted by them."""
        return sum(one.number for one in self.work if one.budget != "withdraw")

    @property
    def by_budget(self) -> Counter[str]:
        """Return how many actions of each budget there are."""
        found = Counter[str]()
        for one in self.work:
            found[one.budget] += one.number
        return found

    @property
    def by_campaign(self) -> Counter[int]:
        """Return how many actions of each campaign there are."""
        found = Counter[int]()
        for one in self.work:
            found[one.campaign_id] += one.number
        return found

    @property
    def sentence(self) -> str:
        """Return why nothing is done, in words."""
        return IDLE[self.idle].format(self.detail) if self.idle in IDLE else WaitReason(self.idle).sentence


# Why a sender does nothing on a day; what is not here is a reason of `rules.reasons`.
IDLE = {
    "weekend": "Weekend",
    "day_off": "Not a working day",
    "holiday": "{}",
    "away": "Away",
    "blackout": "Blackout date: {}",
    "campaign_day": "Not a sending day of this sender's campaigns",
    "no_campaign": "In no running campaign",
    "campaign_paused": "Campaign paused",
    "no_one_due": "No one is due",
}


@dataclass(frozen=True)
class CalendarDay:
    """One day of the workspace, with what each of its senders does."""

    date: date
    entries: Sequence[Entry]


@dataclass(frozen=True)
class Calendar:
    """The next fortnight: its days, the names of senders and campaigns, and the campaigns that wait for a human."""

    days: Sequence[CalendarDay]
    senders: dict[int, str]
    campaigns: dict[int, str]
    waiting: Sequence[tuple[int, str]]
    made_at: datetime
    next: Sequence[SimulatedAction] = ()  # the rest of today, without actions that wait for approval


def find_cached(workspace: Workspace) -> Calendar | None:
    """Return the stored calendar; None when there is none for the campaigns and senders as they are."""
    known = session().get(CalendarForecast, workspace.id)
    if known is None or known.basis != _basis(workspace):
        return None
    at = workspace.now()
    same_day = _day_of(workspace, known.made_at) == _day_of(workspace, at)
    young = timedelta() <= at - known.made_at < forecast.YOUNG
    return _from_body(known.body, known.made_at) if young and same_day else None


def make_cached(workspace: Workspace) -> Calendar:
    """Make the calendar and store it."""
    basis, made = _basis(workspace), make(workspace)
    row = insert(CalendarForecast).values(
        workspace_id=workspace.id, basis=basis, body=_to_body(made), made_at=made.made_at
    )
    changes = {name: row.excluded[name] for name in ("basis", "body", "made_at")}
    with transaction() as current:
        current.execute(row.on_conflict_do_update(index_elements=["workspace_id"], set_=changes))
    return made


def coming(workspace: Workspace, found: Calendar) -> list[tuple[SimulatedAction, CampaignLead, Person]]:
    """Return the next actions that are still ahead, each with its person in the campaign."""
    ahead = [one for one in found.next if one.at >= workspace.now()]
    query = (
        sa.select(CampaignLead, Person)
        .join(Person, Person.id == CampaignLead.person_id)
        .where(CampaignLead.workspace_id == workspace.id, CampaignLead.id.in_({one.person_id for one in ahead}))
        .where(CampaignLead.state.in_(OPEN_STATES), CampaignLead.reason != drafting.WAITING)
    )
    people = {row[0].id: row for row in session().execute(query)}
    return [(one, *people[one.person_id]) for one in ahead if one.person_id in people]


def make(workspace: Workspace) -> Calendar:
    """Simulate the fortnight from now and, without the drafts that wait, the rest of today; write nothing."""
    at, live = workspace.now(), _campaigns(workspace, _LIVE)
    today = _day_of(workspace, at)
    lanes = {campaign.id: forecast.senders_of(workspace, campaign) for campaign in live}
    used = {account.id: account for theirs in lanes.values() for account in theirs}
    people, caps = [], Caps.of(workspace.contact_caps)
    for campaign in live:
        mine = lanes[campaign.id]
        most = max(LEAST_PEOPLE, DAYS * limits.ALL_SOCIAL * max(len(mine), 1) // len(live))
        people += forecast.people_of(workspace, campaign, mine, at, most)
    forecast.with_touches(people, caps, at)
    waits = sa.select(CampaignLead.id).where(CampaignLead.reason == drafting.WAITING)
    waits_for_approval = set(session().scalars(waits.where(CampaignLead.workspace_id == workspace.id)))
    rates = responses.measure(workspace).rates

    def simulated(walkers: list[SimulatedLead], days: int) -> list[SimulatedCampaign]:
        senders = forecast.on_the_virtual_clock(list(used.values()), {}, at)
        courses = [SimulatedCampaign(forecast.view_of(workspace, one, at), Flow.of(one)) for one in live]
        forecast.with_invitations(senders, walkers, at)
        end = working_hours.midnight(workspace.timezone, today + timedelta(days=days))
        Simulation(courses, senders, walkers, at, Responses(rates), caps).run(end)
        return courses

    next_ones = _next(simulated([copy(one) for one in people if one.id not in waits_for_approval], 1))
    courses = simulated(people, DAYS)
    waiting = _campaigns(workspace, _WAITING)
    everyone = [account for account in accounts.every(workspace) if account.active or account.id in used]
    return Calendar(
        days=_days(workspace, at, everyone, lanes, courses, waiting),
        senders=accounts.names(everyone),
        campaigns={campaign.id: campaign.name for campaign in live},
        waiting=[(campaign.id, campaign.name) for campaign in waiting],
        made_at=at,
        next=next_ones,
    )


def _next(courses: Sequence[SimulatedCampaign]) -> list[SimulatedAction]:
    """Return what was simulated, soonest first: a text in several messages once, no withdrawals and no tasks."""
    found = {(one.person_id, one.step): one for course in courses for one in reversed(course.actions)}
    ours = (one for one in found.values() if one.budget not in ("withdraw", Budget.TASK))
    return sorted(ours, key=lambda one: one.at)[:KEPT_NEXT]


def _campaigns(workspace: Workspace, statuses: Sequence[str]) -> Sequence[Campaign]:
    query = sa.select(Campaign).where(Campaign.workspace_id == workspace.id, Campaign.status.in_(statuses))
    return session().scalars(query.order_by(Campaign.id.desc()).limit(MOST_CAMPAIGNS)).all()


def _day_of(workspace: Workspace, at: datetime) -> date:
    return at.astimezone(ZoneInfo(workspace.timezone)).date()


def _days(
    workspace: Workspace,
    at: datetime,
    everyone: Sequence[Account],
    lanes: dict[int, Sequence[Account]],
    courses: Sequence[SimulatedCampaign],
    waiting: Sequence[Campaign],
) -> list[CalendarDay]:
    """Return the days with what was simulated, and why a sender does nothing on one."""
    zone = ZoneInfo(workspace.timezone)
    done: defaultdict[tuple[date, int], Counter[tuple[int, str]]] = defaultdict(Counter)
    for course in courses:
        for action in course.actions:
            done[action.at.astimezone(zone).date(), action.sender_id][course.view.id, action.budget] += 1
    views = {account.id: SenderView.of(account, limits.Usage()) for account in everyone}
    mine: defaultdict[int, list[CampaignView]] = defaultdict(list)
    for course in courses:
        for account in lanes[course.view.id]:
            mine[account.id].append(course.view)
    paused = {account_id for campaign in waiting for account_id in campaign.sender_ids}
    today = _day_of(workspace, at)
    days = []
    for day in (today + timedelta(days=number) for number in range(DAYS)):
        entries = []
        for account in everyone:
            work = done.get((day, account.id))
            if work:
                rows = tuple(Work(*key, number) for key, number in work.most_common())
                entries.append(Entry(account.id, rows))
            else:
                code, detail = _idle(views[account.id], mine[account.id], day, account.id in paused)
                entries.append(Entry(account.id, idle=code, detail=detail))
        days.append(CalendarDay(day, entries))
    return days


def _idle(sender: SenderView, campaigns: Sequence[CampaignView], day: date, paused: bool) -> tuple[str, str]:
    """Return why a sender does nothing on a day: a code, and the name of what closes it."""
    if stopped := planner.sender_block(sender):
        return stopped.code, ""
    if not campaigns:
        return ("campaign_paused" if paused else "no_campaign"), ""
    if sender.window.closed_on(day):
        return "away", ""
    if not _open(sender.window, day):
        return ("weekend" if day.isoweekday() > 5 else "day_off"), ""
    keeps = working_hours.always(sender.window.timezone, region=sender.region)
    holiday = keeps.closed_on(day) if all(campaign.holidays for campaign in campaigns) else None
    if holiday:
        return "holiday", f"{holiday.name} in {places.country_name(sender.region)}"
    closures = [campaign.window.closed_on(day) for campaign in campaigns]
    if all(closures):
        return "blackout", next((closure.name for closure in closures if closure and closure.name), "")
    if not any(_open(campaign.window, day) for campaign in campaigns):
        return "campaign_day", ""
    return "no_one_due", ""


def _open(window: working_hours.Window, day: date) -> bool:
    return bool(working_hours.hours(window, day))


def _basis(workspace: Workspace) -> str:
    """Return a hash of the campaigns and senders from which the calendar is made."""
    known, senders = _campaigns(workspace, [*_LIVE, *_WAITING]), accounts.every(workspace)
    parts = [part for one in known for part in (one.name, forecast.basis_of(workspace, one))]
    parts += [forecast.basis_of_senders(senders), *(one.name for one in senders), workspace.timezone, str(VERSION)]
    return f"{crc32(json.dumps(parts).encode()):08x}"


def _to_body(made: Calendar) -> dict[str, Any]:
    return {
        "days": [
            [day.date.isoformat(), [[one.sender_id, one.work, one.idle, one.detail] for one in day.entries]]
            for day in made.days
        ],
        "senders": list(made.senders.items()),
        "campaigns": list(made.campaigns.items()),
        "waiting": made.waiting,
        "next": [(one.at.isoformat(), *astuple(one)[1:]) for one in made.next],
    }


def _from_body(body: dict[str, Any], made_at: datetime) -> Calendar:
    days = [
        CalendarDay(
            date.fromisoformat(day),
            [Entry(sender, tuple(Work(*one) for one in work), idle, detail) for sender, work, idle, detail in entries],
        )
        for day, entries in body["days"]
    ]
    waiting = [(campaign_id, name) for campaign_id, name in body["waiting"]]
    coming_next = [SimulatedAction(datetime.fromisoformat(at), *rest) for at, *rest in body["next"]]
    return Calendar(days, dict(body["senders"]), dict(body["campaigns"]), waiting, made_at, coming_next)
