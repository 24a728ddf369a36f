"""The embedded engine: APScheduler looks for due units and runs them in bounded pools, in one process at a time.

Each kind of unit has slots of its own, so that a unit that hangs delays only its own kind.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial

from flask import Flask

from app.core import wakes
from app.engines.pool import Pool
from app.engines.scheduler import GLANCE, Scheduler
from app.engines.seat import Seat
from app.engines.units import UNITS, UnitKind
from app.engines.upkeep import UPKEEP, Upkeep


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
        seat = Seat(command, self.name, "This process runs the engine", "Another process runs the engine; standing by")
        self._scheduler = Scheduler(app, seat, upkeep)
        self._pools = {
            kind.name: Pool(app, kind, self._scheduler.may_begin, partial(self._scheduler.soon, kind.name))
            for kind in kinds
        }
        for kind in kinds:  # 2: a second call during a look returns at once and makes the first look again
            self._scheduler.every(kind.name, self._pools[kind.name].look, kind.every, instances=2)

    def start(self) -> None:
        """Take the seat if it is free, and begin to look."""
        wakes.use(self)
        self._scheduler.start()
        for name in self._pools:
            self._scheduler.soon(name)

    def run(self, started: Callable[[], object]) -> None:
        """Work until a signal ends the program; call `started` once the engine looks for work."""
        self.start()
        try:
            started()
            never = threading.Event()
            while not never.wait(GLANCE):  # a signal that comes as a wait begins is noticed only when it ends
                pass
        finally:
            self.stop()

    def stop(self) -> None:
        """Begin nothing more, wait for what is under way and give up the seat."""
        self._scheduler.end()
        if not self._scheduler.running:
            return
        wakes.use(None)
        for pool in self._pools.values():
            pool.stop()  # the heartbeat continues meanwhile
        self._scheduler.stop()

    @property
    def alive(self) -> bool:
        """Return whether the engine still looks for work, or stands by."""
        return self._scheduler.alive

    @property
    def state(self) -> str:
        """Return `active` when this process runs the units, and `standby` when another one does."""
        return "active" if self._scheduler.seat.active else "standby"

    def announce(self, woken: Sequence[wakes.Unit]) -> None:
        """Do nothing before the commit: a look would not see the rows yet."""

    def committed(self, woken: Sequence[wakes.Unit]) -> None:
        """Look at once for units of these kinds."""
        for name in {unit.kind for unit in woken}:
            if name in self._pools:
                self._scheduler.soon(name)
