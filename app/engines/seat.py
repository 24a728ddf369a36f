"""The seat: one of all processes on a database holds it and looks for due units; the others stand by."""

import logging
import time
from datetime import datetime

from app.core import clock
from app.domain.installation import engine_processes

log = logging.getLogger("app.engine")


class Seat:
    """Tells whether this process holds the seat of its database. Every call needs an application context."""

    def __init__(self, command: str, engine: str, taken: str, free: str) -> None:
        """`taken` and `free` are the sentences for the log when this process gets the seat, and when another has it."""
        self._command, self._engine = command, engine
        self._sentences = {True: taken, False: free}
        self._process = 0
        self._until = 0.0
        self._was_active: bool | None = None
        self._jumps, self._clock_right_from = clock.Jumps(), 0.0
        self._lease: datetime | None = None  # the holder's lease, as this process first saw it …
        self._seen = 0.0  # … at this monotonic time

    def join(self) -> None:
        """Register this process and take the seat if it is free."""
        self._process = engine_processes.join(self._command, self._engine)
        self.beat()

    def beat(self) -> None:
        """Renew the heartbeat and the seat, or take the seat when its holder has died."""
        asked = time.monotonic()
        active = self._beat(asked)
        if active is None:  # this process was paused for so long that its row was deleted
            self._process = engine_processes.join(self._command, self._engine)
            active = self._beat(asked)
        # Counted from before the query, so that this process never holds the seat longer than the database says.
        self._until = asked + _length() if active else 0.0
        if bool(active) != self._was_active:
            log.info(self._sentences[bool(active)])
            self._was_active = bool(active)

    def leave(self) -> None:
        """Give the seat up at once."""
        self._until = 0.0
        engine_processes.leave(self._process)

    @property
    def active(self) -> bool:
        """Return whether this process may begin work: it has the seat, and was not paused for longer than its lease."""
        return time.monotonic() < self._until

    def _beat(self, asked: float) -> bool | None:
        """Renew; after the time was set, judge by the monotonic clock whether the seat's holder is dead."""
        if self._jumps.since_last_asked():
            self._clock_right_from = asked + _length()
        dead = self._lease if self._lease and asked - self._seen > _length() else None
        active = engine_processes.beat(self._process, dead, by_time=asked >= self._clock_right_from)
        if active is False and (lease := engine_processes.lease()) != self._lease:
            self._lease, self._seen = lease, asked
        return active


def _length() -> float:
    return engine_processes.LEASE.total_seconds()
