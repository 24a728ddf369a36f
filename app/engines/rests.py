"""Backoff: whatever fails is retried after an ever longer rest, so that a lasting fault does not flood the log."""

import time
from collections import Counter
from collections.abc import Hashable

LONGEST = 60.0


class Rests:
    """The end of each rest, by what rests, such as a unit's key."""

    def __init__(self) -> None:
        self._failures: Counter[Hashable] = Counter()
        self._until: dict[Hashable, float] = {}

    def after_failure(self, of: Hashable, seconds: float, longest: float = LONGEST) -> float:
        """Start a rest, twice as long after each failure in a row; return its length in seconds."""
        self._failures[of] += 1
        rest: float = min(seconds * 2.0 ** self._failures[of], longest)
        self._until[of] = time.monotonic() + rest
        return rest

    def once(self, of: Hashable, seconds: float) -> None:
        """Start a rest of that length, which does not count as a failure."""
        self._until[of] = time.monotonic() + seconds

    def end(self, of: Hashable) -> None:
        """After a success, end the rest and forget the failures."""
        self._failures.pop(of, None)
        self._until.pop(of, None)

    def has(self, of: Hashable) -> bool:
        """Return whether it rests now."""
        return time.monotonic() < self._until.get(of, 0)

    def resting(self) -> list[Hashable]:
        """Return everything that rests now."""
        at = time.monotonic()
        return [of for of, until in list(self._until.items()) if until > at]
