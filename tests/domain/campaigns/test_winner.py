"""The winner among variants: named only when the difference is worth believing, however often the rule is asked."""

import random
from collections.abc import Sequence
from math import ceil

import pytest

from app.domain.campaigns.winner import (
    ENOUGH_PEOPLE,
    Outcome,
    chances_of_best,
    doubt_allowed,
    interval,
    judge,
    what_is_missing,
)

ANSWER_DAYS = 7
LAST_REPLY = 25  # days after a text


def asked_daily(rng: random.Random, rates: Sequence[float], people: int, a_day: int) -> int | None:
    """The place of the first winner that is named in a test which takes so many people a day into each variant.

    A reply comes after some days; who has not replied counts once the time to answer is over. The rule is asked on each
    day until the last replies are in.
    """
    days = ceil(people / a_day) + LAST_REPLY + 1
    replies, over = ([[0] * (days + ANSWER_DAYS + 1) for _ in rates] for _ in range(2))
    for place, rate in enumerate(rates):
        for number in range(people):
            sent = number // a_day
            if rng.random() < rate:
                after = min(int(rng.lognormvariate(0.3, 1.1)), LAST_REPLY)
                replies[place][sent + after] += 1
                over[place][sent + min(after, ANSWER_DAYS)] += 1
            else:
                over[place][sent + ANSWER_DAYS] += 1
    known = [Outcome(0, 0)] * len(rates)
    for day in range(days):
        known = [
            Outcome(one.people + over[place][day], one.hits + replies[place][day]) for place, one in enumerate(known)
        ]
        if not what_is_missing(known):
            return judge(known).winner
    return None


def test_at_most_5_percent_of_tests_among_equals_name_a_winner() -> None:
    """Also of longer ones, and of those with more variants."""
    for rate in (0.05, 0.2):
        rng = random.Random(20261123)
        assert sum(asked_daily(rng, (rate, rate), 300, 15) is not None for _ in range(250)) <= 12
    rng = random.Random(7)
    assert sum(asked_daily(rng, (0.1, 0.1), 2000, 40) is not None for _ in range(100)) <= 5
    assert sum(asked_daily(rng, (0.1,) * 4, 300, 15) is not None for _ in range(100)) <= 5


def test_10_against_20_percent_is_seen_in_80_percent_of_tests_with_300_people_each() -> None:
    rng = random.Random(20261123)
    named = [asked_daily(rng, (0.1, 0.2), 300, 15) for _ in range(250)]
    assert named.count(1) >= 200
    assert named.count(0) <= 2


def test_the_chances_are_those_of_drawing_from_the_posteriors() -> None:
    """Against draws from the distributions themselves, which is another way to compute them."""
    found = [Outcome(120, 9), Outcome(140, 17), Outcome(90, 11)]
    people, hits = sum(one.people for one in found), sum(one.hits for one in found)
    rate, rng, best = (hits + 1) / (people + 10), random.Random(3), [0, 0, 0]
    for _ in range(10_000):
        drawn = [rng.betavariate(40 * rate + o.hits, 40 * (1 - rate) + o.people - o.hits) for o in found]
        best[drawn.index(max(drawn))] += 1
    assert chances_of_best(found) == pytest.approx([one / 10_000 for one in best], abs=0.02)
    assert sum(chances_of_best(found)) == pytest.approx(1)
    assert chances_of_best([Outcome(200, 20)] * 4) == pytest.approx([0.25] * 4)


def test_any_numbers_have_an_answer() -> None:
    for found in [
        [(0, 0), (0, 0)],
        [(5, 5), (0, 0)],
        [(9, 0), (9, 9)],
        [(100_000, 3), (100_000, 99_000)],
        [(1, 0)] * 5,
    ]:
        outcomes = [Outcome(*one) for one in found]
        verdict = judge(outcomes, outcomes)
        assert sum(verdict.chances) == pytest.approx(1), found
        assert all(0 <= low <= one.rate <= high <= 1 for one in outcomes for low, high in [interval(one)]), found


def test_the_rule_says_what_is_missing() -> None:
    few = ENOUGH_PEOPLE - 1
    assert judge([Outcome(few, 1), Outcome(500, 100)]).missing == "people"
    assert judge([Outcome(100, 1), Outcome(100, 4)]).missing == "replies"
    assert judge([Outcome(200, 20), Outcome(200, 26)]).missing == "difference"
    clear = [Outcome(300, 30), Outcome(300, 66)]
    assert judge(clear).winner == 1
    assert judge(clear, [Outcome(300, 20), Outcome(300, 25)]).winner == 1
    disliked = judge(clear, [Outcome(300, 20), Outcome(300, 5)])
    assert (disliked.winner, disliked.missing) == (None, "positive")


def test_a_difference_too_small_to_matter_is_no_win() -> None:
    """However many people show it: 10 % against 11 %."""
    found = [Outcome(100_000, 10_000), Outcome(100_000, 11_000)]
    assert max(chances_of_best(found)) > 0.999
    assert judge(found).missing == "difference"


def test_the_doubt_shrinks_as_people_are_added() -> None:
    doubts = [doubt_allowed([Outcome(people, 0)] * 2) for people in (100, 300, 600, 3000)]
    assert doubts == pytest.approx([0.0075, 0.0075, 0.00375, 0.00075])


def test_more_people_are_about_as_many_as_it_then_takes() -> None:
    found = [Outcome(150, 15), Outcome(150, 27)]
    more = judge(found).more
    assert more
    times = 1 + more / 300
    assert judge([one.times(times * 1.05) for one in found]).winner == 1
    assert judge([one.times(times * 0.9) for one in found]).winner is None
    assert judge([Outcome(200, 20), Outcome(200, 20)]).more is None
    assert judge([Outcome(0, 0), Outcome(40, 4)]).more == 160


def test_intervals_hold_the_rate_in_95_percent() -> None:
    rng, held = random.Random(5), 0
    for _ in range(500):
        low, high = interval(Outcome(150, sum(rng.random() < 0.1 for _ in range(150))))
        held += low <= 0.1 <= high
    assert 0.93 <= held / 500 <= 0.98
