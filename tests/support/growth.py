"""How the cost of work grows with what it is given: no test can say how long a machine takes, but any can compare."""

import time
from collections.abc import Callable

TRIES = 5


def growth(work: Callable[[int], object], size: int) -> float:
    """Return how many times the processor time of `work(size)` the double size takes; 2 if it grows in proportion."""
    return _least(work, 2 * size) / _least(work, size)


def _least(work: Callable[[int], object], size: int) -> float:
    """Return the least time of several tries: the others were interrupted, or the first to load something."""
    spent = []
    for _ in range(TRIES):
        begun = time.process_time()
        work(size)
        spent.append(time.process_time() - begun)
    return min(spent)
