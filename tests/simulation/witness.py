"""What the sandbox network saw, held against the rules. Written from the specification, without the engine's own code.

The network's log of acts is the evidence: the engine may believe of itself what it likes.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

BUDGETS = {
    "connection_request": "invite",
    "message": "message",
    "inmail": "inmail",
    "view_profile": "visit",
    "follow": "follow",
    "like_post": "like",
    "email": "email",
}
SPEAKS = {"connection_request", "message", "inmail", "email"}
DAY, WEEK = timedelta(hours=24), timedelta(days=7)
ALL_IN_A_DAY, INVITES_IN_A_WEEK = 90, 80


@dataclass(frozen=True)
class Hours:
    """When something is open, on its own clock."""

    timezone: str
    days: frozenset[int]
    start: time
    end: time

    def open(self, at: datetime) -> bool:
        local = at.astimezone(ZoneInfo(self.timezone))
        return local.isoweekday() in self.days and self.start <= local.time() <= self.end


def hours(timezone: str, days: Iterable[int], start: str, end: str) -> Hours:
    """Hours as they are written in settings."""
    return Hours(timezone, frozenset(days), time.fromisoformat(start), time.fromisoformat(end))


@dataclass(frozen=True)
class Seen:
    """An act as the network logged it, with the campaign it was done for."""

    account: int
    campaign: int
    kind: str
    person: str
    at: datetime


def outside_hours(acts: Iterable[Seen], accounts: dict[int, Hours], campaigns: dict[int, Hours]) -> list[Seen]:
    """Acts outside the sender's working hours, or outside the campaign's."""
    return [act for act in acts if not (accounts[act.account].open(act.at) and campaigns[act.campaign].open(act.at))]


def over_limit(acts: Iterable[Seen], limits: dict[int, dict[str, int]]) -> list[tuple[Seen, str, int]]:
    """Acts that were one too many in the 24 hours, or the 7 days, that end with them."""
    windows: defaultdict[tuple[int, str], deque[datetime]] = defaultdict(deque)
    found = []
    for act in sorted(acts, key=lambda act: act.at):
        budget = BUDGETS.get(act.kind)
        if budget is None:
            continue
        bounds = [(budget, DAY, limits[act.account][budget])]
        if budget != "email":
            bounds.append(("all", DAY, ALL_IN_A_DAY))
        if budget == "invite":
            bounds.append(("week", WEEK, INVITES_IN_A_WEEK))
        for name, span, most in bounds:
            window = windows[act.account, name]
            window.append(act.at)
            while window[0] <= act.at - span:
                window.popleft()
            if len(window) > most:
                found.append((act, name, len(window)))
    return found


def too_close(acts: Iterable[Seen]) -> list[tuple[Seen, Seen]]:
    """Acts of one sender that followed each other faster than a person would."""
    last: dict[int, Seen] = {}
    found = []
    for act in sorted(acts, key=lambda act: act.at):
        before = last.get(act.account)
        last[act.account] = act
        if before is None:
            continue
        least = timedelta(minutes=3 if before.kind in SPEAKS else 2)
        if (before.kind, before.person) == (act.kind, act.person) == ("message", act.person):
            least = timedelta(seconds=20)  # the next part of the same text
        if act.at - before.at < least:
            found.append((before, act))
    return found


def after(acts: Iterable[Seen], silence: dict[str, datetime]) -> list[Seen]:
    """Acts towards people who should have been left alone from a moment on; taking an invitation back is allowed."""
    return [act for act in acts if act.kind != "withdraw" and act.person in silence and act.at > silence[act.person]]


def repeated(acts: Iterable[Seen], messages: dict[int, int]) -> list[tuple[Any, int]]:
    """Things done to one person more often than the campaign has steps for; `messages`: their number per campaign."""
    counts = Counter((act.campaign, act.person, act.kind) for act in acts)
    return [
        (key, count)
        for key, count in counts.items()
        if count > (messages[key[0]] if key[2] in ("message", "email") else 1)
    ]
