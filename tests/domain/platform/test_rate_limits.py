"""Token buckets: exact, in one process and shared between several."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from app.core.db import is_sqlite
from app.domain.platform import rate_limits
from app.domain.platform.rate_limits import Rate
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

RATE = Rate("test", 2, 5)


@pytest.fixture(autouse=True)
def _full(app: Flask, clock: Movable) -> None:
    """No one has asked for anything, and no time passes by itself."""
    rate_limits.reset()


def test_a_burst_is_allowed_then_calls_must_wait(clock: Movable) -> None:
    """Each caller and rate has a bucket, which refills up to the burst; refused calls cost nothing."""
    drawn = [rate_limits.consume(RATE, "a") for _ in range(6)]
    assert [one.allowed for one in drawn] == [True] * 5 + [False]
    assert [one.remaining for one in drawn] == [4, 3, 2, 1, 0, 0]
    assert drawn[5].wait == pytest.approx(0.5)
    assert rate_limits.consume(RATE, "b").allowed
    assert rate_limits.consume(Rate("other", 2, 5), "a").allowed
    for _ in range(50):
        rate_limits.consume(RATE, "a")
    clock.forward(seconds=1)
    assert [rate_limits.consume(RATE, "a").allowed for _ in range(3)] == [True, True, False]
    clock.forward(hours=1)
    assert [rate_limits.consume(RATE, "a").allowed for _ in range(6)] == [True] * 5 + [False]


def test_several_buckets_are_drawn_from_at_once_and_a_clock_set_back_locks_no_one_out(clock: Movable) -> None:
    """Each bucket says for itself what became of its token; one that refuses keeps no other from giving."""
    narrow, wide = Rate("narrow", 1, 1), Rate("wide", 1, 3)
    drawn = [rate_limits.consume_all([(narrow, "a"), (wide, "b")]) for _ in range(3)]
    assert [[each.rate for each in pair] for pair in drawn] == [[narrow, wide]] * 3
    assert [[each.allowed for each in pair] for pair in drawn] == [[True, True], [False, True], [False, True]]
    assert [pair[1].remaining for pair in drawn] == [2, 1, 0]
    for _ in range(3):
        rate_limits.consume(RATE, "a")
    clock.forward(days=-1)
    assert not rate_limits.consume(RATE, "a").allowed
    clock.forward(seconds=0.5)
    assert rate_limits.consume(RATE, "a").allowed


def test_threads_cannot_draw_more_than_there_is(app: Flask) -> None:
    start = threading.Barrier(4)

    def ask(_: int) -> int:
        start.wait()
        with app.app_context():
            return sum(rate_limits.consume(RATE, "a").allowed for _ in range(10))

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(ask, range(4))) == RATE.burst


def test_full_buckets_are_forgotten(clock: Movable) -> None:
    """What is kept in the database does not grow for ever."""
    rate_limits.consume(RATE, "a")
    assert rate_limits.purge() == 0
    clock.forward(minutes=5)
    assert rate_limits.purge() == (0 if is_sqlite() else 1)
