"""Filters of campaign leads, shared by every count and every list."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core import paging
from app.core.db import has_every_word, is_sqlite, session
from app.core.paging import Page
from app.domain.leads.campaign_leads import campaign_leads, open_tasks, why_waiting
from app.domain.rules.reasons import WaitReason
from app.domain.rules.sequences import step_keys
from app.domain.rules.step_kinds import STEPS
from app.models.accounts import Budget
from app.models.campaigns import (
    CAMPAIGN,
    CAMPAIGN_LEAD,
    OPEN_STATES,
    UNENDED_STATES,
    Campaign,
    CampaignLead,
    LeadState,
)
from app.models.conversations import Conversation, Direction, Message, Sentiment
from app.models.ledger import Action, ActionState
from app.models.meetings import Meeting, MeetingState
from app.models.people import Person
from app.models.webhooks import Event
from app.models.workspaces import Workspace

STATES = [str(state) for state in LeadState]
WAITING = UNENDED_STATES
PERIODS: dict[str, int | None] = {"7": 7, "30": 30, "all": None}
REACHING = [name for name, step in STEPS.items() if step.reaches]
SENT = [name for name, step in STEPS.items() if step.reaches and not step.by_hand]
# An action that took effect, or has to be counted as if it had; one that is still being checked is neither.
DONE = sa.or_(Action.state == ActionState.SENT, sa.and_(Action.state == ActionState.UNKNOWN, Action.check_at.is_(None)))
# An email that came back, or that a server refused at once.
BOUNCED = sa.and_(Action.state == ActionState.SENT, Action.budget == Budget.EMAIL, Action.error != "")
UNSUBSCRIBED = "unsubscribed"  # the kind of the event
MESSAGES = [name for name, step in STEPS.items() if step.is_message]
QUARTER = 900  # seconds; every time zone's midnight falls on a quarter of an hour
_P = CampaignLead
# The sender whose message a reply answers, even if the person has another sender by now.
REPLIED_TO = (
    sa.select(Conversation.sender_id)
    .join(Message, Message.conversation_id == Conversation.id)
    .where(Message.campaign_lead_id == _P.id, Message.direction == Direction.IN, Message.at == _P.replied_at)
    .limit(1)
    .correlate(_P)
    .scalar_subquery()
)
ANSWERED = sa.func.coalesce(REPLIED_TO, _P.account_id, _P.mailbox_id)
Condition = sa.ColumnElement[bool]


@dataclass(frozen=True)
class LeadFilter:
    """Which people are meant: those of a filter, within a time, at a step, for a reason, with words in their name."""

    show: str = ""
    since: datetime | None = None
    until: datetime | None = None
    step: int | None = None
    key: int | None = None  # of the step, by which the ledger knows it
    why: str = ""
    q: str = ""

    def within(self, moment: Any) -> Condition:
        """Return the condition that the time is set and lies in the chosen period."""
        limits = [moment.is_not(None)]
        if self.since:
            limits.append(moment >= self.since)
        if self.until:
            limits.append(moment < self.until)
        return sa.and_(*limits)


def period_start(workspace: Workspace, days: int | None) -> datetime | None:
    """Return the local midnight at which the last `days` days begin; None means no limit."""
    if days is None:
        return None
    zone = ZoneInfo(workspace.timezone)
    first = workspace.now().astimezone(zone).date() - timedelta(days=days - 1)
    return datetime.combine(first, time(0), zone)


# By name of a daily count: the column with the time, and the conditions of the counted rows.
HAPPENED: dict[str, tuple[Any, tuple[Condition, ...]]] = {
    "invites_sent": (_P.invited_at, ()),
    "accepted": (_P.accepted_at, ()),
    "messages_sent": (Action.at, (DONE, Action.kind.in_(MESSAGES), Action.campaign_lead_id.is_not(None))),
    "replies": (_P.replied_at, (_P.replied.is_(True),)),
}


def by_day(
    workspace: Workspace, campaign: Campaign, names: Sequence[str], since: datetime | None = None
) -> list[Counter[date]]:
    """Return for each name of HAPPENED its count by day, in the workspace's time zone; with one query."""
    queries = []
    for number, name in enumerate(names):
        moment, where = HAPPENED[name]
        quarter = quarter_of(moment).label("quarter")
        within = [moment >= since] if since else [moment.is_not(None)]
        query = sa.select(sa.literal_column(str(number)).label("number"), quarter, sa.func.count().label("count"))
        queries.append(query.where(moment.class_.campaign_id == campaign.id, *within, *where).group_by(quarter))
    zone, found = ZoneInfo(workspace.timezone), [Counter[date]() for _ in names]
    for number, quarter, count in session().execute(sa.union_all(*queries)):
        found[number][datetime.fromtimestamp(int(quarter) * QUARTER, UTC).astimezone(zone).date()] += int(count)
    return found


def _acted(choice: LeadFilter, *where: Condition, state: Condition = DONE) -> Condition:
    mine = sa.select(Action.id).where(Action.campaign_lead_id == _P.id, state, choice.within(Action.at), *where)
    return mine.correlate(_P).exists()


def _contacted(choice: LeadFilter) -> Condition:
    if choice.since is None and choice.until is None:
        return _P.contacted.is_(True)
    return _acted(choice, Action.kind.in_(REACHING))


def _messaged(choice: LeadFilter) -> Condition:
    """Return the condition: accepted and then got a message, a stage of the funnel."""
    return sa.and_(_P.accepted_at.is_not(None), _P.messages_sent > 0)


def _replied(choice: LeadFilter) -> Condition:
    return sa.and_(_P.replied.is_(True), choice.within(_P.replied_at))


def _tone(sentiment: str) -> Callable[[LeadFilter], Condition]:
    return lambda choice: sa.and_(_replied(choice), _P.sentiment == sentiment)


def _met(choice: LeadFilter) -> Condition:
    """Return the condition: booked a meeting that still stands."""
    ours = (Meeting.campaign_id == _P.campaign_id, Meeting.person_id == _P.person_id)
    booked = sa.select(Meeting.id).where(*ours, Meeting.state == MeetingState.BOOKED, choice.within(Meeting.at))
    return booked.correlate(_P).exists()


def _failed(choice: LeadFilter) -> Condition:
    within = (choice.within(_P.finished_at),) if choice.since or choice.until else ()
    return sa.and_(_P.state == LeadState.FAILED, *within)


def _unsubscribed(choice: LeadFilter) -> Condition:
    """Return the condition: asked for no more messages, by the link of an email or in a reply."""
    mine = (Event.workspace_id == _P.workspace_id, Event.lead_id == _P.lead_id, Event.campaign_id == _P.campaign_id)
    asked = sa.select(Event.id).where(*mine, Event.kind == UNSUBSCRIBED, choice.within(Event.created_at))
    return asked.correlate(_P).exists()


def _at_step(choice: LeadFilter) -> Condition:
    return sa.and_(_P.state.in_(WAITING), _P.step == (choice.step or 0))


def _sent_step(choice: LeadFilter) -> Condition:
    return _acted(choice, Action.step == (choice.key or 0), Action.part == 0)


def _refused_step(choice: LeadFilter) -> Condition:
    return _acted(choice, Action.step == (choice.key or 0), Action.part == 0, state=Action.state == ActionState.FAILED)


def _left_undone(choice: LeadFilter, *, expired: bool) -> Condition:
    """Return the condition: the task of this step, or of any, was skipped, by a member or because its time was over."""
    step = () if choice.key is None else (Action.step == choice.key,)
    over = Action.error == open_tasks.EXPIRED
    kind = (Action.kind == open_tasks.KIND, over if expired else ~over)
    return _acted(choice, *kind, *step, state=Action.state == ActionState.SKIPPED)


def _answered_step(choice: LeadFilter) -> Condition:
    """Return the condition: replied after this step and before the next one that reached them."""
    said = [Action.campaign_lead_id == _P.id, DONE, Action.kind.in_(REACHING), Action.at <= _P.replied_at]
    last = sa.select(Action.step).where(*said).order_by(Action.id.desc()).limit(1).correlate(_P).scalar_subquery()
    return sa.and_(_P.replied.is_(True), last == (choice.key or 0))


# name in the address: what it is called, and who is meant
FILTERS: dict[str, tuple[str, Callable[[LeadFilter], Condition]]] = {
    "contacted": ("Contacted", _contacted),
    "uncontacted": ("Not contacted yet", lambda choice: sa.and_(_P.state.in_(OPEN_STATES), ~_P.contacted)),
    "invited": ("Connection request sent", lambda choice: choice.within(_P.invited_at)),
    "accepted": ("Accepted", lambda choice: choice.within(_P.accepted_at)),
    "messaged": ("Messaged after accepting", _messaged),
    "written": ("Messaged", lambda choice: _P.messages_sent > 0),
    "replied": ("Replied", _replied),
    "positive": ("Positive replies", _tone(Sentiment.POSITIVE)),
    "neutral": ("Neutral replies", _tone(Sentiment.GENERIC)),
    "negative": ("Negative replies", _tone(Sentiment.NEGATIVE)),
    "meeting": ("Meeting booked", _met),
    "bounced": ("Bounced", lambda choice: _acted(choice, BOUNCED)),
    "failed": ("Failed", _failed),
    "unsubscribed": ("Unsubscribed", _unsubscribed),
    "sent": ("Reached step", _sent_step),
    "at": ("Waiting at step", _at_step),
    "answered": ("Replied after step", _answered_step),
    "refused": ("Failed at step", _refused_step),
    "skipped": ("Task skipped", lambda choice: _left_undone(choice, expired=False)),
    "expired": ("Task expired", lambda choice: _left_undone(choice, expired=True)),
}


def select(workspace: Workspace, campaign: Campaign, choice: LeadFilter) -> sa.Select[Any]:
    """Select the matching campaign leads with their people."""
    query = cast(sa.Select[Any], campaign_leads.page(workspace, campaign.id))
    if choice.show in FILTERS:
        place = choice.step or 0
        if choice.step is not None and place < len(campaign.sequence):
            choice = replace(choice, key=step_keys.key_of(campaign.sequence, place))
        query = query.where(FILTERS[choice.show][1](choice))
    elif choice.show in STATES:
        query = query.where(_P.state == choice.show)
    if choice.why:
        groups = [group.holds() for group in wait_groups(workspace, campaign) if group.why.code == choice.why]
        query = query.where(sa.or_(sa.false(), *groups))
    places = (Person.first_name, Person.last_name, Person.company_name, Person.public_id, Person.email)
    return query.where(*has_every_word(places, choice.q))


SORTS: dict[str, tuple[Any, Condition]] = {  # (value, condition of having none)
    "name": (by := sa.func.lower(sa.func.trim(Person.first_name + " " + Person.last_name)), by == ""),
    "company": (sa.func.lower(Person.company_name), Person.company_name == ""),
    "state": (_P.state, sa.false()),
    "step": (_P.step, sa.false()),
    "last": (_P.last_action_at, _P.last_action_at.is_(None)),
}
MOST_SORTED = 20_000  # people; no index holds these orders


def sorts(people: int) -> list[str]:
    """Return by what a campaign with that number of people can sort them."""
    return list(SORTS) if people <= MOST_SORTED else []


def page(
    workspace: Workspace,
    campaign: Campaign,
    choice: LeadFilter,
    args: Mapping[str, str],
    sort: str = "",
    downward: bool = False,
) -> Page:
    """Return one page in the order of enrolment, or sorted: rows of (campaign lead, lead, …)."""
    of = ["people", workspace.id, campaign.id, replace(choice, since=None, until=None), sort, downward]
    window = paging.Window.of(args, of)
    if sort:
        order = paging.Order(*SORTS[sort], downward)
        return paging.sorted_page(select(workspace, campaign, choice), order, _P.id, window)
    return paging.page(select(workspace, campaign, choice).add_columns(_P.id), _P.id, window, newest_first=False)


def count(workspace: Workspace, campaign: Campaign, choice: LeadFilter) -> int:
    """Return how many campaign leads match."""
    chosen = select(workspace, campaign, choice).with_only_columns(sa.func.count(), maintain_column_froms=True)
    return session().scalar(chosen) or 0


def counts(workspace: Workspace, campaign: Campaign, choices: Mapping[str, LeadFilter]) -> dict[str, int]:
    """Return how many people match each of these filters, with one query."""
    sums = [
        sa.func.sum(sa.case((FILTERS[choice.show][1](choice), 1), else_=0)).label(name)
        for name, choice in choices.items()
    ]
    of = (_P.campaign_id == campaign.id, _P.workspace_id == workspace.id)
    found = session().execute(sa.select(*sums).where(*of)).one()
    return {name: int(found[index] or 0) for index, name in enumerate(choices)}


DAY = 86_400
NEVER, NOW = -2, -1  # used in place of a day's number
_UNKNOWN = WaitReason("idle")


@dataclass(frozen=True)
class WaitGroup:
    """People with the same state and reason to wait or end; those not due yet are grouped by their due day.

    `due_at` is the earliest moment among them, so that the planner can be asked about all as if they were one.
    `error` is the error that all of them have, "" when they differ.
    """

    id: int
    state: str
    reason: str
    sender_id: int | None
    next_budget: str
    part: int
    day: int
    due_at: datetime | None
    people: int
    at: datetime
    error: str = ""
    why: WaitReason = _UNKNOWN

    def holds(self) -> Condition:
        """Return the condition that a person belongs to the group."""
        begun = _P.part > 0 if self.part else _P.part == 0
        same = (_P.state == self.state, _P.reason == self.reason, _P.next_budget == self.next_budget, begun)
        sender = _P.sender_id.is_(None) if self.sender_id is None else _P.sender_id == self.sender_id
        return sa.and_(*same, sender, _day(self.at) == self.day)


def quarter_of(moment: Any) -> Any:
    """Return the number of the quarter hour; each lies within one day, whatever the time zone."""
    return epoch(moment) // sa.literal_column(str(QUARTER), sa.BigInteger)


def epoch(moment: Any) -> Any:
    """Return the SQL for a time in whole seconds since 1970, for SQLite or Postgres."""
    seconds: Any = sa.func.strftime("%s", moment) if is_sqlite() else sa.func.floor(sa.extract("epoch", moment))
    return sa.cast(seconds, sa.BigInteger)


def _day(at: datetime) -> Any:
    """Return the number of the day on which a person is due, or NOW or NEVER."""
    later = epoch(_P.due_at) // sa.literal_column(str(DAY), sa.BigInteger)
    return sa.case((_P.due_at.is_(None), NEVER), (_P.due_at <= at, NOW), else_=later)


def wait_groups(workspace: Workspace, campaign: Campaign) -> list[WaitGroup]:
    """Count the campaign's people by wait reason or outcome."""
    at = workspace.now()
    begun = sa.case((_P.part > 0, 1), else_=0)
    keys = (_P.state, _P.reason, _P.sender_id, _P.next_budget, begun.label("part"), _day(at).label("day"))
    of = (_P.campaign_id == campaign.id, _P.workspace_id == workspace.id)
    each = sa.select(*keys, _P.due_at, _P.error).where(*of).subquery()
    same = list(each.c)[:-2]
    first, last = sa.func.min(each.c.error), sa.func.max(each.c.error)
    error = sa.case((first == last, first), else_="")
    query = sa.select(*same, sa.func.min(each.c.due_at), sa.func.count(), error).group_by(*same)
    found: list[Any] = list(session().execute(query))
    groups = [WaitGroup(*(number, *row[:-1], at, row[-1])) for number, row in enumerate(found)]
    whys = why_waiting.of_people(workspace, campaign, groups)
    return [replace(group, why=whys[group.id]) for group in groups]


@dataclass(frozen=True)
class PositionCount:
    """How many people are in a state, with the reasons as (reason, people), most people first."""

    state: str
    people: int
    whys: list[tuple[WaitReason, int]]


def position_counts(workspace: Workspace, campaign: Campaign) -> list[PositionCount]:
    """Return the states that have people, in the order of the sequence, with what they wait for."""
    found: dict[str, dict[str, tuple[WaitReason, int]]] = {}
    for group in wait_groups(workspace, campaign):
        whys = found.setdefault(group.state, {})
        before, people = whys.get(group.why.code, (group.why, 0))
        moments = [why.until for why in (before, group.why) if why.until]
        detail = group.why.detail if group.why.detail == before.detail else ""
        merged = WaitReason(group.why.code, min(moments, default=None), detail)
        whys[group.why.code] = (merged, people + group.people)
    return [
        PositionCount(
            state,
            sum(people for _, people in found[state].values()),
            sorted(found[state].values(), key=lambda why: -why[1]),
        )
        for state in STATES
        if state in found
    ]


def allowed_moves(person: CampaignLead) -> set[str]:
    """Return the possible actions for this lead now."""
    return {name for name in ("pause", "resume", "stop", "exclude") if CAMPAIGN_LEAD.allows(person, name)}


def campaign_moves(campaign: Campaign) -> set[str]:
    """Return the possible actions for the campaign now."""
    asked = ("start", "edit", "delete", "pause", "resume", "cancel", "enrol")
    revisable = any(CAMPAIGN.allows(campaign, name) for name in ("revise", "revise_paused", "revise_scheduled"))
    return {name for name in asked if CAMPAIGN.allows(campaign, name)} | ({"revise"} if revisable else set())
