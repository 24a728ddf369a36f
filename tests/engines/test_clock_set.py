"""Someone sets the clock, a day back or a day ahead, under a running engine: it goes on, and says so."""

import logging
from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from flask import Flask

from app.core import clock as time_of
from app.domain.installation import engine_processes
from app.domain.installation.sandbox import clock_jumps
from app.engines import scheduler, seat
from app.engines.embedded import EmbeddedEngine
from tests.engines.test_embedded import a_seat, counting
from tests.engines.test_pool import until
from tests.support.movable import Movable

JUMPS = [timedelta(days=-1), timedelta(days=1)]


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "GLANCE", 0.02)
    monkeypatch.setattr(scheduler, "BEAT", 0.05)


@pytest.fixture
def engine(app: Flask) -> Iterator[tuple[EmbeddedEngine, list[int]]]:
    """An engine, and what it did so far."""
    done: list[int] = []
    engine = EmbeddedEngine(app, "serve", [counting(done)], ())
    engine.start()
    until(lambda: len(done) > 1)
    yield engine, done
    engine.stop()


@pytest.mark.parametrize("jump", JUMPS, ids=["back", "ahead"])
def test_the_engine_looks_on_and_what_a_jump_back_displaced_is_mended_once(
    engine: tuple[EmbeddedEngine, list[int]],
    jump: timedelta,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running, done = engine
    mended: list[float] = []
    monkeypatch.setattr(clock_jumps, "bring_forward", mended.append)
    with caplog.at_level(logging.WARNING, "app.engine"), time_machine.travel(time_of.now() + jump):
        until(lambda: "The clock of this machine jumped" in caplog.messages and bool(mended or jump in JUMPS[1:]))
        before = len(done)
        until(lambda: len(done) > before + 3)
        assert (running.alive, running.state) == (True, "active")
        seconds = [one.fields["seconds"] for one in caplog.records if "jumped" in one.message]  # type: ignore[attr-defined]
        assert abs(seconds[0] - jump.total_seconds()) < 300
    assert mended == ([pytest.approx(86_400, abs=300)] if jump in JUMPS[:1] else [])


def test_a_jump_ahead_takes_the_seat_from_no_one_who_lives(app: Flask, clock: Movable) -> None:
    first, second = a_seat("serve"), a_seat("worker")
    first.join()
    second.join()
    clock.forward(days=1)
    with time_machine.travel(time_of.now() + timedelta(days=1)):
        second.beat()
        first.beat()
    assert (first.active, second.active) == (True, False)


def test_a_holder_that_died_before_the_time_was_set_back_is_missed(
    app: Flask, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lease ends tomorrow; who stands by saw it unchanged for longer than a lease."""
    first, second = a_seat("serve"), a_seat("worker")
    first.join()
    second.join()
    clock.forward(days=-1)
    second.beat()
    assert not second.active
    steady = scheduler.time.monotonic() + engine_processes.LEASE.total_seconds() + 1
    monkeypatch.setattr(seat.time, "monotonic", lambda: steady)
    second.beat()
    assert second.active
