"""The scheduler of an engine: what a process looks at every so many seconds, and its heartbeat.

Some of it is done by the process that has the seat alone. What fails is tried again ever more slowly. Intervals are
those of the steady clock, so that it does not matter where someone sets the time.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial

from flask import Flask

from app.core import clock, crypto
from app.domain.operations import clock_jumps
from app.domain.operations.engine_processes import BEAT
from app.domain.platform import request_log
from app.domain.rules.schedules import places
from app.engines.rests import LONGEST, Rests
from app.engines.seat import Seat
from app.engines.upkeep import Upkeep

log = logging.getLogger("app.engine")
SILENCE = 120.0
FLUSH = 2.0
BREATH = 0.02  # seconds that gather wakes, and the ends of units, into one look
GLANCE = 1.0  # seconds between two looks at the clock
OLD_LEASES = 900.0  # seconds after a jump until a lease that is still there has no one who works


class Look(threading.Thread):
    """Does something every so many seconds, and when it is asked to; one at a time."""

    def __init__(self, name: str, work: Callable[[], object], seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._work, self._seconds = work, seconds
        self._asked, self._ending = threading.Event(), False

    def run(self) -> None:
        """Look until it is ended."""
        due = time.monotonic() + self._seconds
        while True:
            asked = self._asked.wait(max(due - time.monotonic(), 0))
            if asked and not self._ending:
                time.sleep(BREATH)
                self._asked.clear()
            if self._ending:
                return
            due = time.monotonic() + self._seconds
            self._work()

    def soon(self) -> None:
        """Look at once, or once more after the look that is under way."""
        self._asked.set()

    def end(self) -> None:
        """Do not look again."""
        self._ending = True
        self._asked.set()


class Scheduler:
    """Looks again and again, each thing in a thread and an application context of its own."""

    def __init__(self, app: Flask, seat: Seat, upkeep: Iterable[Upkeep]) -> None:
        self._app, self.seat = app, seat
        self._stopping, self._stopped = threading.Event(), False
        self._looked = 0.0
        self._rests = Rests()
        self._looks: dict[str, Look] = {}
        # The heartbeat never rests: the seat would be lost to a fault that was over long ago.
        self._every("heartbeat", seat.beat, BEAT, lambda: True, longest_rest=0)
        self._every("request log", request_log.flush, FLUSH, lambda: True)
        for task in upkeep:
            self.every(task.name, partial(self._until_nothing, task), task.seconds)

    def every(self, name: str, work: Callable[[], object], seconds: float) -> None:
        """Do this every so many seconds while this process has the seat."""
        self._every(name, work, seconds, self.may_begin)

    def start(self) -> None:
        """Take the seat if it is free, and begin to look."""
        jumps = clock.Jumps()
        with self._app.app_context():
            crypto.keyring().load()
            back = clock_jumps.back_since_last_seen()
            self.seat.join()
        self._looked = time.monotonic()
        threading.Thread(target=places.load, name="places", daemon=True).start()
        threading.Thread(target=self._watch_clock, args=(jumps, back), name="clock", daemon=True).start()
        for look in self._looks.values():
            look.start()

    def end(self) -> None:
        """Begin nothing more; the heartbeat goes on for what is under way."""
        self._stopping.set()

    def stop(self) -> None:
        """Stop looking, write the request log and give up the seat."""
        self._stopped = True
        for look in self._looks.values():
            look.end()
        for look in self._looks.values():
            look.join()
        with self._app.app_context():
            request_log.finish()
            self.seat.leave()

    def soon(self, name: str) -> None:
        """Do this at once."""
        if self.may_begin():
            self._looks[name].soon()

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
        return self._looked > 0 and not self._stopped

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

        self._looks[name] = Look(name, look, seconds)

    def _watch_clock(self, jumps: clock.Jumps, back: float) -> None:
        """Say when someone set the time, and mend what waits for a moment of the time before.

        It sleeps instead of waiting for an event: on some systems such a wait ends by the clock that was set.
        """
        free_leases_at = time.monotonic() + OLD_LEASES
        while not self._stopped:
            if jump := jumps.since_last_asked():
                log.warning("The clock of this machine jumped", extra={"fields": {"seconds": round(jump)}})
                free_leases_at = time.monotonic() + OLD_LEASES
                back += max(-jump, 0)
                for look in self._looks.values():
                    look.soon()
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
