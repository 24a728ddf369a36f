"""The winner among a step's variants: a Bayesian rule that may be asked every day. docs/variants.md has it in words.

Each variant's rate has a Beta posterior; its prior is worth `PRIOR` people at the rate of all variants together, so
that few people say little. The doubt that a winner may leave shrinks as people are added: look at equals often enough,
and one of them is ahead some day. The numbers were calibrated by simulation, which tests repeat.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, exp, lgamma, log, prod, sqrt

ENOUGH_PEOPLE = 100  # of each variant, with their time to answer over
ENOUGH_HITS = 10  # of all variants together
DOUBT = 0.0075  # the greatest accepted probability that the leader is not the best, up to `SETTLED` people each
SETTLED = 300  # with more people, the accepted probability shrinks in proportion
WORTH = 0.15  # by how much the best has to be better than the next one, as a share of the next one's rate
LIKED = 0.8  # a variant does not win by replies if another has more positive replies with this probability
PRIOR = 40  # how many people the prior counts as
POINTS = 24  # of the quadrature, for each variant
SPREAD = 7  # standard deviations that the quadrature covers on either side
MOST_TIMES = 64  # `more` is not estimated beyond so many times today's people


@dataclass(frozen=True)
class Outcome:
    """What became of the people who got one text and had their time to answer."""

    people: float
    hits: float

    @property
    def rate(self) -> float:
        """Return the observed rate."""
        return self.hits / self.people if self.people else 0.0

    def times(self, factor: float) -> "Outcome":
        """Return the same rate with that many times the people."""
        return Outcome(self.people * factor, self.hits * factor)


@dataclass(frozen=True)
class Verdict:
    """What the rule says: each variant's chance of being best, the winner by its place, and else what is missing.

    `more` is about how many people it still takes if the rates stay as they are; None when that can't be told.
    """

    chances: tuple[float, ...]
    winner: int | None
    missing: str = ""  # people, replies, difference or positive
    more: int | None = None


def judge(found: Sequence[Outcome], positive: Sequence[Outcome] = ()) -> Verdict:
    """Judge the variants by their replies; their positive ones can speak against a winner."""
    missing = what_is_missing(found, positive)
    chances = chances_of_best(found)
    if not missing:
        return Verdict(chances, _ahead(found)[0])
    return Verdict(chances, None, missing, _more(found, positive))


def what_is_missing(found: Sequence[Outcome], positive: Sequence[Outcome] = ()) -> str:
    """Return what these numbers lack for a winner: people, replies, difference or positive; '' if nothing."""
    if min(one.people for one in found) < ENOUGH_PEOPLE:
        return "people"
    if sum(one.hits for one in found) < ENOUGH_HITS:
        return "replies"
    best, lead = _ahead(found)
    if lead < WORTH or 1 - chances_of_best(found)[best] > doubt_allowed(found):
        return "difference"
    if positive:
        liked = chances_of_best(positive)
        if max(liked) >= LIKED and liked[best] < max(liked):
            return "positive"
    return ""


def _ahead(found: Sequence[Outcome]) -> tuple[int, float]:
    """Return which variant has the highest expected rate, and by which share it exceeds the next one."""
    means = [a / (a + b) for a, b in _posteriors(found)]
    second, best = sorted(range(len(means)), key=means.__getitem__)[-2:]
    return best, means[best] / means[second] - 1


def doubt_allowed(found: Sequence[Outcome]) -> float:
    """Return the greatest accepted probability that the leader is not the best."""
    return DOUBT * min(1.0, SETTLED / max(1, min(one.people for one in found)))


def _more(found: Sequence[Outcome], positive: Sequence[Outcome]) -> int | None:
    """Return about how many more people a winner takes, at the rates and shares so far."""
    people, fewest = sum(one.people for one in found), min(one.people for one in found)
    lacking = ceil(sum(max(0, ENOUGH_PEOPLE - one.people) for one in found))
    if not fewest:
        return lacking

    def done(times: float) -> bool:
        grown, liked = ([one.times(times) for one in some] for some in (found, positive))
        return not what_is_missing(grown, liked)

    times = _least(done, max(1.0, ENOUGH_PEOPLE / fewest))
    return (lacking or None) if times is None else ceil(people * (times - 1) / 10) * 10


def _least(done: Callable[[float], bool], first: float) -> float | None:
    """Return roughly the smallest factor at which there is a winner, by doubling and halving; None when it is far."""
    if done(first):
        return first
    below, above = first, first * 2
    while not done(above):
        below, above = above, above * 2
        if above > MOST_TIMES:
            return None
    for _ in range(6):
        middle = (below + above) / 2
        below, above = (below, middle) if done(middle) else (middle, above)
    return above


def _posteriors(found: Sequence[Outcome]) -> list[tuple[float, float]]:
    """Return the two parameters of each variant's Beta distribution."""
    people, hits = sum(one.people for one in found), sum(one.hits for one in found)
    rate = (hits + 1) / (people + 10)
    return [(PRIOR * rate + one.hits, PRIOR * (1 - rate) + one.people - one.hits) for one in found]


def chances_of_best(found: Sequence[Outcome]) -> tuple[float, ...]:
    """Return for each variant the probability that it has the highest rate, by quadrature."""
    posteriors, edges = _posteriors(found), set[float]()
    for a, b in posteriors:  # each variant has its own points, around its mean
        mean = a / (a + b)
        far = SPREAD * sqrt(mean * (1 - mean) / (a + b + 1))
        low, high = max(mean - far, 0.0), min(mean + far, 1.0)
        edges.update(low + (high - low) * number / POINTS for number in range(POINTS + 1))
    spans = [(begin, end) for begin, end in pairwise(sorted(edges)) if 0 < begin + end < 2]
    logs = [(log((begin + end) / 2), log(1 - (begin + end) / 2), log(end - begin)) for begin, end in spans]
    densities, below = [], []
    for a, b in posteriors:
        scale = lgamma(a + b) - lgamma(a) - lgamma(b)
        density = [exp(min(0.0, scale + (a - 1) * up + (b - 1) * down + width)) for up, down, width in logs]
        densities.append(density)
        below.append([total - own / 2 for total, own in zip(accumulate(density), density, strict=True)])
    chances = [
        sum(own * prod(one[n] for other, one in enumerate(below) if other != place) for n, own in enumerate(density))
        for place, density in enumerate(densities)
    ]
    whole = sum(chances)
    return tuple(chance / whole for chance in chances)


def interval(outcome: Outcome) -> tuple[float, float]:
    """Return the 95 % interval of a rate (Wilson's score interval)."""
    if not outcome.people:
        return 0.0, 1.0
    z, n, rate = 1.96, outcome.people, outcome.rate
    middle, far = rate + z * z / (2 * n), z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, (middle - far) / (1 + z * z / n)), min(1.0, (middle + far) / (1 + z * z / n))
