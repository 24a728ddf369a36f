"""Ticks look again while they find work, go on after failures, and stop when told."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask, current_app

from app.core.db import session
from app.scheduler import TICKS, Scheduler, Tick, run_once

SOON = 20


class Counted:
    """A tick's work: finds something the first few times, and says when it has been asked often enough."""

    def __init__(self, finds: list[int], asked: int) -> None:
        self.finds, self.calls, self._asked = finds, 0, asked
        self.enough = threading.Event()

    def __call__(self) -> int:
        self.calls += 1
        if self.calls >= self._asked:
            self.enough.set()
        return self.finds.pop(0) if self.finds else 0


@pytest.fixture
def start(app: Flask) -> Iterator[Callable[..., Scheduler]]:
    """Starts a scheduler with these ticks; it is stopped at the end."""
    started = []

    def begin(*ticks: Tick) -> Scheduler:
        scheduler = Scheduler(app, ticks)
        scheduler.start()
        started.append(scheduler)
        return scheduler

    yield begin
    for scheduler in started:
        scheduler.stop()


def test_a_tick_runs_again_and_again(start: Callable[..., Scheduler]) -> None:
    """A tick runs again and again, and the scheduler says that it lives."""
    work = Counted([], asked=3)
    scheduler = start(Tick("work", work, 0.02))
    assert work.enough.wait(SOON)
    assert scheduler.alive


def test_a_tick_that_found_work_looks_again_at_once(start: Callable[..., Scheduler]) -> None:
    """Whoever finds a full queue does not wait for the next second."""
    work = Counted([200, 200, 7], asked=4)
    began = time.monotonic()
    start(Tick("work", work, 1))
    assert work.enough.wait(SOON)
    assert time.monotonic() - began < 1.9


def test_a_failing_tick_is_logged_and_stops_no_other(
    start: Callable[..., Scheduler], caplog: pytest.LogCaptureFixture
) -> None:
    """The other one goes on, and the failing one is tried again."""
    fails = threading.Event()
    tried = []

    def fail() -> int:
        tried.append(1)
        if len(tried) > 1:
            fails.set()
        raise RuntimeError("a fault")

    work = Counted([], asked=5)
    start(Tick("broken", fail, 0.01), Tick("work", work, 0.01))
    assert work.enough.wait(SOON)
    assert fails.wait(SOON)
    assert [record.fields["tick"] for record in caplog.records][:1] == ["broken"]
    assert "a fault" in caplog.text


def test_a_tick_that_goes_on_failing_is_tried_ever_more_slowly(app: Flask) -> None:
    """The log is not flooded."""
    scheduler = Scheduler(app, [])
    tick = Tick("broken", lambda: 0, 1)
    assert [scheduler._rest(tick) for _ in range(8)] == [2, 4, 8, 16, 32, 60, 60, 60]


def test_stopping_waits_for_what_is_under_way_and_begins_nothing_new(start: Callable[..., Scheduler]) -> None:
    """A turn that was begun is finished."""
    began, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> int:
        began.set()
        may_end.wait(SOON)
        ended.set()
        return 1

    scheduler = start(Tick("work", work, 0.01))
    assert began.wait(SOON)
    stopping = threading.Thread(target=scheduler.stop)
    stopping.start()
    assert not ended.is_set()
    may_end.set()
    stopping.join(SOON)
    assert ended.is_set()
    assert not scheduler.alive


def test_every_look_has_an_application_context_and_a_session_of_its_own(app: Flask) -> None:
    """Nothing read by one look is still there in the next."""
    seen = []

    def work() -> int:
        seen.append((current_app.name, session()))
        return 0

    run_once(app, Tick("work", work, 1))
    run_once(app, Tick("work", work, 1))
    assert seen[0][0] == "app"
    assert seen[0][1] is not seen[1][1]


@pytest.mark.parametrize("tick", TICKS, ids=lambda tick: tick.name)
def test_every_tick_finds_nothing_in_an_empty_installation(app: Flask, tick: Tick) -> None:
    """And can be run at any time."""
    assert run_once(app, tick) == 0


def test_names_of_ticks_are_unique() -> None:
    """They are ids of the scheduler's jobs."""
    assert len({tick.name for tick in TICKS}) == len(TICKS)
