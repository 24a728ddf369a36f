"""How people respond: shares and delays that come up as often as they should, and the same every time."""

from datetime import timedelta

import pytest

from app.domain.ledger import rates as responses
from app.domain.ledger.rates import (
    ENOUGH,
    USUAL_ACCEPT,
    USUAL_REPLY,
    Delays,
    EvenDelays,
    EvenShare,
    Rates,
    Responses,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EVEN = Delays((timedelta(0), 10 * DAY))


def test_a_share_of_people_is_spread_evenly_and_the_same_every_time() -> None:
    for share, of, does in [(0, 100, 0), (0.25, 100, 25), (0.3, 10, 3), (1, 10, 10)]:
        first, again = EvenShare(), EvenShare()
        found = [first.next(share) for _ in range(of)]
        assert sum(found) == does, share
        assert found == [again.next(share) for _ in range(of)], share
        halves = sum(found[: of // 2]), sum(found[of // 2 :])
        assert abs(halves[0] - halves[1]) <= 1, share


def test_usual_delays_are_as_the_source_says_until_enough_were_measured() -> None:
    assert USUAL_REPLY.median == pytest.approx(6 * HOUR, rel=0.05)
    assert USUAL_REPLY.within(2 * DAY) == pytest.approx(0.9, abs=0.02)
    assert USUAL_ACCEPT.median == pytest.approx(2.08 * DAY, rel=0.05)
    few = [HOUR * number for number in range(ENOUGH - 1)]
    assert Delays.of(few, USUAL_REPLY) is USUAL_REPLY
    own = Delays.of([*few, 100 * HOUR], USUAL_REPLY)
    assert own.measured
    assert own.points[-1] == 100 * HOUR


def test_within_and_at_are_each_others_opposite() -> None:
    for share in [0, 0.1, 0.5, 0.99, 1]:
        delays = Delays.of([(number % 37) ** 2 * HOUR for number in range(100)], USUAL_REPLY)
        assert delays.within(delays.at(share)) >= share - 1 / 20, share
        assert delays.points[0] <= delays.at(share) <= delays.points[-1], share


def test_delays_come_up_as_often_as_they_should_early_on_too() -> None:
    drawn = EvenDelays(EVEN)
    found = [drawn.next() / DAY for _ in range(16)]
    assert sum(one < 5 for one in found) in (7, 8)
    assert sum(found) / 16 == pytest.approx(5, abs=0.7)


def test_an_old_invitation_is_accepted_less_often_and_later_than_it_is_old() -> None:
    asked = Responses(Rates(0.5, (), EVEN))
    found = [asked.accepts(5 * DAY) for _ in range(300)]
    late = [one for one in found if one is not None]
    assert len(late) == 100
    assert min(late) > 5 * DAY
    assert asked.accepts(11 * DAY) is None


def test_shares_and_ranges_of_replies() -> None:
    """Each message has its own share; a range is wider where the rate is less sure."""
    asked = Responses(Rates(0, (0.5, 0.25), USUAL_ACCEPT, EVEN))
    for number, expected in ((1, 50), (2, 25), (3, 0)):
        assert sum(asked.replies(number) is not None for _ in range(100)) == expected
    assert responses.total_reply((0.5, 0.25)) == pytest.approx(0.625)
    sure, unsure = (responses.reply_range(100, 3, spread) for spread in (0, 0.3))
    assert (sure.low, sure.high) == (90, 116)
    assert unsure.high - unsure.low > 2 * (sure.high - sure.low)
    assert responses.reply_range(0.0, 2, 0.1) == responses.Range(2, 2)
    assert responses.spread_of(0.2, 100) == pytest.approx(0.2)
