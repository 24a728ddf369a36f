"""The scheduler of an engine: what a process looks at every so many seconds, and its heartbeat.

Some of it is done by the process that has the seat alone. What fails is tried again ever more slowly.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from app.core import crypto
from app.domain.operations.engine_processes import BEAT
from app.domain.platform import request_log
from app.domain.rules.schedules import places
from app.engines.rests import LONGEST, Rests
from app.engines.seat import Seat
from app.engines.upkeep import Upkeep

log = logging.getLogger("app.engine")
SILENCE = 120.0
FLUSH = 2.0
BREATH = timedelta(seconds=0.02)  # gathers wakes, and the ends of units, into one look


class Scheduler:
    """Looks again and again, each thing in a thread and an application context of its own."""

    def __init__(self, app: Flask, seat: Seat, upkeep: Iterable[Upkeep]) -> None:
        self._app, self.seat = app, seat
        self._stopping = threading.Event()
        self._looked = 0.0
        self._rests = Rests()
        self._scheduler = BackgroundScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "misfire_grace_time": None}
        )
        # The heartbeat never rests: the seat would be lost to a fault that was over long ago.
        self._every("heartbeat", seat.beat, BEAT, lambda: True, longest_rest=0)
        self._every("request log", request_log.flush, FLUSH, lambda: True)
        for task in upkeep:
            self.every(task.name, partial(self._until_nothing, task), task.seconds)

    def every(self, name: str, work: Callable[[], object], seconds: float, *, instances: int = 1) -> None:
        """Do this every so many seconds while this process has the seat; so many times at once, if it says so."""
        self._every(name, work, seconds, self.may_begin, instances)

    def start(self) -> None:
        """Take the seat if it is free, and begin to look."""
        with self._app.app_context():
            crypto.keyring().load()
            self.seat.join()
        self._looked = time.monotonic()
        # A thread for each, so that what takes long never holds up the heartbeat.
        self._scheduler.add_job(places.load, id="places")
        self._scheduler.add_executor(ThreadPoolExecutor(len(self._scheduler.get_jobs())))
        self._scheduler.start()

    def end(self) -> None:
        """Begin nothing more; the heartbeat goes on for what is under way."""
        self._stopping.set()

    def stop(self) -> None:
        """Stop looking, write the request log and give up the seat."""
        self._scheduler.shutdown(wait=True)
        with self._app.app_context():
            request_log.finish()
            self.seat.leave()

    def soon(self, name: str) -> None:
        """Do this at once."""
        if self.may_begin():
            try:
                self._scheduler.modify_job(name, next_run_time=datetime.now(UTC) + BREATH)
            except JobLookupError:
                log.debug("The engine stops")

    def may_begin(self) -> bool:
        """Return whether this process has the seat and goes on."""
        return self.seat.active and not self.ending

    @property
    def ending(self) -> bool:
        """Return whether nothing more is to begin."""
        return self._stopping.is_set()

    @property
    def running(self) -> bool:
        """Return whether it was started and not stopped."""
        return bool(self._scheduler.running)

    @property
    def alive(self) -> bool:
        """Return whether the looks go on: all of them stand still only when something is badly wrong."""
        return self.running and time.monotonic() - self._looked < SILENCE

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

        self._scheduler.add_job(look, "interval", seconds=seconds, id=name, max_instances=instances)

    def _until_nothing(self, task: Upkeep) -> None:
        while self.may_begin() and task.run():
            pass
