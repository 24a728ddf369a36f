"""The embedded engine: one process runs what is due, the others stand by and take over."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from app.core import clock as time_of
from app.core import crypto, wakes
from app.core.claims import Busy, Due
from app.core.db import end_read, transaction
from app.domain.installation import engine_processes
from app.domain.platform import jobs, secret_rotation
from app.engines import scheduler, seat
from app.engines.embedded import EmbeddedEngine
from app.engines.units import BY_NAME, UnitKind
from app.engines.upkeep import Upkeep
from app.models.workspaces import Workspace
from tests.engines.test_pool import SOON, until
from tests.support.movable import Movable


def a_seat(command: str) -> seat.Seat:
    """The place of a process that has not joined yet."""
    return seat.Seat(command, "embedded", "Active.", "Standing by.")


Start = Callable[..., EmbeddedEngine]


@pytest.fixture
def start(app: Flask) -> Iterator[Start]:
    """Starts an engine with these kinds and upkeep; it is stopped at the end."""
    started = []

    def begin(*kinds: UnitKind, upkeep: tuple[Upkeep, ...] = ()) -> EmbeddedEngine:
        engine = EmbeddedEngine(app, "serve", kinds, upkeep)
        engine.start()
        started.append(engine)
        return engine

    yield begin
    for engine in started:
        engine.stop()


def counting(done: list[int], every: float = 0.05) -> UnitKind:
    """A unit that is always due and counts its runs."""

    def run(key: int) -> int:
        done.append(key)
        return 1

    return UnitKind("work", lambda most, busy: [Due(1, 1)] * (1 not in busy.keys), run, 1, every, "work", "work")


def test_a_second_engine_on_a_database_stands_by_and_takes_over(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is due is run again and again by the first alone, until it is stopped."""
    monkeypatch.setattr(scheduler, "BEAT", 0.05)
    done, others = list[int](), list[int]()
    first, second = start(counting(done)), start(counting(others))
    until(lambda: len(done) > 3)
    assert (first.alive, first.state, second.state, others) == (True, "active", "standby", [])
    assert [process.state for process in engine_processes.every()] == ["active", "standby"]
    first.stop()
    until(lambda: len(others) > 1)
    assert (first.alive, second.state) == (False, "active")
    end_read()
    assert len(engine_processes.every()) == 1


def test_an_engine_reads_the_signing_keys_before_its_threads_need_them(start: Start, app: Flask) -> None:
    """Threads that each hold a connection would wait for one more, and for each other."""
    read: list[str] = []

    def kept() -> dict[str, bytes]:
        read.append(threading.current_thread().name)
        return {}

    crypto.use_secret(app.config["SECRET_KEY"], (), kept)
    try:
        start(counting([]))
        crypto.keyring().sign("session", b"x")
    finally:
        crypto.use_secret(app.config["SECRET_KEY"], (), secret_rotation.signing_keys)
    assert read == [threading.current_thread().name]


def test_a_commit_that_makes_a_job_due_is_noticed_before_the_next_look(start: Start, acme: Workspace) -> None:
    looks: list[float] = []

    def due(most: int, busy: Busy) -> list[Due]:
        looks.append(time.monotonic())
        return []

    start(UnitKind("job", due, lambda key: 0, 1, 600, "jobs", "job"))
    until(lambda: len(looks) == 1)
    with transaction():
        jobs.add(acme, "delete_list", "1", {"list": 1})
        assert len(looks) == 1
    until(lambda: len(looks) == 2)


def test_a_transaction_that_is_rolled_back_wakes_nothing(start: Start, acme: Workspace) -> None:
    told: list[object] = []

    class Listening:
        def announce(self, woken: object) -> None:
            told.append(woken)

        def committed(self, woken: object) -> None:
            told.append(woken)

    wakes.use(Listening())
    with pytest.raises(RuntimeError), transaction():
        jobs.add(acme, "delete_list", "1", {"list": 1})
        raise RuntimeError
    with transaction():
        wakes.wake("turn", 5, time_of.now())
        wakes.wake("turn", 5, time_of.now())
    wakes.use(None)
    assert told == [[wakes.Unit("turn", 5)]] * 2


def test_a_failing_look_is_logged_and_stops_no_other(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    def fail(most: int, busy: Busy) -> list[Due]:
        raise RuntimeError("a fault")

    def failed() -> set[str]:
        return {record.fields["kind"] for record in caplog.records if record.levelname == "ERROR"}  # type: ignore[attr-defined]

    done: list[int] = []
    start(UnitKind("broken", fail, lambda key: 0, 1, 0.01, "work", "work"), counting(done))
    until(lambda: len(done) > 3 and bool(failed()))
    assert failed() == {"broken"}


def test_upkeep_is_repeated_while_it_finds_work(start: Start) -> None:
    found, calls = [200, 200, 7], []

    def purge() -> int:
        calls.append(1)
        return found.pop(0) if found else 0

    start(upkeep=(Upkeep("old things", purge, 0.05),))
    until(lambda: len(calls) >= 4)


def test_stopping_waits_for_what_is_under_way_and_begins_nothing_new(start: Start) -> None:
    began, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def run(key: int) -> int:
        began.set()
        assert may_end.wait(SOON)
        ended.set()
        return 1

    kind = counting([])
    engine = start(UnitKind("work", kind.due, run, 1, 0.05, "work", "work"))
    assert began.wait(SOON)
    stopping = threading.Thread(target=engine.stop)
    stopping.start()
    assert not ended.is_set()
    may_end.set()
    stopping.join(SOON)
    assert ended.is_set()
    assert not engine.alive


def test_a_long_job_delays_no_job_of_another_workspace(
    start: Start, acme: Workspace, rival: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor a password mail of its own workspace."""
    go_on, done = threading.Event(), list[str]()

    def work(workspace: Workspace, payload: dict[str, str], job: object) -> None:
        if payload["name"].startswith("long"):
            assert go_on.wait(SOON)
        done.append(payload["name"])

    monkeypatch.setattr(jobs, "KINDS", {kind: jobs.Kind(work) for kind in ("enrichment", "password_mail")})
    with transaction():
        for number in range(20):
            jobs.add(acme, "enrichment", str(number), {"name": f"long {number}"})
        jobs.add(rival, "enrichment", "1", {"name": "rival's"})
        jobs.add(acme, "password_mail", "1", {"name": "password"})
    start(BY_NAME["job"], BY_NAME["mail"])
    until(lambda: sorted(done) == ["password", "rival's"])
    go_on.set()
    until(lambda: len(done) == 22)


def test_a_paused_process_does_not_go_on_after_its_lease(app: Flask, clock: Movable) -> None:
    """Another one took the seat meanwhile; the first stands by when it comes back."""
    first, second = a_seat("serve"), a_seat("worker")
    first.join()
    second.join()
    assert (first.active, second.active) == (True, False)
    clock.forward(seconds=engine_processes.LEASE.seconds + 1)
    second.beat()
    first.beat()
    assert (first.active, second.active) == (False, True)


def test_a_process_that_was_forgotten_joins_again(app: Flask, clock: Movable) -> None:
    first = a_seat("serve")
    first.join()
    clock.forward(seconds=engine_processes.FORGOTTEN.total_seconds() + 60)
    second = a_seat("serve")
    second.join()
    second.leave()
    first.beat()
    assert first.active
    assert [process.state for process in engine_processes.every()] == ["active"]
