"""How people respond: what share of them accepts or replies, and how soon. Pure; the model is in docs/forecast.md.

Delays are drawn from what was measured or, without enough of it, from a usual distribution, never from its mean: the
slow ones decide when a campaign ends.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, exp, log
from statistics import NormalDist

from app.domain.ledger.acceptance import DECIDED_AFTER, USUAL_DELAY

ENOUGH = 20  # delays, before the own ones count
KEPT = 40  # points that are kept of a measured distribution
_NORMAL = NormalDist()
# Yesware, 500,000 sales e-mails of early 2014: of those that are opened 91 % are within a day, and of those that are
# answered half are within three hours of being opened and 90 % within a day. Both waits together are about log-normal,
# with a median of six hours and 90 % within two days.
USUAL_MEDIAN, USUAL_SPREAD = timedelta(hours=6), log(8) / _NORMAL.inv_cdf(0.9)


@dataclass(frozen=True)
class Delays:
    """The distribution of a delay, as its quantiles at even steps from the shortest to the longest."""

    points: tuple[timedelta, ...]
    measured: bool = False

    @classmethod
    def of(cls, found: Iterable[timedelta], usual: "Delays") -> "Delays":
        """Return the distribution of measured delays; the usual one while there are too few."""
        known = sorted(found)
        if len(known) < ENOUGH:
            return usual
        last = len(known) - 1
        return cls(tuple(known[round(last * number / (KEPT - 1))] for number in range(KEPT)), measured=True)

    def at(self, share: float) -> timedelta:
        """Return the delay within which that share of the delays lies."""
        place = min(max(share, 0.0), 1.0) * (len(self.points) - 1)
        low = min(int(place), len(self.points) - 2)
        return self.points[low] + (self.points[low + 1] - self.points[low]) * (place - low)

    def within(self, age: timedelta) -> float:
        """Return the share of delays that are over by that age."""
        if age >= self.points[-1]:
            return 1.0
        above = bisect_right(self.points, age)
        if above == 0:
            return 0.0
        low, high = self.points[above - 1], self.points[above]
        return (above - 1 + (age - low) / (high - low)) / (len(self.points) - 1)

    @property
    def median(self) -> timedelta:
        """Return the delay within which half of the delays lie."""
        return self.at(0.5)


_SHARES = [(number + 0.5) / KEPT for number in range(KEPT)]
USUAL_ACCEPT = Delays(tuple(min(-USUAL_DELAY * log(1 - share), DECIDED_AFTER) for share in _SHARES))
USUAL_REPLY = Delays(
    tuple(min(USUAL_MEDIAN * exp(USUAL_SPREAD * _NORMAL.inv_cdf(share)), DECIDED_AFTER) for share in _SHARES)
)


@dataclass(frozen=True)
class Rates:
    """What share of people accepts an invitation and replies to their 1st, 2nd … message, and after how long."""

    accept: float
    reply: tuple[float, ...]
    accept_after: Delays = USUAL_ACCEPT
    reply_after: Delays = USUAL_REPLY


class EvenShare:
    """Decides for each person in turn whether they do what a share of people does: evenly spread, not at random."""

    def __init__(self) -> None:
        self.sum = 0.5

    def next(self, share: float) -> bool:
        """Return whether the next person, whose chance is `share`, does it."""
        self.sum += share
        if self.sum >= 1:
            self.sum -= 1
            return True
        return False


class EvenDelays:
    """Delays drawn one by one from a distribution, evenly spread over it even when there are only a few."""

    def __init__(self, delays: Delays) -> None:
        self.delays, self.number = delays, 0

    def next(self, after: float = 0) -> timedelta:
        """Return the next delay, from the part of the distribution beyond its share `after`."""
        self.number += 1
        return self.delays.at(after + (1 - after) * _even_point(self.number))


def _even_point(number: int) -> float:
    """Return the number's binary digits mirrored at the point: 1/2, 1/4, 3/4, 1/8 …, evenly spread however many."""
    found, part = 0.0, 0.5
    while number:
        found += part * (number & 1)
        number, part = number >> 1, part / 2
    return found


class Responses:
    """Decides for one person after the other whether and when they respond."""

    def __init__(self, rates: Rates) -> None:
        self.rates = rates
        self.accepting, self.accept_after = EvenShare(), EvenDelays(rates.accept_after)
        self.replying, self.reply_after = EvenShare(), EvenDelays(rates.reply_after)

    def accepts(self, age: timedelta = timedelta(0)) -> timedelta | None:
        """Return the total delay until an invitation that has been open for `age` is accepted; None if it never is."""
        over = self.rates.accept_after.within(age) if age else 0.0
        if not self.accepting.next(_chance_left(self.rates.accept, over)):
            return None
        return max(age, self.accept_after.next(over))

    def replies(self, number: int, age: timedelta = timedelta(0)) -> timedelta | None:
        """Return the total delay until a person replies to their message of that number, from 1, sent `age` ago."""
        share = self.rates.reply[number - 1] if number <= len(self.rates.reply) else 0.0
        over = self.rates.reply_after.within(age) if age else 0.0
        if not self.replying.next(_chance_left(share, over)):
            return None
        return max(age, self.reply_after.next(over))


def _chance_left(share: float, over: float) -> float:
    """Return the chance that someone who has not responded yet will, when the share `over` of delays has passed."""
    return share * (1 - over) / (1 - share * over) if over < 1 else 0.0


@dataclass(frozen=True)
class Range:
    """The range in which a number lies in four of five cases."""

    low: int
    high: int


# How far four of five results lie from the expected one, in standard deviations.
WIDTH = _NORMAL.inv_cdf(0.9)
# How far the end of four of five campaigns lies from the expected end, at most: so many days, and a share of the time
# to it. Chosen by simulated campaigns, and checked on others (docs/forecast.md).
ENDS_WITHIN, END_SHARE = timedelta(days=3), 0.12


def reply_range(expected: float, known: int, spread: float) -> Range:
    """Return the range of the total number of replies: `known` have come, `expected` more are expected.

    Replies come by chance, and their rate is only known to a relative standard deviation of `spread`.
    """
    deviation = WIDTH * (expected + (expected * spread) ** 2) ** 0.5
    return Range(known + max(0, int(expected - deviation)), known + ceil(expected + deviation))


def end_range(at: datetime, ends: datetime, latest: datetime | None = None) -> tuple[datetime, datetime]:
    """Return the range of times in which a campaign ends, expected at `at` to end at `ends`; never after `latest`."""
    share = (ends - at) * END_SHARE
    last = ends + ENDS_WITHIN + share
    return max(at, ends - ENDS_WITHIN - share), min(last, latest or last)


def spread_of(share: float, people: int) -> float:
    """Return the relative standard deviation of a share that was measured among so many people."""
    return ((1 - share) / (share * people)) ** 0.5 if share and people else 0.0


def total_reply(reply: Sequence[float]) -> float:
    """Return the share of people who reply to one of all their messages."""
    left = 1.0
    for share in reply:
        left *= 1 - share
    return 1 - left
