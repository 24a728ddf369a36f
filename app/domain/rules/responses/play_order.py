"""The order of plays: how likely an angle is to bring a positive answer, from the usual order and what happened since.

Each angle has a Beta posterior. Its prior is worth `PRIOR` people at the usual rate of its place, so that few people
say little. docs/autopilot.md has the rule in words.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass

from app.domain.rules.variants import winner
from app.domain.rules.variants.winner import PRIOR, Outcome

# The likeliest to be answered first, unless the writer knows an order that fits the business better.
USUAL = ("former_customers", "site_visitors", "new_role", "hiring", "cold", "funded", "technology", "news")
BEST, STEP, LEAST = 0.12, 0.01, 0.04  # the rate of the first place, by how much each next one is lower, and the lowest
NEUTRAL = 0.5  # a reply that says neither yes nor no, against a positive one
GOOD, BAD = 0.25, 2.5  # a vote for a person counts as so many positive replies, one against as so many without a reply


@dataclass(frozen=True)
class Evidence:
    """People who had time to answer, what they answered, and votes on sample people."""

    people: int = 0
    replies: int = 0
    positive: int = 0
    negative: int = 0
    good: int = 0
    bad: int = 0

    def __add__(self, other: "Evidence") -> "Evidence":
        return Evidence(*(mine + theirs for mine, theirs in zip(self.numbers, other.numbers, strict=True)))

    def without(self, other: "Evidence") -> "Evidence":
        """Return what is left when the other one no longer counts."""
        return Evidence(*(max(0, mine - theirs) for mine, theirs in zip(self.numbers, other.numbers, strict=True)))

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers in the order of the fields."""
        return astuple(self)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of the reply rate; None while there is no one to count."""
        return winner.interval(Outcome(self.people, min(self.people, self.replies))) if self.people else None

    @property
    def hits(self) -> float:
        """Return the positive replies, with the neutral ones as a part of one."""
        return self.positive + NEUTRAL * max(0, self.replies - self.positive - self.negative)


def usual_place(angle: str, usual: Sequence[str] = USUAL) -> int:
    """Return the place of an angle in the usual order; an unknown one comes last."""
    return usual.index(angle) if angle in usual else len(usual)


def usual_rate(place: int) -> float:
    """Return the rate that a place of the usual order stands for."""
    return max(LEAST, BEST - STEP * place)


def expected(found: Evidence, rate: float) -> float:
    """Return the posterior mean of an angle with that usual rate."""
    hits = PRIOR * rate + found.hits + GOOD * found.good
    misses = PRIOR * (1 - rate) + max(0.0, found.people - found.hits) + BAD * found.bad
    return hits / (hits + misses)


def order(angles: Iterable[str], found: Mapping[str, Evidence], usual: Sequence[str] = USUAL) -> list[str]:
    """Return the angles, the likeliest to be answered first; equals in the usual order."""

    def place(angle: str) -> tuple[float, int]:
        at = usual_place(angle, usual)
        return -round(expected(found.get(angle, Evidence()), usual_rate(at)), 6), at

    return sorted(angles, key=place)


def scores(
    of: Mapping[int, str],
    found: Mapping[int, Evidence],
    angles: Mapping[str, Evidence],
    usual: Sequence[str] = USUAL,
) -> dict[int, float]:
    """Return the expected rate of each play: its own people, and where the other plays of its angle stand before."""
    made = {}
    for play, angle in of.items():
        own = found.get(play, Evidence())
        others = angles.get(angle, Evidence()).without(own)
        made[play] = expected(own, expected(others, usual_rate(usual_place(angle, usual))))
    return made


def told(found: Evidence) -> str:
    """Return the evidence in words, such as: 12 of 80 answered (9–24 %), 5 positively; 3 good and 1 bad vote."""
    parts: list[str] = []
    if found.interval:
        low, high = (round(100 * edge) for edge in found.interval)
        liked = f", {found.positive:,} positively" if found.replies else ""
        parts.append(f"{found.replies:,} of {found.people:,} answered ({low}–{high} %){liked}")
    if found.good or found.bad:
        parts.append(_votes([(found.good, "good"), (found.bad, "bad")]))
    return "; ".join(parts)


def _votes(counted: Sequence[tuple[int, str]]) -> str:
    there = [(number, kind) for number, kind in counted if number]
    return f"{' and '.join(f'{number:,} {kind}' for number, kind in there)} vote{'' if there[-1][0] == 1 else 's'}"
