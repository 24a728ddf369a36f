"""The scheduler of an engine: the periodic tasks ("looks") of a process, such as its heartbeat.

Some run only in the process that has the seat. Tasks that fail are retried ever more slowly. APScheduler schedules by
the time of day, so all tasks are made due after the clock was set.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger
from flask import Flask

from app.core import clock, crypto
from app.domain.installation.engine_processes import BEAT
from app.domain.installation.sandbox import clock_jumps
from app.domain.platform import request_log
from app.engines.rests import LONGEST, Rests
from app.engines.seat import Seat
from app.engines.upkeep import Upkeep

log = logging.getLogger("app.engine")
SILENCE = 120.0
FLUSH = 2.0
BREATH = timedelta(seconds=0.02)  # delay that combines several wakes and ends of units into one look
GLANCE = 1.0  # seconds between two looks at the clock, and at whether a signal came
OLD_LEASES = 900.0  # seconds after a clock jump until a remaining lease counts as abandoned


class Every(BaseTrigger):  # type: ignore[misc]
    """Every so many seconds from now, without catching up on runs missed because the clock was set ahead."""

    def __init__(self, seconds: float) -> None:
        self._interval = timedelta(seconds=seconds)

    def get_next_fire_time(self, previous_fire_time: datetime | None, now: datetime) -> datetime:
        """Return when the next look is due."""
        return now + self._interval


class Scheduler:
    """Runs periodic tasks, each in a thread and an application context of its own."""

    def __init__(self, app: Flask, seat: Seat, upkeep: Iterable[Upkeep]) -> None:
        self._app, self.seat = app, seat
        self._stopping = threading.Event()
        self._looked = -math.inf
        self._rests = Rests()
        self._scheduler = BackgroundScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "misfire_grace_time": None}
        )
        # No rest after a failed heartbeat: the process could lose the seat though the fault is over.
        self._every("heartbeat", seat.beat, BEAT, lambda: True, longest_rest=0)
        self._every("request log", request_log.flush, FLUSH, lambda: True)
        for task in upkeep:
            self.every(task.name, partial(self._until_nothing, task), task.seconds)

    def every(self, name: str, work: Callable[[], object], seconds: float, *, instances: int = 1) -> None:
        """Run `work` every so many seconds while this process has the seat, up to `instances` times at once."""
        self._every(name, work, seconds, self.may_begin, instances)

    def start(self) -> None:
        """Take the seat if it is free, and begin to look."""
        jumps = clock.Jumps()
        with self._app.app_context():
            crypto.keyring().load()
            back = clock_jumps.back_since_last_seen()
            self.seat.join()
        self._looked = time.monotonic()
        # A thread for each task, so that a long one never delays the heartbeat.
        self._threads = ThreadPoolExecutor(len(self._scheduler.get_jobs()))
        self._scheduler.add_executor(self._threads)
        self._scheduler.start()
        threading.Thread(target=self._watch_clock, args=(jumps, back), name="clock", daemon=True).start()

    def end(self) -> None:
        """Begin nothing more; the heartbeat continues until running work has ended."""
        self._stopping.set()

    def stop(self) -> None:
        """Stop looking, write the request log and give up the seat."""
        # With `wait` it would hold a lock that a running look needs to make another one due.
        self._scheduler.shutdown(wait=False)
        self._threads.shutdown(wait=True)
        self._looked = -math.inf
        with self._app.app_context():
            request_log.finish()
            self.seat.leave()

    def soon(self, name: str) -> None:
        """Run the named task now."""
        if self.may_begin():
            self._make_due(name, datetime.now(UTC) + BREATH)

    def _make_due(self, name: str, at: datetime) -> None:
        try:
            self._scheduler.modify_job(name, next_run_time=at)
        except JobLookupError:
            log.debug("The engine stops")

    def may_begin(self) -> bool:
        """Return whether this process has the seat and is not stopping."""
        return self.seat.active and not self.ending

    @property
    def ending(self) -> bool:
        """Return whether nothing more is to begin."""
        return self._stopping.is_set()

    @property
    def running(self) -> bool:
        """Return whether the scheduler was started and not stopped."""
        return bool(self._scheduler.running)

    @property
    def alive(self) -> bool:
        """Return whether tasks still run; all of them stop only when something is badly wrong."""
        return time.monotonic() - self._looked < SILENCE

    def _every(
        self,
        name: str,
        work: Callable[[], object],
        seconds: float,
        may: Callable[[], bool],
        instances: int = 1,
        longest_rest: float = LONGEST,
    ) -> None:
        def look() -> None:
            self._looked = time.monotonic()
            if not may() or self._rests.has(name):
                return
            try:
                with self._app.app_context():
                    work()
            except Exception:
                rest = self._rests.after_failure(name, seconds, longest_rest)
                log.exception("A look failed", extra={"fields": {"kind": name, "restSeconds": rest}})
            else:
                self._rests.end(name)

        self._scheduler.add_job(look, Every(seconds), id=name, max_instances=instances)

    def _watch_clock(self, jumps: clock.Jumps, back: float) -> None:
        """Log when the clock was set, and bring forward what would wait for a time before the jump.

        Sleeps instead of waiting for an event, because on some systems the end of that wait depends on the set clock.
        """
        free_leases_at = time.monotonic() + OLD_LEASES
        while self.running:
            if jump := jumps.since_last_asked():
                log.warning("The clock of this machine jumped", extra={"fields": {"seconds": round(jump)}})
                free_leases_at = time.monotonic() + OLD_LEASES
                back += max(-jump, 0)
                for job in self._scheduler.get_jobs():
                    self._make_due(job.id, datetime.now(UTC))
            if self.may_begin():
                try:
                    with self._app.app_context():
                        if back:
                            clock_jumps.bring_forward(back)
                            back = 0
                        if time.monotonic() > free_leases_at:
                            clock_jumps.free_leases()
                            free_leases_at = float("inf")
                except Exception:
                    log.exception("What the clock displaced could not be mended yet")
                    time.sleep(GLANCE * 10)
            time.sleep(GLANCE)

    def _until_nothing(self, task: Upkeep) -> None:
        while self.may_begin() and task.run():
            pass
