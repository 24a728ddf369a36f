"""The engine for several machines: units are procrastinate jobs on Postgres, queued by the transaction they come from.

Our rows stay authoritative. A job only says "look at this unit": the pulse queues a lost job's unit again, and a
superfluous job finds nothing to do. `lock` keeps two units of one sender from running at once, on any machine;
`queueing_lock` keeps a unit from being queued twice.
"""

import asyncio
import logging
import signal
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, cast

import procrastinate
import sqlalchemy as sa
from flask import Flask
from procrastinate import JobContext
from procrastinate.exceptions import AlreadyEnqueued, ProcrastinateException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from sqlalchemy.engine import make_url

from app.core import wakes
from app.core.claims import Busy
from app.core.db import session, transaction
from app.core.errors import Unavailable
from app.engines import QUEUES
from app.engines.rests import LONGEST, Rests
from app.engines.scheduler import Scheduler
from app.engines.seat import Seat
from app.engines.units import BY_NAME, UNITS, UnitKind
from app.engines.upkeep import UPKEEP

log = logging.getLogger("app.engine")

VERSION = "3.10.0"  # the version of procrastinate whose schema the migrations create
TASK = "overture.unit"
HEARTBEAT, STALLED = 5.0, 20.0  # seconds between a worker's heartbeats; seconds without one until it counts as dead
PULSE = 1.0
DEAF = 120.0  # seconds since its last `tend` after which a worker reports itself as not alive
MOST_QUEUED = 200  # jobs of one kind of unit
LONGEST_RUN = 10.0  # seconds that one job may run its unit again and again
TEND = 10.0
LONGEST_WAIT = timedelta(seconds=2 * LONGEST)
HEARTBEATS_AHEAD = """
UPDATE procrastinate_workers SET last_heartbeat = now() WHERE last_heartbeat > now() + make_interval(secs => :seconds)
"""
URGENT, USUAL, RESTING = 10, 0, -10
GRACE = 25.0  # seconds that a stopping worker waits for running units
KEPT_FAILURES = 24 * 7  # hours


def require_version() -> None:
    """Raise an error unless the installed procrastinate is the version whose tables the migrations made."""
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
    """Queues units as jobs in the transaction that makes them due; all that a web process needs of the engine."""

    def __init__(self, url: str) -> None:
        require_version()
        self.jobs = procrastinate.App(connector=procrastinate.SyncPsycopgConnector(conninfo=conninfo(url)))

    def announce(self, woken: Sequence[wakes.Unit]) -> None:
        """Queue the units on the session's own connection, except those that are queued already."""
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
        """Do nothing: Postgres itself notifies the workers."""

    def _defer(self, units: Sequence[wakes.Unit], connection: Any = None) -> None:
        self.jobs.job_manager.batch_defer_jobs([job_of(unit) for unit in units], connection)


class ProcrastinateEngine(Deferrer):
    """Runs units of some queues as a worker. One worker of the database also has the pulse and the upkeep."""

    name = "procrastinate"

    def __init__(self, app: Flask, queues: Collection[str] = QUEUES, concurrency: int = 32) -> None:
        super().__init__(app.config["DATABASE_URL"])
        self._app, self._queues, self._concurrency = app, list(queues), concurrency
        seat = Seat("worker", self.name, "This worker finds due work", "Another worker finds due work")
        self._scheduler = Scheduler(app, seat, UPKEEP)
        self._rests = Rests()
        # Jobs whose unit has ended in this process, though the database may still list them as running.
        self._ended: set[int] = set()
        self._untold: set[int] = set()
        self._tended = 0.0
        for kind in UNITS:
            self._scheduler.every(kind.name, partial(self.pulse, kind), max(PULSE, kind.every))
        self._scheduler.every("moments ahead", self.bring_forward, TEND)

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

    @property
    def alive(self) -> bool:
        """Return whether the worker still looks for work and serves its queues."""
        return self._scheduler.alive and time.monotonic() - self._tended < DEAF

    @property
    def state(self) -> str:
        """Return `active`: workers never stand by."""
        return "active"

    def pulse(self, kind: UnitKind) -> None:
        """Queue due units that have no job, because only time made them due or because their job was lost."""
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

    def bring_forward(self) -> None:
        """After the clock was set back, bring forward times that lie too far ahead: of jobs and of heartbeats."""
        ahead = datetime.now(UTC) + LONGEST_WAIT
        for job in self.jobs.job_manager.list_jobs(task=TASK, status=Status.TODO.value):
            if job.scheduled_at and job.scheduled_at > ahead:
                self.jobs.job_manager.cancel_job_by_id(cast(int, job.id), delete_job=True)
        with transaction() as current:  # live workers renew their heartbeat within seconds
            current.execute(sa.text(HEARTBEATS_AHEAD), {"seconds": STALLED})

    def run_unit(self, context: JobContext, kind: str, key: int) -> None:
        """Run a unit, again while it has more to do. A unit that fails is queued again after an ever longer wait."""
        job = context.job
        try:
            self._run_while_due(BY_NAME[kind], key)
        except Exception:
            rest = self._rests.after_failure((kind, key), BY_NAME[kind].every)
            log.exception("A unit failed", extra={"fields": {"kind": kind, "key": key, "restSeconds": rest}})
            self._wait_again(job, rest)
        else:
            self._rests.end((kind, key))
        finally:
            self._ended.add(cast(int, job.id))

    def _run_while_due(self, kind: UnitKind, key: int) -> None:
        ends = time.monotonic() + LONGEST_RUN
        while True:
            with self._app.app_context():
                did = kind.run(key)
            if not did or self._scheduler.ending or time.monotonic() > ends:
                return

    def _wait_again(self, job: Job, seconds: float) -> None:
        # A retry of this job would fail if the unit has another queued job, and would hold the lock forever.
        later = datetime.now(UTC) + timedelta(seconds=seconds)
        try:
            self.jobs.job_manager.batch_defer_jobs([job.evolve(id=None, priority=RESTING, scheduled_at=later)])
        except AlreadyEnqueued:
            log.debug("A unit waits already")

    async def _work(self) -> None:
        """Serve the queues until a signal; start again whenever the database connection was lost."""
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        loop.set_default_executor(ThreadPoolExecutor(self._concurrency + 4))
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        stopping = asyncio.create_task(stop.wait())
        while not stop.is_set():
            serving = asyncio.create_task(self._serve_queues())
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if stop.is_set():
                for number in (signal.SIGTERM, signal.SIGINT):
                    loop.remove_signal_handler(number)  # so that a second signal ends the process at once
                self._scheduler.end()
                serving.cancel()
            (problem,) = await asyncio.gather(serving, return_exceptions=True)
            if not stop.is_set():
                log.error("The worker lost the database and begins anew", extra={"fields": {"why": str(problem or "")}})
                await asyncio.wait({stopping}, timeout=PULSE)

    async def _serve_queues(self) -> None:
        address = conninfo(self._app.config["DATABASE_URL"])
        worker = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=address, min_size=1, max_size=4))
        worker.task(name=TASK, pass_context=True)(self.run_unit)
        async with worker.open_async():
            self._tended = time.monotonic()
            tending = asyncio.create_task(self._tend(worker.job_manager))
            try:
                await worker.run_worker_async(
                    queues=self._queues,
                    concurrency=self._concurrency,
                    delete_jobs="successful",
                    update_heartbeat_interval=HEARTBEAT,
                    stalled_worker_timeout=STALLED,
                    shutdown_graceful_timeout=GRACE,
                    install_signal_handlers=False,
                )
            finally:
                tending.cancel()

    async def _tend(self, known: JobManager) -> None:
        while True:
            await asyncio.sleep(TEND)
            self._tended = time.monotonic()
            try:
                await self.tend(known)
            except ProcrastinateException as problem:
                log.warning("The queue could not be tended", extra={"fields": {"why": str(problem)}})

    async def tend(self, known: JobManager) -> None:
        """Delete jobs that hold a lock although no one runs them; the pulse finds their units again.

        These are jobs of dead workers, and jobs that ended here while the database was unreachable.
        """
        left = list(await known.get_stalled_jobs(seconds_since_heartbeat=STALLED))
        if self._untold:
            doing = await known.list_jobs_async(task=TASK, status=Status.DOING.value)
            left += [job for job in doing if job.id in self._untold]
        for job in left:
            log.warning("A job that no worker runs is deleted", extra={"fields": job.task_kwargs})
            await known.finish_job(job, Status.FAILED, delete_job=True)
        self._untold, self._ended = self._ended, set()
        if self._scheduler.may_begin():
            await known.delete_old_jobs(nb_hours=KEPT_FAILURES, include_failed=True)


def _open(job: Job) -> bool:
    return job.status in ("todo", "doing")


def conninfo(url: str) -> str:
    """Return the database's address as the driver reads it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
