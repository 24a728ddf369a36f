"""Procrastinate: a unit is deferred with what makes it due, waits once, and what a lost job left behind is found."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from time import monotonic as time_steady

import procrastinate
import pytest
import sqlalchemy as sa
from flask import Flask
from procrastinate import JobContext
from procrastinate.jobs import Job

from app import engines
from app.core import clock as time
from app.core import wakes
from app.core.db import db, end_read, is_sqlite, session, transaction
from app.core.errors import Unavailable
from app.domain.platform import jobs
from app.engines import procrastinate_engine
from app.engines.procrastinate_engine import ProcrastinateEngine, job_of, require_version
from app.engines.units import BY_NAME
from app.models.workspaces import Workspace

pytestmark = pytest.mark.postgres


@pytest.fixture
def engine(app: Flask) -> Iterator[ProcrastinateEngine]:
    """An engine of this database that is told of what becomes due, without a worker."""
    if is_sqlite():
        pytest.skip("Procrastinate needs Postgres.")
    made = ProcrastinateEngine(app)
    made.jobs.open()
    wakes.use(made)
    yield made
    wakes.use(None)
    made.jobs.close()


def queued() -> list[tuple[str, str, str]]:
    """Queue, lock and queueing lock of what waits."""
    query = sa.text("SELECT queue_name, lock, queueing_lock FROM procrastinate_jobs WHERE status = 'todo' ORDER BY id")
    found = [tuple(row) for row in session().execute(query)]
    end_read()
    return found  # type: ignore[return-value]


def test_a_unit_is_deferred_in_the_transaction_that_makes_it_due(engine: ProcrastinateEngine, acme: Workspace) -> None:
    with pytest.raises(RuntimeError), transaction():
        wakes.wake("turn", 1, time.now())
        raise RuntimeError
    assert queued() == []
    with transaction():
        wakes.wake("turn", 1, time.now())
        assert queued_inside() == 0
    assert queued() == [("turns", "sender:1", "turn:1")]


def queued_inside() -> int:
    return int(session().scalar(sa.text("SELECT count(*) FROM procrastinate_jobs")) or 0)


def test_a_unit_waits_once_and_a_second_wake_does_no_harm(engine: ProcrastinateEngine, acme: Workspace) -> None:
    """The transaction that wakes it again goes on with everything else."""
    with transaction():
        wakes.wake("turn", 1, time.now())
    with transaction():
        wakes.wake("turn", 1, time.now())
        wakes.wake("turn", 2, time.now())
        jobs.add(acme, "enrichment", "1", {"enrichment": 1})
    (job,) = jobs.due(1)
    assert sorted(lock for _, _, lock in queued()) == [f"job:{job.key}", "turn:1", "turn:2"]


def test_units_of_a_sender_share_a_lock_and_jobs_of_a_workspace_share_three() -> None:
    turn, message = (job_of(wakes.Unit(kind, 7)) for kind in ("turn", "message"))
    assert turn.lock == message.lock == "sender:7"
    assert len({job_of(wakes.Unit("job", key, 5)).lock for key in range(20)}) == 3
    assert job_of(wakes.Unit("mail", 1, 5)).priority > job_of(wakes.Unit("job", 1, 5)).priority


def test_the_pulse_finds_what_a_lost_job_left_behind(engine: ProcrastinateEngine, acme: Workspace) -> None:
    with transaction():
        jobs.add(acme, "enrichment", "1", {"enrichment": 1})
    with transaction() as current:
        current.execute(sa.text("DELETE FROM procrastinate_jobs"))
    for _ in range(2):
        engine.pulse(BY_NAME["job"])
        assert [queue for queue, _, _ in queued()] == ["jobs"]


def test_a_job_of_a_dead_worker_is_deleted_although_its_unit_waits_again(engine: ProcrastinateEngine) -> None:
    """To retry it would break on the one that waits, and no job of that sender would ever run again."""
    for _ in range(2):
        with transaction() as current:
            wakes.wake("turn", 1, time.now())
            current.flush()
            current.execute(sa.text("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = 1"))
    tend(engine, rounds=1)
    assert states() == ["todo"]


def test_a_job_whose_end_the_database_was_not_told_is_deleted(engine: ProcrastinateEngine) -> None:
    """Its worker lives, so that no one else would ever take its lock away."""
    with transaction():
        wakes.wake("turn", 1, time.now())
    (job,) = take_all(engine)
    engine.run_unit(context_of(engine, job), "turn", 1)
    assert states() == ["doing"]
    tend(engine, rounds=2)
    assert states() == []


def test_what_the_clock_displaced_is_mended(engine: ProcrastinateEngine) -> None:
    """A unit that rests until tomorrow is found again by the pulse; a dead worker's heartbeat of tomorrow ends."""
    known = engine.jobs.job_manager
    soon, tomorrow = (datetime.now(UTC) + timedelta(seconds=seconds) for seconds in (60, 86_400))
    known.batch_defer_jobs(
        [
            job_of(wakes.Unit("job", key, 1)).evolve(scheduled_at=at, queueing_lock=f"job:{key}", lock=f"job:{key}")
            for key, at in ((1, soon), (2, tomorrow))
        ]
    )
    with transaction() as current:
        current.execute(sa.text("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() + interval '1 day')"))
    engine.bring_forward()
    assert [job.task_kwargs["key"] for job in known.list_jobs()] == [1]
    ahead = session().scalar(sa.text("SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now()"))
    end_read()
    assert ahead == 0


def test_a_worker_that_no_longer_serves_its_queues_is_not_well(engine: ProcrastinateEngine) -> None:
    engine._scheduler._looked = time_steady()
    engine._tended = time_steady()
    assert engine.alive
    engine._tended -= procrastinate_engine.DEAF + 1
    assert not engine.alive


def test_a_unit_that_fails_waits_behind_the_others(
    engine: ProcrastinateEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It rests, and one of the same unit that waits already is no hindrance."""

    def fail(key: int) -> int:
        raise RuntimeError

    monkeypatch.setitem(procrastinate_engine.BY_NAME, "turn", replace(BY_NAME["turn"], run=fail))
    with transaction():
        wakes.wake("turn", 1, time.now())
    (job,) = take_all(engine)
    for _ in range(2):
        engine.run_unit(context_of(engine, job), "turn", 1)
    again = "SELECT priority, scheduled_at > now() FROM procrastinate_jobs WHERE status = 'todo'"
    assert session().execute(sa.text(again)).all() == [(procrastinate_engine.RESTING, True)]
    end_read()


def context_of(engine: ProcrastinateEngine, job: Job) -> JobContext:
    """What a worker tells about the job it runs."""
    return JobContext(app=engine.jobs, job=job, start_timestamp=0, abort_reason=lambda: None)


def tend(engine: ProcrastinateEngine, rounds: int) -> None:
    """As a worker does from time to time, in a loop of its own: a browser's test may have left one in this thread."""
    url = procrastinate_engine.conninfo(db.engine.url.render_as_string(hide_password=False))

    async def work() -> None:
        async with procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url)).open_async() as opened:
            for _ in range(rounds):
                await engine.tend(opened.job_manager)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work()).result()


def take_all(engine: ProcrastinateEngine) -> list[Job]:
    """What waits, as a worker that lives has it."""
    with transaction() as current:
        current.execute(sa.text("INSERT INTO procrastinate_workers DEFAULT VALUES"))
        mine = "UPDATE procrastinate_jobs SET status = 'doing', worker_id = (SELECT max(id) FROM procrastinate_workers)"
        current.execute(sa.text(mine))
    return [*engine.jobs.job_manager.list_jobs()]


def states() -> list[str]:
    found = [*session().scalars(sa.text("SELECT status::text FROM procrastinate_jobs ORDER BY id"))]
    end_read()
    return found


def test_another_version_of_the_library_and_sqlite_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    require_version()
    assert procrastinate.__version__ == procrastinate_engine.VERSION
    with pytest.raises(Unavailable, match="needs Postgres"):
        engines.connect({"OVERTURE_ENGINE": "procrastinate", "DATABASE_URL": "sqlite:///x.db"})
    monkeypatch.setattr(procrastinate, "__version__", "9.9.9")
    with pytest.raises(Unavailable, match=r"needs procrastinate 3\.10\.0; 9\.9\.9 is installed"):
        require_version()
