"""The pace of a person: at which moments of a working day a sender acts. Pure; docs/pace.md describes the model.

A day begins a little late and has a lunch. What is left of it is the time at the desk, and the actions of one kind
fall at moments drawn from it, independently and evenly: their gaps are skewed, their minutes are no round ones, and
two senders are never in step. A day's draws come from the sender and the date, so that they need no memory.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from math import exp, log
from random import Random
from zoneinfo import ZoneInfo

Interval = tuple[datetime, datetime]

LATE_MEAN, LATE_MOST = timedelta(minutes=12), timedelta(minutes=45)
LATE_SHARE = 0.1  # of the day's hours, at most: who works an hour does not begin 45 minutes late
LUNCH_FROM = time(11, 45), time(13, 15)
LUNCH_LENGTH = timedelta(minutes=30), timedelta(minutes=60)
LUNCH_NEEDS = timedelta(hours=6)  # shorter days have none


@lru_cache(maxsize=4096)
def at_desk(sender_id: int, day: date, zone: str, hours: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the times of a local day at which the sender may act, of the `hours` that are open on it."""
    if not hours:
        return ()
    open_for = _length(hours)
    draws = Random(f"{sender_id}|{day}")
    begins = _after(hours, _late(draws.random(), open_for))
    breaks = draws.random(), draws.random()
    found = [(max(opens, begins), closes) for opens, closes in hours if closes > begins]
    if open_for >= LUNCH_NEEDS:
        found = _without(found, _lunch(day, ZoneInfo(zone), *breaks))
    return tuple(found)


@lru_cache(maxsize=8192)
def moments(sender_id: int, budget: str, day: date, desk: tuple[Interval, ...], number: int) -> tuple[datetime, ...]:
    """Return the moments, in order, from which the sender's 1st, 2nd … action of that budget may happen on the day."""
    if not desk:
        return ()
    draws = Random(f"{sender_id}|{budget}|{day}")
    whole = _length(desk)
    return tuple(_after(desk, whole * share) for share in sorted(draws.random() for _ in range(number)))


def late(seed: str, open_for: timedelta) -> timedelta:
    """Return how long after hours have opened, which are open for so long, the first action follows."""
    return _late(Random(seed).random(), open_for)


def _late(draw: float, open_for: timedelta) -> timedelta:
    """Return how late a day of so many hours begins: exponential, cut off."""
    reached = 1 - exp(-min(LATE_MOST, open_for * LATE_SHARE) / LATE_MEAN)
    return -LATE_MEAN * log(1 - draw * reached)


def _lunch(day: date, zone: ZoneInfo, begin: float, length: float) -> Interval:
    earliest, latest = (datetime.combine(day, moment, zone).astimezone(UTC) for moment in LUNCH_FROM)
    begins = earliest + (latest - earliest) * begin
    shortest, longest = LUNCH_LENGTH
    return begins, begins + shortest + (longest - shortest) * length


def _without(hours: Sequence[Interval], pause: Interval) -> list[Interval]:
    left, right = pause
    pieces = [piece for a, b in hours for piece in ((a, min(b, left)), (max(a, right), b))]
    return [(a, b) for a, b in pieces if a < b]


def _length(hours: Sequence[Interval]) -> timedelta:
    return sum((closes - opens for opens, closes in hours), timedelta(0))


def _after(hours: Sequence[Interval], passed: timedelta) -> datetime:
    """Return the moment at which so much of the hours has passed."""
    for opens, closes in hours:
        if passed < closes - opens:
            return opens + passed
        passed -= closes - opens
    return hours[-1][1]
