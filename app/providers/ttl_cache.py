"""A TTL cache of responses in this process."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")
A_DAY = 86_400.0


class TtlCache(Generic[T]):
    """At most `most` answers, each for `seconds`; the oldest goes first."""

    def __init__(self, seconds: float = A_DAY, most: int = 1000, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._kept: OrderedDict[Hashable, tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> T | None:
        """Return the cached answer until it expires."""
        with self._lock:
            at, value = self._kept.get(key, (0.0, None))
            return value if value is not None and self._clock() - at < self._seconds else None

    def keep(self, key: Hashable, value: T) -> T:
        """Cache the answer and return it."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = (self._clock(), value)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value
