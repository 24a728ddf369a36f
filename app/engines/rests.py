"""Rests: what failed is tried again ever more slowly, so that a lasting fault does not flood the log."""

import time
from collections import Counter
from collections.abc import Hashable

LONGEST = 60.0


class Rests:
    """Until when each thing rests."""

    def __init__(self) -> None:
        self._failures: Counter[Hashable] = Counter()
        self._until: dict[Hashable, float] = {}

    def after_failure(self, of: Hashable, seconds: float, longest: float = LONGEST) -> float:
        """Let it rest, twice as long after each failure in a row; return the seconds."""
        self._failures[of] += 1
        rest: float = min(seconds * 2.0 ** self._failures[of], longest)
        self._until[of] = time.monotonic() + rest
        return rest

    def once(self, of: Hashable, seconds: float) -> None:
        """Let it rest for so long."""
        self._until[of] = time.monotonic() + seconds

    def end(self, of: Hashable) -> None:
        """Forget the failures: it worked."""
        self._failures.pop(of, None)
        self._until.pop(of, None)

    def has(self, of: Hashable) -> bool:
        """Return whether it rests now."""
        return time.monotonic() < self._until.get(of, 0)

    def resting(self) -> list[Hashable]:
        """Return everything that rests now."""
        at = time.monotonic()
        return [of for of, until in list(self._until.items()) if until > at]
