"""Sender limits: targets, windows, ramp-up and brakes. Pure arithmetic."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import ceil, exp, log

from app.models.accounts import Account, Budget
from app.ports import Product

HARD_CAPS: dict[str, int] = {
    Budget.INVITE: 35,
    Budget.MESSAGE: 80,
    Budget.INMAIL: 25,
    Budget.VISIT: 80,
    Budget.FOLLOW: 30,
    Budget.LIKE: 30,
    Budget.EMAIL: 200,
    Budget.TASK: 50,
}
TASKS_A_DAY = HARD_CAPS[Budget.TASK]  # tasks that each sender gives to members a day; LinkedIn sees nothing of them
ALL_SOCIAL = 90  # per 24 h, all kinds together
INVITES_PER_WEEK, INVITES_PER_WEEK_CAP = 80, 150
USUAL_INVITES = 15
RAMP_DAYS, RAMP_START = 14, 0.2
MAILBOX_RAMP_START, MAILBOX_RAMP_STEP = 10, 5
SPREAD = 0.3  # the daily target lies between 70 % and 100 % of the limit: a person is not a metronome
FRIDAY, FRIDAY_SHARE = 5, 0.9  # a little less on Fridays
DECIDED_ENOUGH = 20
HALVE_BELOW, STOP_BELOW = 0.30, 0.15
PENDING_MOST = 500
OPENERS_SHARE = 0.25

SEARCH = "search"
# People whom an account may read in searches within 24 hours, all searches together: half of what Unipile advises
# (1,000; 2,500 in Sales Navigator and Recruiter: developer.unipile.com/docs/provider-limits-and-restrictions), which is
# also the most that LinkedIn shows of one search.
SEARCH_LIMITS = {Product.CLASSIC: 500, Product.SALES_NAVIGATOR: 1250, Product.RECRUITER: 1250}
SEARCH_MOST = {Product.CLASSIC: 1000, Product.SALES_NAVIGATOR: 2500, Product.RECRUITER: 2500}
SEARCH_PAGE = {Product.CLASSIC: 10, Product.SALES_NAVIGATOR: 25, Product.RECRUITER: 25}  # as LinkedIn's own pages

DAY, WEEK = timedelta(hours=24), timedelta(days=7)


@dataclass(frozen=True)
class WindowUsage:
    """What a sender did in a rolling window: how often, how much of it to people already in a sequence, since when."""

    count: int = 0
    follow_ups: int = 0
    first_at: datetime | None = None


@dataclass(frozen=True)
class Usage:
    """The ledger of a sender, counted: per budget over 24 h and its local day, and invitations over 7 days."""

    day: Mapping[str, WindowUsage] = field(default_factory=dict)
    week_invites: WindowUsage = WindowUsage()
    today: Mapping[tuple[date, str], int] = field(default_factory=dict)  # of the sender's local day, by budget

    @property
    def all_day(self) -> WindowUsage:
        """Return the usage of the last 24 hours."""
        sent = [used for budget, used in self.day.items() if budget != Budget.TASK]
        firsts = [used.first_at for used in sent if used.first_at]
        return WindowUsage(sum(used.count for used in sent), 0, min(firsts, default=None))


@dataclass(frozen=True)
class Throttle:
    """Why a budget is closed, and until when; `until` None: until something else changes."""

    code: str
    until: datetime | None


def ramp(budget: str, limit: int, since: datetime | None, at: datetime) -> float:
    """Return the limit at `at` of a sender that ramps up since `since`."""
    if since is None:
        return limit
    days = max(0.0, (at - since) / DAY)
    if budget == Budget.EMAIL:
        return min(limit, MAILBOX_RAMP_START + MAILBOX_RAMP_STEP * int(days))
    if days >= RAMP_DAYS:
        return limit
    return limit * (RAMP_START + (1 - RAMP_START) * int(days) / RAMP_DAYS)


@dataclass(frozen=True)
class Pace:
    """How many actions senders may do in a day: now, and in full from a day on; None once no one ramps up any more."""

    now: int
    full: int
    full_from: date | None = None

    def said(self, what: str = "") -> str:
        """Return the pace in words, such as: 10 emails a day for now, 50 from 20 December."""
        a_day = f" {what} a day" if what else " a day"
        if self.full_from is None:
            return f"{self.full:,}{a_day}"
        return f"{self.now:,}{a_day} for now, {self.full:,} from {self.full_from.day} {self.full_from:%B}"


def pace(budget: str, senders: Iterable[Account], at: datetime) -> Pace:
    """Return how many actions of this budget these senders may do in a day, all together."""
    now = full = 0
    last: datetime | None = None
    for sender in senders:
        limit = min(sender.limits.get(budget, 0), HARD_CAPS.get(budget, 0))
        now, full = now + most(budget, limit, ramp_from=sender.ramp_from, at=at, health={}), full + limit
        if sender.ramp_from and limit and (grown := sender.ramp_from + DAY * _ramp_days(budget, limit)) > at:
            last = max(last or grown, grown)
    return Pace(now, full, last.date() if last else None)


def _ramp_days(budget: str, limit: int) -> int:
    """Return how many days a sender needs to grow to this limit."""
    if budget == Budget.EMAIL:
        return max(0, ceil((limit - MAILBOX_RAMP_START) / MAILBOX_RAMP_STEP))
    return RAMP_DAYS


def target(
    budget: str,
    limit: int,
    *,
    account_id: int,
    day: date,
    ramp_from: datetime | None,
    at: datetime,
    health: Mapping[str, int],
) -> int:
    """Return the sender's target of this budget on that local day; never above `limit`."""
    if budget == Budget.TASK:
        return min(limit, TASKS_A_DAY)
    grown = _braked(budget, limit, ramp_from, at, health)
    wanted = _drawn(budget, grown, account_id, day) * (FRIDAY_SHARE if day.isoweekday() == FRIDAY else 1)
    return max(1, round(wanted)) if grown else 0


def most(budget: str, limit: int, *, ramp_from: datetime | None, at: datetime, health: Mapping[str, int]) -> int:
    """Return how much of this budget fits into any 24 hours: the highest that a day's target can be."""
    grown = _braked(budget, limit, ramp_from, at, health)
    return max(1, round(grown)) if grown else 0


def _braked(budget: str, limit: int, ramp_from: datetime | None, at: datetime, health: Mapping[str, int]) -> float:
    """Return the limit after ramp-up, reduced where too few people accept the sender's invitations."""
    if budget == Budget.TASK:
        return min(limit, TASKS_A_DAY)
    grown = ramp(budget, min(limit, HARD_CAPS[budget]), ramp_from, at)
    return grown * share_left(health) if budget == Budget.INVITE else grown


def share_left(health: Mapping[str, int]) -> float:
    """Return how much of its invitations a sender may send: 1, or 0.5 or 0 while too few are accepted."""
    decided = health.get("decided", 0)
    if decided < DECIDED_ENOUGH:
        return 1
    share = health.get("accepted", 0) / decided
    return 0 if share < STOP_BELOW else 0.5 if share < HALVE_BELOW else 1


def _drawn(budget: str, grown: float, account_id: int, day: date) -> float:
    """Return the day's target: a share of the ramped-up limit, drawn from the sender and the day."""
    draw = hashlib.blake2b(f"{account_id}|{budget}|{day}".encode(), digest_size=2).digest()
    return grown * (1 - SPREAD * int.from_bytes(draw, "big") / 65535)


def search_target(product: Product, *, account_id: int, day: date, ramp_from: datetime | None, at: datetime) -> int:
    """Return how many people the account may read in searches of that product on that local day."""
    return round(_drawn(SEARCH, ramp(SEARCH, SEARCH_LIMITS[product], ramp_from, at), account_id, day))


def search_throttle(
    today: int, used: WindowUsage, page: int, *, last_at: datetime | None, account_id: int, rests: str, at: datetime
) -> Throttle | None:
    """Return what blocks reading a page of so many people at `at`; None when it may be read.

    `last_at` is when the account read the page before: people look at a page before they turn to the next.
    """
    if rests and (until := datetime.fromisoformat(rests)) > at:
        return Throttle("network_limit", until)
    if used.count + page > today:
        return Throttle("daily_limit", (used.first_at or at) + DAY)
    if last_at and (next_at := last_at + min_gap(account_id, last_at) / 12) > at:
        return Throttle("gap", next_at)
    return None


def throttle(
    budget: str,
    today: int,
    usage: Usage,
    *,
    limit: int,
    health: Mapping[str, int],
    rests_until: datetime | None,
    at: datetime,
    parts: int = 1,
    keep_for_openers: bool = False,
) -> Throttle | None:
    """Return the limit that blocks an action of `parts` messages at `at`; None when it is allowed."""
    if rests_until and rests_until > at:
        return Throttle("network_limit", rests_until)
    if limit <= 0:
        return Throttle("limit_zero", None)
    if today == 0:
        return Throttle("low_acceptance", None)
    used = usage.day.get(budget, WindowUsage())
    first = used.first_at or at
    if used.count + min(parts, today) > today:
        return Throttle("daily_limit", first + DAY)
    if keep_for_openers and used.follow_ups + 1 > max(1, int(today * (1 - OPENERS_SHARE))):
        return Throttle("kept_for_openers", first + DAY)
    if budget in (Budget.EMAIL, Budget.TASK):
        return None
    together = usage.all_day
    if together.count >= ALL_SOCIAL:
        return Throttle("all_limit", (together.first_at or at) + DAY)
    if budget == Budget.INVITE:
        if usage.week_invites.count >= invites_per_week(limit):
            return Throttle("weekly_limit", (usage.week_invites.first_at or at) + WEEK)
        if health.get("pending", 0) >= PENDING_MOST:
            return Throttle("pending_invites", None)
    return None


def blocks_invites(health: Mapping[str, int]) -> bool:
    """Return whether the invitation health forbids new invitations."""
    return not share_left(health) or health.get("pending", 0) >= PENDING_MOST


def invites_per_week(limit: int) -> int:
    """Return how many invitations fit into 7 days of a sender with that daily limit."""
    return min(INVITES_PER_WEEK_CAP, INVITES_PER_WEEK * max(limit, USUAL_INVITES) // USUAL_INVITES)


def min_gap(account_id: int, at: datetime, longest: int = 8, shortest: int = 3) -> timedelta:
    """Return the gap after an action: `shortest` to `longest` minutes, mostly short, drawn from the time itself."""
    draw = hashlib.blake2b(f"{account_id}|{at.isoformat()}".encode(), digest_size=4).digest()
    share = -log(1 - int.from_bytes(draw, "big") / 2**32 * (1 - exp(-2))) / 2  # exponential, cut off at 1
    return timedelta(seconds=round(60 * (shortest + (longest - shortest) * share)))
