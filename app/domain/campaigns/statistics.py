"""The numbers of a campaign for people to read: day by day, stage by stage, step by step. It only reads."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.core.statements import rows
from app.domain.campaign_leads import filters as campaign_lead_filters
from app.domain.campaign_leads.filters import LeadFilter
from app.domain.ledger.charts import Bar, Chart
from app.domain.rules.step_kinds import STEPS
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Conversation, Sentiment
from app.models.ledger import Action, ActionState
from app.models.workspaces import Workspace

QUARTER = 900  # seconds; every time zone's midnight falls on a quarter of an hour
MOST_DAYS = 90  # in one chart; what is longer is drawn by weeks
_P = CampaignLead


def invites(campaign: Campaign) -> bool:
    """Whether people are invited first."""
    return any(step["type"] == "connection_request" for step in campaign.sequence)


def chart(workspace: Workspace, campaign: Campaign, days: int | None) -> Chart:
    """What the campaign did and heard on each of its last days, in the workspace's time zone."""
    since = campaign_lead_filters.period_start(workspace, days)
    mine, sent = _P.campaign_id == campaign.id, (Action.campaign_id == campaign.id, campaign_lead_filters.DONE)
    replies = _by_day(workspace, _P.replied_at, since, mine)
    if invites(campaign):
        names, filters = ["Invites", "Accepted", "Replies"], ["invited", "accepted", "replied"]
        invited, accepted = (_by_day(workspace, moment, since, mine) for moment in (_P.invited_at, _P.accepted_at))
        counted = [invited, accepted, replies]
    else:
        names, filters = ["Messages", "Replies"], ["", "replied"]
        counted = [_by_day(workspace, Action.at, since, *sent, Action.kind.in_(_MESSAGES)), replies]
    bars = _bars(workspace, campaign, since, counted)
    return Chart(names, filters, bars if len(bars) <= MOST_DAYS else _weeks(bars))


_MESSAGES = [name for name, step in STEPS.items() if step.is_message]


def _by_day(workspace: Workspace, column: Any, since: datetime | None, *where: Any) -> Counter[date]:
    """How many rows have that moment on each local day."""
    quarter = (campaign_lead_filters.epoch(column) // sa.literal_column(str(QUARTER), sa.BigInteger)).label("quarter")
    query = sa.select(quarter, sa.func.count()).where(column.is_not(None), *where).group_by(quarter)
    if since:
        query = query.where(column >= since)
    zone = ZoneInfo(workspace.timezone)
    found: Counter[date] = Counter()
    for number, count in session().execute(query):
        found[datetime.fromtimestamp(int(number) * QUARTER, UTC).astimezone(zone).date()] += count
    return found


def _bars(
    workspace: Workspace, campaign: Campaign, since: datetime | None, counted: Sequence[Counter[date]]
) -> list[Bar]:
    """One bar for each day from the start of the campaign, or of the time that is meant, to today or its end."""
    zone = ZoneInfo(workspace.timezone)
    today = workspace.now().astimezone(zone).date()
    known = [day for counter in counted for day in counter]
    began = min([(campaign.started_at or workspace.now()).astimezone(zone).date(), *known])
    first = max(began, since.astimezone(zone).date()) if since else began
    last = today
    if campaign.ended_at and since is None:
        last = min(today, max([campaign.ended_at.astimezone(zone).date(), *known]))
    length = max((last - first).days + 1, 1)
    return [
        Bar(day, tuple(counter[day] for counter in counted), day == today)
        for day in (first + timedelta(days=number) for number in range(length))
    ]


def _weeks(bars: Sequence[Bar]) -> list[Bar]:
    """The same by weeks that begin on Monday."""
    weeks: dict[date, list[Bar]] = {}
    for bar in bars:
        weeks.setdefault(bar.date - timedelta(days=bar.date.weekday()), []).append(bar)
    return [
        Bar(
            monday,
            tuple(map(sum, zip(*(bar.values for bar in group), strict=True))),
            any(bar.today for bar in group),
            week=True,
        )
        for monday, group in weeks.items()
    ]


@dataclass(frozen=True)
class Totals:
    """How many people each filter means in a time, and in the one of the same length before it."""

    now: Mapping[str, int]
    before: Mapping[str, int] | None


TILES = ("contacted", "invited", "accepted", "replied", "positive")


def totals(workspace: Workspace, campaign: Campaign, days: int | None) -> Totals:
    """The people of the tiles in the last so many days; they are compared once there was a whole time before."""
    since = campaign_lead_filters.period_start(workspace, days)
    choices = {name: LeadFilter(name, since) for name in TILES}
    earlier = campaign_lead_filters.period_start(workspace, 2 * days) if days else None
    compared = earlier is not None and campaign.started_at is not None and campaign.started_at <= earlier
    if compared:
        choices |= {f"{name} before": LeadFilter(name, earlier, since) for name in TILES}
    found = campaign_lead_filters.counts(workspace, campaign, choices)
    before = {name: found[f"{name} before"] for name in TILES} if compared else None
    return Totals({name: found[name] for name in TILES}, before)


WHOLE = ("contacted", "invited", "accepted", "messaged", "replied", "positive", "neutral", "negative")
TONES = ("positive", "neutral", "negative")


def totals_all_time(workspace: Workspace, campaign: Campaign) -> dict[str, int]:
    """How many people did what since the start, in one look: for the funnel and for what replies said."""
    return campaign_lead_filters.counts(workspace, campaign, {name: LeadFilter(name) for name in WHOLE})


def funnel(campaign: Campaign, leads: int, counted: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """The stages that people go through: (label, filter, people)."""
    stages = [("Contacted", "contacted")]
    if invites(campaign):
        stages = [("Invited", "invited"), ("Accepted", "accepted"), ("Messaged", "messaged")]
    stages += [("Replied", "replied"), ("Positive", "positive")]
    return [("In campaign", "", leads), *((label, name, counted[name]) for label, name in stages)]


@dataclass(frozen=True)
class StepRow:
    """One step: whom it reached, who waits at it, who accepted or answered after it, and where it failed."""

    index: int
    type: str
    step: Mapping[str, Any]
    sent: int
    waiting: int
    answered: int
    accepted: int
    failed: int


def steps(workspace: Workspace, campaign: Campaign) -> list[StepRow]:
    """The steps of the sequence with what became of each."""
    sent, failed = _taken(campaign)
    waiting = dict(
        session()
        .execute(
            sa.select(_P.step, sa.func.count())
            .where(_P.campaign_id == campaign.id, _P.state.in_(campaign_lead_filters.WAITING))
            .group_by(_P.step)
        )
        .all()
    )
    answered, accepted = _answered(campaign), campaign_lead_filters.count(workspace, campaign, LeadFilter("accepted"))
    return [
        StepRow(
            index,
            step["type"],
            step,
            sent[index],
            waiting.get(index, 0),
            answered[index],
            accepted if step["type"] == "connection_request" else 0,
            failed[index],
        )
        for index, step in enumerate(campaign.sequence)
    ]


def finished_sequence(campaign: Campaign) -> int:
    """How many people have every step behind them and may still answer or accept."""
    query = sa.select(sa.func.count()).where(
        _P.campaign_id == campaign.id, _P.state.in_(campaign_lead_filters.WAITING), _P.step >= len(campaign.sequence)
    )
    return session().scalar(query) or 0


def _taken(campaign: Campaign) -> tuple[Counter[int], Counter[int]]:
    """People reached, and people for whom it failed, by step. A message of several parts counts once."""
    sent: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    done = sa.func.sum(sa.case((campaign_lead_filters.DONE, 1), else_=0))
    refused = sa.func.sum(sa.case((Action.state == ActionState.FAILED, 1), else_=0))
    query = (
        sa.select(Action.step, done, refused)
        .where(Action.campaign_id == campaign.id, Action.part == 0, Action.step >= 0)
        .group_by(Action.step)
    )
    for step, worked, not_worked in session().execute(query):
        sent[step], failed[step] = int(worked), int(not_worked)
    return sent, failed


def _answered(campaign: Campaign) -> Counter[int]:
    """Replies by the last step that had reached the person before."""
    last = (
        sa.select(sa.func.max(Action.step).label("step"))
        .join(_P, _P.id == Action.campaign_lead_id)
        .where(
            Action.campaign_id == campaign.id,
            campaign_lead_filters.DONE,
            Action.kind.in_(campaign_lead_filters.REACHING),
        )
        .where(_P.replied.is_(True), Action.at <= _P.replied_at)
        .group_by(Action.campaign_lead_id)
        .subquery()
    )
    query = sa.select(last.c.step, sa.func.count()).group_by(last.c.step)
    return Counter(dict(session().execute(query).all()))


def campaigns_by_status(workspace: Workspace) -> dict[str, int]:
    """How many campaigns of the workspace are in each status."""
    query = sa.select(Campaign.status, sa.func.count()).where(Campaign.workspace_id == workspace.id)
    return dict(session().execute(query.group_by(Campaign.status)).all())


WEEK = timedelta(days=7)
REACHING = [step.name for step in STEPS.values() if step.reaches]
_ACTIONS: Any = Action.__table__
_CAMPAIGNS: Any = Campaign.__table__
_TALKS: Any = Conversation.__table__
_SINCE: Any = sa.bindparam("since", type_=_ACTIONS.c.at.type)
_BEFORE: Any = sa.bindparam("before", type_=_ACTIONS.c.at.type)
_TONES: Any = [sa.literal_column(f"'{tone}'") for tone in Sentiment]
_OURS: Any = sa.bindparam("workspace")
# By campaign, because that is how the ledger's index begins.
_SENT = sa.select(
    sa.func.count(sa.case((_ACTIONS.c.at >= _SINCE, 1))).label("now"),
    sa.func.count(sa.case((_ACTIONS.c.at < _SINCE, 1))).label("before"),
).where(
    _ACTIONS.c.campaign_id.in_(sa.select(_CAMPAIGNS.c.id).where(_CAMPAIGNS.c.workspace_id == _OURS)),
    _ACTIONS.c.at >= _BEFORE,
    _ACTIONS.c.state == ActionState.SENT,
    _ACTIONS.c.kind.in_(REACHING),
)
# By tone, so that an index alone tells.
_ACTIVE = sa.select(
    sa.func.count().label("answered"),
    sa.func.count(sa.case((_TALKS.c.sentiment == Sentiment.POSITIVE, 1))).label("positive"),
).where(_TALKS.c.workspace_id == _OURS, _TALKS.c.sentiment.in_(_TONES), _TALKS.c.last_message_at >= _SINCE)


@dataclass(frozen=True)
class Week:
    """The last seven days: what went out to people, the seven days before that, and talks that were alive."""

    sent: int
    sent_before: int
    answered: int
    positive: int


def week(workspace: Workspace) -> Week:
    """The last seven days on the workspace's clock."""
    since = workspace.now() - WEEK
    (sent,) = rows(_SENT, workspace=workspace.id, since=since, before=since - WEEK)
    (talks,) = rows(_ACTIVE, workspace=workspace.id, since=since)
    return Week(sent.now, sent.before, talks.answered, talks.positive)
