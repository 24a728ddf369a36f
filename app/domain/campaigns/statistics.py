"""The statistics of a campaign, for its page and for `/v1` alike: in all, by day, by step and by sender. It only reads.

Who is counted is said once, in `campaign_leads.filters`: an action with an unknown outcome counts as sent.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import fetch, in_list, session
from app.domain.campaigns import campaigns, variants
from app.domain.campaigns.variants import Comparison
from app.domain.leads.campaign_leads import filters, open_tasks
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.domain.ledger.charts import Bar, Chart
from app.domain.rules.sequences.step_keys import place_of
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignLead, CampaignStats, LeadState
from app.models.conversations import Conversation, Sentiment
from app.models.ledger import TEST_STEP, Action, ActionState
from app.models.workspaces import Workspace

MOST_DAYS = 90  # in a chart of days; a longer period is drawn by weeks
_P = CampaignLead


def invites(campaign: Campaign) -> bool:
    """Return whether the sequence has an invitation."""
    return any(step["type"] == "connection_request" for step in campaign.sequence)


def chart(workspace: Workspace, campaign: Campaign, days: int | None) -> Chart:
    """Return the campaign's activity on each of its last days, in the workspace's time zone."""
    since = filters.period_start(workspace, days)
    if invites(campaign):
        names, shown = ["Connection requests", "Accepted", "Replies"], ["invited", "accepted", "replied"]
        counted = ["invites_sent", "accepted", "replies"]
    else:
        names, shown = ["Messages", "Replies"], ["", "replied"]
        counted = ["messages_sent", "replies"]
    bars = _bars(workspace, campaign, since, filters.by_day(workspace, campaign, counted, since))
    return Chart(names, shown, bars if len(bars) <= MOST_DAYS else _weeks(bars))


def _bars(
    workspace: Workspace, campaign: Campaign, since: datetime | None, counted: Sequence[Counter[date]]
) -> list[Bar]:
    """Return one bar per day from the start of the campaign or the period to today or its end."""
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
    """Group the bars by weeks that begin on Monday."""
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
    """How many people each filter finds in a period, and in the period of the same length before it."""

    now: Mapping[str, int]
    before: Mapping[str, int] | None


TROUBLE = ("bounced", "failed", "unsubscribed")
TILES = ("contacted", "invited", "accepted", "replied", "positive", *TROUBLE)


TONES = ("positive", "neutral", "negative")
# The counter column that holds how many people a filter finds over the whole campaign.
COUNTERS = {"invited": "invites_sent", "replied": "replies"} | {
    name: name for name in ("contacted", "accepted", "failed", *TONES)
}


UNCOUNTED = ("uncontacted", "messaged", "meeting", "bounced", "unsubscribed")  # filters without a counter column


def totals(
    workspace: Workspace, campaign: Campaign, kept: CampaignStats, days: int | None
) -> tuple[dict[str, int], Totals]:
    """Return the totals since the start, and those of the last so many days; with one query.

    The first are the campaign's counters and the funnel stages they lack. The second are compared with the period
    before if it was a full one.
    """
    choices = {name: LeadFilter(name) for name in UNCOUNTED}
    since, earlier = filters.period_start(workspace, days), filters.period_start(workspace, 2 * days if days else None)
    compared = earlier is not None and campaign.started_at is not None and campaign.started_at <= earlier
    if days:
        choices |= {f"{name} now": LeadFilter(name, since) for name in TILES}
    if compared:
        choices |= {f"{name} before": LeadFilter(name, earlier, since) for name in TILES}
    found = filters.counts(workspace, campaign, choices)
    whole = {name: getattr(kept, counter) for name, counter in COUNTERS.items()}
    whole |= {name: found[name] for name in UNCOUNTED}
    now = {name: found[f"{name} now"] for name in TILES} if days else whole
    return whole, Totals(now, {name: found[f"{name} before"] for name in TILES} if compared else None)


def funnel(campaign: Campaign, leads: int, counted: Mapping[str, int]) -> list[tuple[str, str, int]]:
    """Return the stages of the funnel as (label, filter, people)."""
    stages = [("Contacted", "contacted")]
    if invites(campaign):
        stages = [("Request sent", "invited"), ("Accepted", "accepted"), ("Messaged", "messaged")]
    stages += [("Replied", "replied"), ("Positive", "positive"), ("Meeting", "meeting")]
    return [("In campaign", "", leads), *((label, name, counted[name]) for label, name in stages)]


@dataclass(frozen=True)
class StepRow:
    """One step: people reached, waiting, accepted or replied after it, failed, and those for whom it was skipped.

    A task that was not done in time has `expired`, and is not among those `skipped`.
    """

    index: int
    type: str
    step: Mapping[str, Any]
    sent: int
    messages: int
    waiting: int
    answered: int
    accepted: int
    failed: int
    skipped: int
    expired: int


def steps(workspace: Workspace, campaign: Campaign) -> list[StepRow]:
    """Return the steps of the sequence with their results."""
    taken = _counts_by_step(campaign)
    waits = sa.select(_P.step, sa.func.count()).where(_P.campaign_id == campaign.id, _P.state.in_(filters.WAITING))
    waiting = dict(session().execute(waits.group_by(_P.step)).all())
    answered, accepted = _answered(campaign), filters.count(workspace, campaign, LeadFilter("accepted"))
    return [
        StepRow(
            index,
            step["type"],
            step,
            waiting=waiting.get(index, 0),
            answered=answered[index],
            accepted=accepted if step["type"] == "connection_request" else 0,
            **{
                name: taken.get(index, Counter())[name] for name in ("sent", "messages", "failed", "skipped", "expired")
            },
        )
        for index, step in enumerate(campaign.sequence)
    ]


def finished_sequence(campaign: Campaign) -> int:
    """Return how many people have had every step and may still reply or accept."""
    query = sa.select(sa.func.count()).where(
        _P.campaign_id == campaign.id, _P.state.in_(filters.WAITING), _P.step >= len(campaign.sequence)
    )
    return session().scalar(query) or 0


def _counts_by_step(campaign: Campaign) -> dict[int, Counter[str]]:
    """Count people by step and outcome; a message in parts counts once per person."""
    first, undone = Action.part == 0, Action.state == ActionState.SKIPPED
    expired = Action.error == open_tasks.EXPIRED
    counted: dict[str, tuple[sa.ColumnElement[bool], ...]] = {
        "sent": (filters.DONE, first),
        "messages": (filters.DONE, Action.kind.in_(filters.MESSAGES)),
        "failed": (Action.state == ActionState.FAILED, first),
        "skipped": (undone, ~expired),
        "expired": (undone, expired),
    }
    sums = [sa.func.sum(sa.case((sa.and_(*conditions), 1), else_=0)) for conditions in counted.values()]
    query = sa.select(Action.step, *sums).where(
        Action.campaign_id == campaign.id, Action.campaign_lead_id.is_not(None), Action.step >= 0
    )
    found = {}
    for key, *numbers in session().execute(query.group_by(Action.step)):
        step = place_of(campaign.sequence, int(key))
        if step is not None:  # a step that was removed since has none
            found[step] = Counter(dict(zip(counted, map(int, numbers), strict=True)))
    return found


def _answered(campaign: Campaign) -> Counter[int]:
    """Count replies by the last step that had reached the person before."""
    last = (
        sa.select(sa.func.max(Action.id).label("id"))
        .join(_P, _P.id == Action.campaign_lead_id)
        .where(
            Action.campaign_id == campaign.id,
            filters.DONE,
            Action.kind.in_(filters.REACHING),
        )
        .where(_P.replied.is_(True), Action.at <= _P.replied_at)
        .group_by(Action.campaign_lead_id)
        .subquery()
    )
    query = sa.select(Action.step, sa.func.count()).join(last, last.c.id == Action.id).group_by(Action.step)
    found: dict[int, int] = dict(session().execute(query).all())
    places = {place_of(campaign.sequence, key): number for key, number in found.items()}
    return Counter({place: number for place, number in places.items() if place is not None})


def campaigns_by_status(workspace: Workspace) -> dict[str, int]:
    """Return the number of campaigns of each status."""
    query = sa.select(Campaign.status, sa.func.count()).where(Campaign.workspace_id == workspace.id)
    return dict(session().execute(query.group_by(Campaign.status)).all())


NAMES = tuple(filters.HAPPENED)


@dataclass(frozen=True)
class Part:
    """One day, step or account with what belongs to it; `key` is its date, its place or its id."""

    key: Any
    counts: Mapping[str, int] = field(default_factory=dict)
    name: str = ""
    variants: Comparison | None = None


@dataclass(frozen=True)
class Numbers:
    """A campaign's counters, what has no counter, the shares that follow from them, and the parts they are made of."""

    counters: Any
    meetings: int
    bounced: int
    unsubscribed: int
    acceptance: float | None
    replies: float | None
    positive: float | None
    by: str | None
    parts: Sequence[Part]


def numbers(workspace: Workspace, campaign_id: int, by: str | None = None) -> Numbers:
    """Return the campaign's statistics, in all or by `day`, `step` or `account`."""
    campaign = campaigns.get(workspace, campaign_id)
    found = campaigns.stats(workspace, [campaign.id])[campaign.id]
    parts = {"day": _by_day, "step": _by_step, "account": _by_account}[by](workspace, campaign) if by else []
    others = filters.counts(
        workspace, campaign, {name: LeadFilter(name) for name in ("meeting", "bounced", "unsubscribed")}
    )
    return Numbers(
        found,
        others["meeting"],
        others["bounced"],
        others["unsubscribed"],
        _share(found.accepted, found.invites_sent),
        _share(found.replies, found.contacted),
        _share(found.positive, found.replies),
        by,
        parts,
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _by_day(workspace: Workspace, campaign: Campaign) -> list[Part]:
    """Return the parts by day of the workspace, only for days with activity."""
    counted = dict(zip(NAMES, filters.by_day(workspace, campaign, NAMES), strict=True))
    days = sorted({day for counter in counted.values() for day in counter})
    return [Part(day, {name: counter[day] for name, counter in counted.items()}) for day in days]


def _by_step(workspace: Workspace, campaign: Campaign) -> list[Part]:
    """Return the parts by step; a reply counts for the last step that reached the person before."""
    compared = variants.compare(workspace, campaign)
    return [
        Part(
            row.index,
            {
                "invites_sent": row.sent if row.type == "connection_request" else 0,
                "accepted": row.accepted,
                "messages_sent": row.messages,
                "replies": row.answered,
                "done": row.sent,
                "waiting": row.waiting,
                "failed": row.failed,
                "skipped": row.skipped,
                "expired": row.expired,
            },
            row.type,
            compared.get(row.index),
        )
        for row in steps(workspace, campaign)
    ]


def _by_account(workspace: Workspace, campaign: Campaign) -> list[Part]:
    """Return the parts by current and former sender; a reply counts for the sender whose message was answered."""
    one = sa.func.sum
    mine = sa.func.coalesce(_P.account_id, _P.mailbox_id)
    people = sa.select(
        mine,
        sa.func.count(),
        one(sa.case((_P.invited_at.is_not(None), 1), else_=0)),
        one(sa.case((_P.accepted_at.is_not(None), 1), else_=0)),
    ).where(_P.campaign_id == campaign.id)
    found: dict[int | None, Counter[str]] = {}
    for account_id, number, invited, accepted in session().execute(people.group_by(mine)):
        counts = {"leads": number, "invites_sent": invited, "accepted": accepted}
        found[account_id] = Counter({name: int(value or 0) for name, value in counts.items()})
    got = sa.select(filters.ANSWERED.label("id")).where(_P.campaign_id == campaign.id, _P.replied.is_(True)).subquery()
    for account_id, number in session().execute(sa.select(got.c.id, sa.func.count()).group_by(got.c.id)):
        found.setdefault(account_id, Counter())["replies"] = int(number)
    texts = sa.select(Action.sender_id, sa.func.count()).where(
        Action.campaign_id == campaign.id,
        filters.DONE,
        Action.kind.in_(filters.MESSAGES),
        Action.campaign_lead_id.is_not(None),
    )
    for account_id, number in session().execute(texts.group_by(Action.sender_id)):
        found.setdefault(account_id, Counter())["messages_sent"] += int(number)
    for account_id in campaign.sender_ids:
        found.setdefault(account_id, Counter())
    wanted = [account_id for account_id in found if account_id]
    ours = (Account.workspace_id == workspace.id, Account.id.in_(wanted))
    names = dict(session().execute(sa.select(Account.id, Account.name).where(*ours)).all())
    ordered = sorted(found.items(), key=lambda item: (item[0] is None, item[0] or 0))
    every = ("leads", *NAMES)
    return [Part(key, {name: counts[name] for name in every}, names.get(key or 0, "")) for key, counts in ordered]


WEEK = timedelta(days=7)
_ACTIONS: Any = Action.__table__
_SENDERS: Any = Account.__table__
_TALKS: Any = Conversation.__table__
_SINCE: Any = sa.bindparam("since", type_=_ACTIONS.c.at.type)
_TONES: Any = [sa.literal_column(f"'{tone}'") for tone in Sentiment]
_OURS: Any = sa.bindparam("workspace")
# Grouped by sender because the ledger's index begins with it. Test sends are left out.
_SENT = sa.select(sa.func.count()).where(
    _ACTIONS.c.sender_id.in_(sa.select(_SENDERS.c.id).where(_SENDERS.c.workspace_id == _OURS)),
    _ACTIONS.c.at >= _SINCE,
    filters.DONE,
    _ACTIONS.c.kind.in_(filters.SENT),
    _ACTIONS.c.step != TEST_STEP,
)
_EXPIRED = (
    sa.select(Campaign.id, Campaign.name, sa.func.count().label("people"))
    .join(Action, Action.campaign_id == Campaign.id)
    .where(Campaign.workspace_id == _OURS, Action.at >= _SINCE, Action.state == ActionState.SKIPPED)
    .where(Action.kind == open_tasks.KIND, Action.error == open_tasks.EXPIRED)
    .group_by(Campaign.id, Campaign.name)
    .order_by(Campaign.id)
)
# Grouped by sentiment, so that the index alone answers the query.
_ACTIVE = sa.select(
    sa.func.count().label("answered"),
    sa.func.count(sa.case((_TALKS.c.sentiment == Sentiment.POSITIVE, 1))).label("positive"),
).where(_TALKS.c.workspace_id == _OURS, _TALKS.c.sentiment.in_(_TONES), _TALKS.c.last_message_at >= _SINCE)


@dataclass(frozen=True)
class Week:
    """The last seven days: actions that reached people, active conversations, and expired tasks by campaign."""

    sent: int
    answered: int
    positive: int
    expired: Sequence[Any]


def week(workspace: Workspace) -> Week:
    """Return the statistics of the last seven days on the workspace's clock."""
    since = workspace.now() - WEEK
    ((sent,),) = fetch(_SENT, workspace=workspace.id, since=since)
    (talks,) = fetch(_ACTIVE, workspace=workspace.id, since=since)
    expired = fetch(_EXPIRED, workspace=workspace.id, since=filters.period_start(workspace, WEEK.days))
    return Week(sent, talks.answered, talks.positive, expired)


def wanted(stats: Mapping[int, CampaignStats]) -> dict[int, int]:
    """Return how many people each campaign was to contact: all but those excluded before the first contact."""
    late = [campaign_id for campaign_id, one in stats.items() if one.excluded and one.contacted]
    there = (in_list(CampaignLead.campaign_id, late), CampaignLead.state == LeadState.EXCLUDED, CampaignLead.contacted)
    query = sa.select(CampaignLead.campaign_id, sa.func.count()).where(*there).group_by(CampaignLead.campaign_id)
    had = dict(session().execute(query).all()) if late else {}
    return {campaign_id: one.leads - one.excluded + had.get(campaign_id, 0) for campaign_id, one in stats.items()}
