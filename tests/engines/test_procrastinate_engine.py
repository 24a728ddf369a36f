"""Procrastinate: a unit is deferred with what makes it due, waits once, and what a lost job left behind is found."""

from collections.abc import Iterator

import procrastinate
import pytest
import sqlalchemy as sa
from flask import Flask

from app import engines
from app.core import clock as time
from app.core import wakes
from app.core.db import end_read, is_sqlite, session, transaction
from app.core.errors import Unavailable
from app.domain.platform import jobs
from app.engines import procrastinate_engine
from app.engines.procrastinate_engine import ProcrastinateEngine, job_of, require_version
from app.engines.units import BY_NAME
from app.models.workspaces import Workspace

pytestmark = pytest.mark.databases("both")


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


def test_a_unit_is_deferred_with_the_transaction_that_makes_it_due(
    engine: ProcrastinateEngine, acme: Workspace
) -> None:
    """What is rolled back leaves nothing behind."""
    with pytest.raises(RuntimeError), transaction():
        wakes.wake("turn", 1, time.now())
        raise RuntimeError
    assert queued() == []
    with transaction():
        wakes.wake("turn", 1, time.now())
        assert queued_inside() == 0
    assert queued() == [("turns", "sender:1", "turn:1")]


def queued_inside() -> int:
    """How many wait before the commit."""
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
    """And defers nothing that waits already."""
    with transaction():
        jobs.add(acme, "enrichment", "1", {"enrichment": 1})
    with transaction() as current:
        current.execute(sa.text("DELETE FROM procrastinate_jobs"))
    for _ in range(2):
        engine.pulse(BY_NAME["job"])
        assert [queue for queue, _, _ in queued()] == ["jobs"]


def test_another_version_of_the_library_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are those of one version."""
    require_version()
    assert procrastinate.__version__ == procrastinate_engine.VERSION
    monkeypatch.setattr(procrastinate, "__version__", "9.9.9")
    with pytest.raises(Unavailable, match=r"needs procrastinate 3\.10\.0; 9\.9\.9 is installed"):
        require_version()


def test_sqlite_is_refused_in_a_sentence() -> None:
    with pytest.raises(Unavailable, match="needs Postgres"):
        engines.connect({"OVERTURE_ENGINE": "procrastinate", "DATABASE_URL": "sqlite:///x.db"})
