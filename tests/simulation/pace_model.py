"""The pace that docs/pace.md states, written a second time from its sentences: what the ledger is held against."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import exp, log
from random import Random

Minute = float  # of a local day
DAY = 24 * 60.0


def of_a_sender(chance: Random, days: Sequence[int], opens: Minute, closes: Minute, limit: int) -> list[list[Minute]]:
    """Return the minutes at which a sender invites on each of these days, when there is always someone to invite.

    A day is its number since a Monday. The limit holds for any 24 hours.
    """
    found: list[list[Minute]] = []
    done: list[Minute] = []  # since the first midnight
    for day in days:
        share = chance.uniform(0.7, 1.0) * (0.9 if day % 7 == 4 else 1.0)
        desk = _at_desk(chance, opens, closes)
        length = sum(b - a for a, b in desk)
        moments = sorted(_after(desk, chance.random() * length) for _ in range(max(1, round(limit * share))))
        mine: list[Minute] = []
        free = 0.0
        for moment in moments:
            at = max(moment, free)
            last = [one - day * DAY for one in done if one > day * DAY + at - DAY]
            if len(last) >= limit:
                at = max(at, sorted(last)[len(last) - limit] + DAY)
            at = _in(desk, at)
            if at >= closes:
                break
            mine.append(at)
            done.append(day * DAY + at)
            free = at + 3 + _exponential(chance, 2.5, 5)
        done = done[-4 * limit :]
        found.append(mine)
    return found


def _at_desk(chance: Random, opens: Minute, closes: Minute) -> list[tuple[Minute, Minute]]:
    begins = opens + _exponential(chance, 12, min(45, (closes - opens) / 10))
    lunch = chance.uniform(11 * 60 + 45, 13 * 60 + 15)
    back = lunch + chance.uniform(30, 60)
    return [(a, b) for a, b in ((begins, lunch), (back, closes)) if a < b]


def _after(desk: Sequence[tuple[Minute, Minute]], passed: Minute) -> Minute:
    for a, b in desk:
        if passed < b - a:
            return a + passed
        passed -= b - a
    return desk[-1][1]


def _in(desk: Sequence[tuple[Minute, Minute]], at: Minute) -> Minute:
    """Return the next minute at the desk."""
    return next((max(a, at) for a, b in desk if at < b), DAY)


def _exponential(chance: Random, mean: float, most: float) -> float:
    """Draw from an exponential distribution, of which the part above `most` is cut off."""
    return -mean * log(1 - chance.random() * (1 - exp(-most / mean)))


def chi_squared(seen: Counter[int], model: Counter[int], cells: Iterable[int]) -> tuple[float, int]:
    """Return the chi-squared value of what was seen against a larger sample of the model, and its degrees of freedom.

    Cells of which the model expects less than five are left out; the value allows for the model being a sample too.
    """
    share = seen.total() / model.total()
    wanted = {cell: model[cell] * share for cell in cells}
    told = [cell for cell, number in wanted.items() if number >= 5]
    value = sum((seen[cell] - wanted[cell]) ** 2 / wanted[cell] for cell in told)
    return value / (1 + share), len(told) - 1


def exceeded_rarely(freedom: int) -> float:
    """Return the chi-squared value that 1 in 1,000 samples exceeds (Wilson and Hilferty's approximation)."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + 3.0902 * part**0.5) ** 3)
