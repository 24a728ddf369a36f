"""Sender health: usage against limits, invite health, and the campaigns that use it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise, takewhile
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core.db import session
from app.domain.ledger import usage
from app.domain.rules import limits, planner
from app.domain.rules.limits import WindowUsage
from app.domain.rules.planner import CampaignView, SenderView
from app.domain.rules.reasons import WaitReason
from app.domain.rules.schedules import working_hours
from app.domain.rules.schedules.working_hours import openings
from app.models.accounts import Account, AccountStatus, Budget
from app.models.campaigns import Campaign, CampaignAccount, CampaignStatus
from app.models.ledger import Action
from app.models.workspaces import Workspace


@dataclass(frozen=True)
class Use:
    """One budget of a sender: done in the last 24 hours, and as much as it may do in that time by now."""

    budget: str
    used: int
    most: int


@dataclass(frozen=True)
class Day:
    """What a sender did on one of its local days, by budget and by hour of the day."""

    date: date
    done: Counter[str]
    hours: Counter[int]


def uses(workspace: Workspace, accounts: Iterable[Account]) -> dict[int, list[Use]]:
    """Return the use of every budget of these senders, by id, in display order."""
    at = workspace.now()
    return {
        sender.id: [
            Use(budget, sender.usage.day.get(budget, WindowUsage()).count, _most(sender, budget, at))
            for budget in _budgets(sender)
        ]
        for sender in usage.views(accounts, at).values()
    }


class Health(StrEnum):
    """How a sender is doing: it sends, it sends but something goes wrong, or it sends nothing."""

    SAFE = "safe"
    CAREFUL = "careful"
    STOP = "stop"


def health(account: Account, delivery: str = "") -> Health:
    """Return how a sender is doing; `delivery` is the state of a mailbox's deliverability."""
    if not account.active or account.status != AccountStatus.CONNECTED:
        return Health.STOP
    wrong = account.silent_at or delivery in ("bad", "watch") or limits.share_left(account.health) < 1
    return Health.CAREFUL if wrong else Health.SAFE


def open_hours(account: Account, at: datetime) -> list[tuple[datetime, bool]]:
    """Return the 24 hours from the begun one on, in the sender's time, and whether it works in them."""
    first = at.astimezone(ZoneInfo(account.timezone)).replace(minute=0, second=0, microsecond=0)
    every = [first + timedelta(hours=number) for number in range(25)]
    times = list(takewhile(lambda one: one[0] < every[-1], openings(working_hours.of_sender(account), at)))
    return [(begin, any(a < end and b > begin for a, b in times)) for begin, end in pairwise(every)]


@dataclass(frozen=True)
class Standing:
    """One kind of action of a sender: its limit, what it aims at today, what it did, and why it does no more now."""

    kind: str
    limit: int
    target: int
    day: int
    week: int
    resting_until: datetime | None
    why: WaitReason | None


def standings(workspace: Workspace, account: Account) -> list[Standing]:
    """Return the limit state of every kind of action, in display order."""
    at = workspace.now()
    view = usage.views([account], at)[account.id]
    done = (Action.sender_id == account.id, Action.workspace_id == workspace.id, Action.state.in_(usage.COUNTED))
    query = sa.select(Action.budget, sa.func.count()).where(*done, Action.at > at - limits.WEEK)
    week = dict(session().execute(query.group_by(Action.budget)).all())
    always = CampaignView(0, CampaignStatus.RUNNING, view.window, None, None)
    return [
        Standing(
            budget,
            view.limits[budget],
            view.target(budget, at),
            view.usage.day.get(budget, WindowUsage()).count,
            int(week.get(budget, 0)),
            view.rests[budget] if budget in view.rests and view.rests[budget] > at else None,
            planner.decide(view, always, budget, at, at),
        )
        for budget in _budgets(view)
    ]


def _budgets(sender: SenderView) -> list[Budget]:
    """Return the budgets of the sender that have a limit; tasks only once it gave any to members."""
    return [one for one in Budget if one in sender.limits and (one != Budget.TASK or one in sender.usage.day)]


def _most(sender: SenderView, budget: str, at: datetime) -> int:
    """Return the limit, reduced while the sender ramps up."""
    return limits.most(budget, sender.limits[budget], ramp_from=sender.ramp_from, at=at, health={})


def pace(accounts: Sequence[Account], at: datetime) -> Sequence[str]:
    """Return how many connection requests and emails these senders may send a day, each in words; less while new."""
    several = (("connection requests", Budget.INVITE), ("emails", Budget.EMAIL))
    found = ((what, limits.pace(budget, accounts, at)) for what, budget in several)
    return [one.said(what) for what, one in found if one.full]


def history(workspace: Workspace, account: Account, days: int = 14) -> list[Day]:
    """Return the sender's actions on each of its last local days, oldest first; today is the last."""
    zone = ZoneInfo(account.timezone)
    today = workspace.now().astimezone(zone).date()
    first = today - timedelta(days=days - 1)
    query = sa.select(Action.at, Action.budget).where(
        Action.sender_id == account.id,
        Action.workspace_id == workspace.id,
        Action.at >= datetime.combine(first, time(0), zone),
        Action.state.in_(usage.COUNTED),
    )
    done: defaultdict[date, Counter[str]] = defaultdict(Counter)
    hours: defaultdict[date, Counter[int]] = defaultdict(Counter)
    for at, budget in session().execute(query):
        local = at.astimezone(zone)
        done[local.date()][budget] += 1
        hours[local.date()][local.hour] += 1
    return [Day(day, done[day], hours[day]) for day in (first + timedelta(days=number) for number in range(days))]


def campaigns(workspace: Workspace, account: Account) -> Sequence[Campaign]:
    """Return the campaigns that use the sender, newest first."""
    query = (
        sa.select(Campaign)
        .join(CampaignAccount, CampaignAccount.campaign_id == Campaign.id)
        .where(CampaignAccount.account_id == account.id, Campaign.workspace_id == workspace.id)
        .order_by(Campaign.id.desc())
    )
    return session().scalars(query).all()


def acceptance(account: Account) -> str:
    """Describe the sender's acceptance rate and its effect in a sentence; '' without data."""
    pending, accepted = account.health.get("pending", 0), account.health.get("accepted", 0)
    sent = account.health.get("sent", pending + accepted)
    if not sent:
        return ""
    withdrawn = f", {sent - accepted - pending} withdrawn" if sent > accepted + pending else ""
    said = f"{accepted} of {sent} accepted ({accepted / sent:.1%}), {pending} pending{withdrawn}, in the last 60 days."
    left = limits.share_left(account.health)
    if left == 1:
        return said
    if not left:
        return f"{said} Too few accept, so connection requests are paused. Try different people or a different note."
    return f"{said} Fewer than {limits.HALVE_BELOW:.0%} of the older ones were accepted, so the limit is halved."
