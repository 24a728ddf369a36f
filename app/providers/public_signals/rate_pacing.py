"""How often a host may be asked: a gap between questions that this process keeps."""

import threading
import time
from collections.abc import Callable

from app.ports import Throttled


class Pace:
    """A turn every `gap` seconds. A wait longer than `patience` raises Throttled instead."""

    def __init__(
        self,
        gap: float,
        patience: float = 2.0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._gap, self._patience, self._clock, self._sleep = gap, patience, clock, sleep
        self._next, self._lock = 0.0, threading.Lock()

    def wait(self, name: str) -> None:
        """Wait for the next turn."""
        with self._lock:
            at = self._clock()
            wait = max(0.0, self._next - at)
            if wait > self._patience:
                raise Throttled(f"{name} has reached its request limit.", int(wait) + 1)
            self._next = at + wait + self._gap
        if wait:
            self._sleep(wait)

    def rest(self, seconds: float) -> None:
        """Block all requests for that long, because the host asked for it."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)
