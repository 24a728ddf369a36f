"""The embedded engine: APScheduler looks for due units and feeds them to bounded pools, in one process at a time.

Each kind of unit has slots of its own: what hangs holds up only its own kind.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from app.core import wakes
from app.domain.operations.engine_processes import BEAT
from app.domain.platform import request_log
from app.engines.pool import Pool
from app.engines.rests import Rests
from app.engines.seat import Seat
from app.engines.units import UNITS, UnitKind
from app.engines.upkeep import UPKEEP, Upkeep

log = logging.getLogger("app.engine")
SILENCE = 120.0
FLUSH = 2.0
BREATH = timedelta(seconds=0.02)  # gathers wakes, and the ends of units, into one look


class EmbeddedEngine:
    """Runs due units while this process has the seat, and stands by while another one has it."""

    name = "embedded"

    def __init__(
        self,
        app: Flask,
        command: str = "serve",
        kinds: Sequence[UnitKind] = UNITS,
        upkeep: Sequence[Upkeep] = UPKEEP,
    ) -> None:
        self._app = app
        self._seat = Seat(
            command, self.name, "This process runs the engine", "Another process runs the engine; standing by"
        )
        self._stopping = threading.Event()
        self._looked = 0.0
        self._rests = Rests()
        self._clockwork = BackgroundScheduler(
            timezone="UTC",
            executors={"default": ThreadPoolExecutor(len(kinds) + len(upkeep) + 2)},
            job_defaults={"coalesce": True, "max_instances": 2, "misfire_grace_time": None},
        )
        self._pools = {
            kind.name: Pool(app, kind, self._may_begin, partial(self._look_soon, kind.name)) for kind in kinds
        }
        self._every("heartbeat", self._seat.beat, BEAT)
        self._every("request log", request_log.flush, FLUSH)
        for kind in kinds:
            self._every(kind.name, self._pools[kind.name].look, kind.every, seated=True)
        for task in upkeep:
            self._every(task.name, partial(self._until_nothing, task), task.seconds, seated=True)

    def start(self) -> None:
        """Take the seat if it is free, and begin to look."""
        with self._app.app_context():
            self._seat.join()
        self._looked = time.monotonic()
        wakes.use(self)
        self._clockwork.start()
        for name in self._pools:
            self._look_soon(name)

    def run(self, started: Callable[[], object]) -> None:
        """Work until SIGTERM or SIGINT; call `started` once the engine looks for work."""
        ended = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: ended.set())
        self.start()
        started()
        try:
            ended.wait()
        finally:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)  # a second signal does not wait
            self.stop()

    def stop(self) -> None:
        """Begin nothing more, wait for what is under way and give up the seat."""
        self._stopping.set()
        if not self._clockwork.running:
            return
        wakes.use(None)
        for pool in self._pools.values():
            pool.stop()  # while the heartbeat goes on
        self._clockwork.shutdown(wait=True)
        with self._app.app_context():
            request_log.finish()
            self._seat.leave()

    @property
    def alive(self) -> bool:
        """Return whether the looks go on: all of them stand still only when something is badly wrong."""
        return self._clockwork.running and time.monotonic() - self._looked < SILENCE

    @property
    def state(self) -> str:
        """Return `active` when this process runs the units, and `standby` when another one does."""
        return "active" if self._seat.active else "standby"

    def running(self) -> dict[str, int]:
        """Return how many units of each kind run in this process."""
        return {name: pool.running for name, pool in self._pools.items()}

    def announce(self, woken: Sequence[wakes.Unit]) -> None:
        """Wait for the commit: a look would not see the rows yet."""

    def committed(self, woken: Sequence[wakes.Unit]) -> None:
        """Look at once for units of these kinds."""
        for name in {unit.kind for unit in woken}:
            self._look_soon(name)

    def _may_begin(self) -> bool:
        return self._seat.active and not self._stopping.is_set()

    def _until_nothing(self, task: Upkeep) -> None:
        while self._may_begin() and task.run():
            pass

    def _look_soon(self, name: str) -> None:
        if name in self._pools and self._may_begin():
            try:
                self._clockwork.modify_job(name, next_run_time=datetime.now(UTC) + BREATH)
            except JobLookupError:
                log.debug("The engine stops")

    def _every(self, name: str, work: Callable[[], object], seconds: float, *, seated: bool = False) -> None:
        def look() -> None:
            self._looked = time.monotonic()
            if (seated and not self._may_begin()) or self._rests.has(name):
                return
            try:
                with self._app.app_context():
                    work()
            except Exception:
                rest = self._rests.after_failure(name, seconds)
                log.exception("A look failed", extra={"fields": {"kind": name, "restSeconds": rest}})
            else:
                self._rests.end(name)

        self._clockwork.add_job(look, "interval", seconds=seconds, id=name)
