"""Several calls under way at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def run_parallel(most: int, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Run `work` for each item, up to `most` at once, results in order; 1 stays in this thread."""
    if most <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(min(most, len(items))) as pool:
        return list(pool.map(work, items))
