"""A pool: units of a kind run side by side, shared fairly, and what fails or does nothing rests."""

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from flask import Flask, current_app

from app.core.claims import Busy, Due
from app.core.db import session
from app.engines import pool as pool_of_units
from app.engines.pool import Pool
from app.engines.units import UnitKind
from tests.support.waiting import until

SOON = 60  # seconds: a busy machine is slow, not wrong


class Work:
    """Units that are due until they have run; each waits for `go_on` when it is held."""

    def __init__(self, *due: Due) -> None:
        self.waiting = list(due)
        self.done: list[int] = []
        self.asked: list[Busy] = []
        self.held: set[int] = set()
        self.go_on = threading.Event()
        self.begun = threading.Semaphore(0)

    def due(self, most: int, busy: Busy) -> list[Due]:
        self.asked.append(busy)
        free = [one for one in self.waiting if one.key not in busy.keys and one.workspace_id not in busy.workspaces]
        return free[:most]

    def run(self, key: int) -> int:
        self.begun.release()
        if key in self.held:
            assert self.go_on.wait(SOON)
        self.waiting = [one for one in self.waiting if one.key != key]
        self.done.append(key)
        return 1


Begin = Callable[..., Pool]


@pytest.fixture
def begin(app: Flask) -> Iterator[Begin]:
    """A pool for some work, that looks again whenever a unit ended; it is stopped at the end."""
    pools = []

    def make(work: Work, slots: int = 4, run: Callable[[int], int] | None = None) -> Pool:
        kind = UnitKind("work", work.due, run or work.run, slots, SOON, "work", "work")
        pool = Pool(app, kind, lambda: True, lambda: pool.look())
        pools.append(pool)
        return pool

    yield make
    for pool in pools:
        pool.stop()


def test_a_unit_that_hangs_holds_up_no_other(begin: Begin) -> None:
    work = Work(*(Due(key, key) for key in range(1, 9)))
    work.held = {1}
    begin(work, slots=2).look()
    until(lambda: sorted(work.done) == list(range(2, 9)))
    work.go_on.set()
    until(lambda: len(work.done) == 8)


def test_a_workspace_gets_three_quarters_of_the_slots(begin: Begin) -> None:
    """However much of it hangs, the others are served."""
    work = Work(*(Due(key, 1) for key in range(1, 9)), Due(100, 2))
    work.held = set(range(1, 9))
    pool = begin(work, slots=4)
    pool.look()
    until(lambda: work.done == [100] and pool.running == 3)
    pool.look()
    assert work.asked[-1].workspaces == [1]
    work.go_on.set()
    until(lambda: len(work.done) == 9)


def test_a_key_never_runs_twice_at_the_same_time(begin: Begin) -> None:
    work = Work(Due(1, 1))
    work.held = {1}
    pool = begin(work)
    for _ in range(3):
        pool.look()
    assert work.begun.acquire(timeout=SOON)
    pool.look()
    assert pool.running == 1
    work.go_on.set()
    until(lambda: pool.running == 0)
    assert work.done == [1]


def test_a_failing_unit_is_logged_with_its_key_and_rests(begin: Begin, caplog: pytest.LogCaptureFixture) -> None:
    def fail(key: int) -> int:
        if key == 1:
            raise RuntimeError("a fault")
        return work.run(key)

    work = Work(Due(1, 1), Due(2, 1))
    pool = begin(work, run=fail)
    pool.look()
    until(lambda: work.done == [2] and pool.running == 0)
    pool.look()
    assert 1 in work.asked[-1].keys
    assert [record.fields["key"] for record in caplog.records] == [1]  # type: ignore[attr-defined]
    assert "a fault" in caplog.text


def test_a_unit_that_did_nothing_rests_before_it_is_tried_again(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker has it, so that trying at once would only cost."""
    monkeypatch.setattr(pool_of_units, "IDLE_REST", SOON)
    tried = []
    pool = begin(Work(Due(1, 1)), run=lambda key: len(tried.append(key) or []))  # type: ignore[func-returns-value]
    pool.look()
    until(lambda: bool(tried) and pool.running == 0)
    pool.look()
    pool.look()
    assert tried == [1]


def test_every_unit_has_an_application_context_and_a_session_of_its_own(begin: Begin) -> None:
    """Nothing read by one is still there in the next."""
    seen = []
    work = Work(Due(1, 1), Due(2, 1))

    def run(key: int) -> int:
        seen.append((current_app.name, session()))
        return work.run(key)

    begin(work, run=partial(run)).look()
    until(lambda: len(work.done) == 2)
    assert {name for name, _ in seen} == {"app"}
    assert seen[0][1] is not seen[1][1]
