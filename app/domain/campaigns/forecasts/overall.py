"""The statistics of all campaigns together: what was sent in a time and what came of it, by campaign, sender and week.

Messages written by hand belong to no campaign and are not counted here. A reply belongs to the sender that got it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.domain.leads.campaign_leads import filters
from app.domain.senders import accounts
from app.models.campaigns import Campaign, CampaignLead
from app.models.conversations import Sentiment
from app.models.ledger import Action
from app.models.webhooks import Event
from app.models.workspaces import Workspace

USUAL_DAYS, MOST_DAYS = 90, 365
COUNTS = ("contacted", "invited", "accepted", "sent", "replied", "positive", "bounced", "unsubscribed")
_P = CampaignLead


@dataclass(frozen=True)
class Row:
    """One campaign, sender or week with its counts. The key of a week is its Monday; a sender may be removed since."""

    key: Any
    name: str
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Overall:
    """The counts since a moment, in all and in three ways; campaigns and senders with the most sent come first.

    Weeks are the newest first, back to the first in which anything happened.
    """

    since: datetime
    totals: Mapping[str, int]
    campaigns: Sequence[Row]
    senders: Sequence[Row]
    weeks: Sequence[Row]


def find(workspace: Workspace, days: int = USUAL_DAYS, counts: Collection[str] = COUNTS) -> Overall:
    """Count the last so many days, on the workspace's clock and in its time zone; only these counts, others are 0."""
    since = filters.period_start(workspace, days)
    assert since is not None
    mondays = _mondays(workspace, since)
    totals, by = Counter[str](), {name: dict[Any, Counter[str]]() for name in ("campaign", "sender", "week")}
    for campaign_id, sender_id, week, *numbers in _counted(workspace, since, [at for _, at in mondays], counts):
        found = Counter(dict(zip(COUNTS, map(int, numbers), strict=True)))
        totals += found
        for name, key in (("campaign", campaign_id), ("sender", sender_id), ("week", mondays[week][0])):
            by[name][key] = by[name].get(key, Counter()) + found
    first = min(by["week"], default=None)
    weeks = [
        Row(monday, f"{monday.day} {monday:%b %Y}", by["week"].get(monday, Counter()))
        for monday, _ in reversed(mondays)
        if first and monday >= first
    ]
    query = sa.select(Campaign.id, Campaign.name).where(Campaign.workspace_id == workspace.id)
    names = dict(session().execute(query.where(Campaign.id.in_(by["campaign"]))).all())
    senders = {one.id: one.name for one in accounts.every(workspace)}
    return Overall(since, totals, _rows(by["campaign"], names), _rows(by["sender"], senders), weeks)


def _mondays(workspace: Workspace, since: datetime) -> list[tuple[date, datetime]]:
    """Return the weeks from `since` to now: their Monday, and when they begin in the workspace's time zone."""
    zone = ZoneInfo(workspace.timezone)
    today, day = workspace.now().astimezone(zone).date(), since.astimezone(zone).date()
    monday, found = day - timedelta(days=day.weekday()), []
    while monday <= today:
        found.append((monday, datetime.combine(monday, time(0), zone)))
        monday += timedelta(days=7)
    return found


def _counted(
    workspace: Workspace, since: datetime, weeks: Sequence[datetime], wanted: Collection[str]
) -> Iterable[Sequence[Any]]:
    """Yield campaign, sender, place of the week, and the numbers of COUNTS; what isn't wanted is not looked for."""
    ours = sa.select(Campaign.id).where(Campaign.workspace_id == workspace.id)
    one, none = (sa.literal_column(number, sa.Integer) for number in "10")
    sender = sa.func.coalesce(_P.account_id, _P.mailbox_id)

    def rows(campaign: Any, sender_id: Any, at: Any, **counts: Any) -> sa.Select[Any]:
        week = _week(at, weeks, 0, len(weeks))
        labels = [counts.get(name, none).label(name) for name in COUNTS]
        return sa.select(campaign.label("campaign"), sender_id.label("sender"), week.label("week"), *labels)

    back = sa.case((filters.BOUNCED, 1), else_=0)
    sent = rows(Action.campaign_id, Action.sender_id, Action.at, sent=one, bounced=back).where(
        Action.campaign_id.in_(ours), Action.at >= since, filters.DONE, Action.kind.in_(filters.SENT)
    )
    reached = _first_contacts(ours, since)
    contacted = rows(Action.campaign_id, Action.sender_id, reached.c.at, contacted=one)
    contacted = contacted.join(reached, reached.c.id == Action.id)
    invited = rows(_P.campaign_id, sender, _P.invited_at, invited=one).where(
        _P.campaign_id.in_(ours), _P.invited_at >= since
    )
    accepted = rows(_P.campaign_id, sender, _P.accepted_at, accepted=one).where(
        _P.campaign_id.in_(ours), _P.accepted_at >= since
    )
    positive = sa.case((_P.sentiment == Sentiment.POSITIVE, 1), else_=0)
    replied = rows(_P.campaign_id, filters.ANSWERED, _P.replied_at, replied=one, positive=positive).where(
        _P.campaign_id.in_(ours), _P.replied.is_(True), _P.replied_at >= since
    )
    # A person who unsubscribes by a reply and by a link counts once.
    left = (
        sa.select(Event.campaign_id, Event.lead_id, sa.func.min(Event.created_at).label("at"))
        .where(Event.workspace_id == workspace.id, Event.kind == filters.UNSUBSCRIBED, Event.created_at >= since)
        .where(Event.campaign_id.is_not(None))
        .group_by(Event.campaign_id, Event.lead_id)
        .subquery()
    )
    same = sa.and_(_P.campaign_id == left.c.campaign_id, _P.lead_id == left.c.lead_id)
    said = sa.func.coalesce(filters.REPLIED_TO, _P.mailbox_id, _P.account_id)  # without a reply, by an email's link
    unsubscribed = rows(left.c.campaign_id, said, left.c.at, unsubscribed=one).select_from(left).outerjoin(_P, same)
    names = ("sent bounced", "contacted", "invited", "accepted", "replied positive", "unsubscribed")
    queries = zip(names, (sent, contacted, invited, accepted, replied, unsubscribed), strict=True)
    every = sa.union_all(*(query for named, query in queries if {*named.split()} & {*wanted})).subquery()
    keys = (every.c.campaign, every.c.sender, every.c.week)
    sums = [sa.func.sum(every.c[name]) for name in COUNTS]
    return session().execute(sa.select(*keys, *sums).group_by(*keys)).all()


def _first_contacts(ours: Any, since: datetime) -> Any:
    """Return the first action that reached each person, and when, of those first reached since then."""
    reached_at = sa.func.min(Action.at).label("at")
    return (
        sa.select(sa.func.min(Action.id).label("id"), reached_at)
        .where(Action.campaign_id.in_(ours), Action.campaign_lead_id.is_not(None))
        .where(filters.DONE, Action.kind.in_(filters.REACHING))
        .group_by(Action.campaign_lead_id)
        .having(reached_at >= since)
        .subquery()
    )


def _week(at: Any, weeks: Sequence[datetime], first: int, end: int) -> Any:
    """Return the place of the week of a moment: halved again and again, so that a year costs six comparisons a row."""
    if end - first < 2:
        return sa.literal_column(str(first), sa.Integer)
    middle = (first + end) // 2
    return sa.case((at >= weeks[middle], _week(at, weeks, middle, end)), else_=_week(at, weeks, first, middle))


def _rows(found: Mapping[Any, Counter[str]], names: Mapping[int, str]) -> list[Row]:
    rows = [Row(key, names.get(key, ""), counts) for key, counts in found.items()]
    return sorted(rows, key=lambda row: (-row.counts["sent"], -row.counts["replied"], row.name.casefold()))
