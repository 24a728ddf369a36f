"""The engine for several machines: units are jobs of procrastinate on Postgres, deferred with what makes them due.

Our rows stay the truth. A job only says "look at this unit": one that is lost is found again by the pulse, one too many
finds nothing to do. `lock` keeps two units of one sender from running at once, on any machine; `queueing_lock` keeps a
unit from waiting twice.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, cast

import procrastinate
from flask import Flask
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import Job
from procrastinate.retry import RetryStrategy
from sqlalchemy.engine import make_url

from app.core import wakes
from app.core.claims import Busy
from app.core.db import session
from app.core.errors import Unavailable
from app.engines.scheduler import Scheduler
from app.engines.seat import Seat
from app.engines.units import BY_NAME, QUEUES, UNITS, UnitKind
from app.engines.upkeep import UPKEEP

log = logging.getLogger("app.engine")

VERSION = "3.10.0"  # whose schema the migrations carry
TASK = "overture.unit"
RESCUE_QUEUE = "rescue"
HEARTBEAT, STALLED = 5.0, 20.0  # seconds between two heartbeats of a worker, and after which it counts as dead
PULSE = 1.0
MOST_QUEUED = 200  # of one kind by one pulse
LONGEST_RUN = 10.0  # seconds that a unit that goes on and on keeps its place
URGENT, USUAL = 10, 0
RETRY = RetryStrategy(max_attempts=6, exponential_wait=2)
GRACE = 25.0  # seconds that a worker that stops gives to what is under way
KEPT_FAILURES = 24 * 7  # hours


def require_version() -> None:
    """Refuse to start with another version of procrastinate than the one whose tables the migrations made."""
    if procrastinate.__version__ != VERSION:
        raise Unavailable(
            f"OVERTURE_ENGINE=procrastinate needs procrastinate {VERSION}; {procrastinate.__version__} is installed.",
            f'Run `pip install "procrastinate=={VERSION}"`.',
        )


def lock_of(kind: UnitKind, unit: wakes.Unit) -> str:
    """Return the lock of a unit: those of one sender exclude each other, those of one workspace share a few locks."""
    if kind.at_once:
        return f"{kind.lock}:{unit.workspace_id}:{unit.key % kind.at_once}"
    return f"{kind.lock}:{unit.key}"


def job_of(unit: wakes.Unit) -> Job:
    """Return the job that runs the unit."""
    kind = BY_NAME[unit.kind]
    return Job(
        queue=kind.queue,
        priority=URGENT if kind.name == "mail" else USUAL,
        lock=lock_of(kind, unit),
        queueing_lock=f"{unit.kind}:{unit.key}",
        task_name=TASK,
        task_kwargs={"kind": unit.kind, "key": unit.key},
    )


class Deferrer:
    """Defers units that became due in the transaction that made them so; all that a web process needs."""

    def __init__(self, url: str) -> None:
        require_version()
        self.jobs = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=conninfo(url)))

    def announce(self, woken: Sequence[wakes.Unit]) -> None:
        """Defer the units on the session's own connection; those that wait already are left alone."""
        connection = session().connection()
        driver = connection.connection.driver_connection
        try:
            with connection.begin_nested():
                self._defer(woken, driver)
        except AlreadyEnqueued:
            for unit in woken:
                try:
                    with connection.begin_nested():
                        self._defer([unit], driver)
                except AlreadyEnqueued:
                    log.debug("A unit waits already")

    def committed(self, woken: Sequence[wakes.Unit]) -> None:
        """Leave it to Postgres, which tells the workers."""

    def _defer(self, units: Sequence[wakes.Unit], connection: Any = None) -> None:
        self.jobs.job_manager.batch_defer_jobs([job_of(unit) for unit in units], connection)


class ProcrastinateEngine(Deferrer):
    """Runs units of some queues as a worker. One worker of the database also has the pulse and the upkeep."""

    name = "procrastinate"

    def __init__(self, app: Flask, queues: Collection[str] = QUEUES, concurrency: int = 32) -> None:
        super().__init__(app.config["DATABASE_URL"])
        self._app, self._queues, self._concurrency = app, list(queues), concurrency
        seat = Seat(
            "worker", self.name, "This worker looks for what falls due", "Another worker looks for what falls due"
        )
        self._scheduler = Scheduler(app, seat, UPKEEP)
        for kind in UNITS:
            self._scheduler.every(kind.name, partial(self.pulse, kind), max(PULSE, kind.every))

    def run(self, started: Callable[[], object]) -> None:
        """Work until SIGTERM; what is under way is finished, and what takes longer is left to another worker."""
        wakes.use(self)
        self.jobs.open()
        self._scheduler.start()
        try:
            started()
            asyncio.run(self._work())
        finally:
            self._scheduler.end()
            self._scheduler.stop()
            self.jobs.close()
            wakes.use(None)

    def pulse(self, kind: UnitKind) -> None:
        """Defer due units without a job: time alone made them due, or their job was lost."""
        known = self.jobs.job_manager.list_jobs(queue=kind.queue, task=TASK)
        busy = [
            cast(int, job.task_kwargs["key"]) for job in known if job.task_kwargs["kind"] == kind.name and _open(job)
        ]
        if len(busy) >= MOST_QUEUED:
            return
        for due in kind.due(MOST_QUEUED - len(busy), Busy(busy)):
            try:
                self._defer([wakes.Unit(kind.name, due.key, due.workspace_id)])
            except AlreadyEnqueued:
                log.debug("A unit waits already")

    def run_unit(self, kind: str, key: int) -> None:
        """Run a unit, and again while it goes on having something to do."""
        ends = time.monotonic() + LONGEST_RUN
        while True:
            with self._app.app_context():
                did = BY_NAME[kind].run(key)
            if not did or self._scheduler.ending or time.monotonic() > ends:
                return

    async def _work(self) -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._concurrency + 4))
        connector = procrastinate.PsycopgConnector(
            conninfo=conninfo(self._app.config["DATABASE_URL"]), min_size=1, max_size=4
        )
        worker = procrastinate.App(connector=connector)
        worker.task(name=TASK, retry=RETRY)(self.run_unit)

        @worker.periodic(cron="* * * * * */10")
        @worker.task(name="overture.rescue", queue=RESCUE_QUEUE, queueing_lock="rescue")
        async def rescue(timestamp: int) -> None:
            """Give the jobs of dead workers to others, and forget old failures.

            Without a lock: a worker that dies in the middle of it would hold that against every later rescue.
            """
            for job in await worker.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED):
                log.warning("A job of a dead worker is given to another one", extra={"fields": job.task_kwargs})
                await worker.job_manager.retry_job(job)
            await worker.job_manager.delete_old_jobs(nb_hours=KEPT_FAILURES, include_failed=True)

        async with worker.open_async():
            await worker.run_worker_async(
                queues=[*self._queues, RESCUE_QUEUE],
                concurrency=self._concurrency,
                delete_jobs="successful",
                update_heartbeat_interval=HEARTBEAT,
                stalled_worker_timeout=STALLED,
                shutdown_graceful_timeout=GRACE,
            )


def _open(job: Job) -> bool:
    return job.status in ("todo", "doing")


def conninfo(url: str) -> str:
    """Return the database's address as the driver reads it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
