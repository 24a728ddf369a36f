"""Run several calls in parallel, create shared values once, and count web requests that wait long for such calls."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import TypeVar

from flask import g, has_request_context, request

from app.core.actor import spender

TAKE = "overture.take_long_slot"  # in a request's environment: the limiter's function, which takes the workspace's id
T = TypeVar("T")
R = TypeVar("R")


def run_parallel(most: int, work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Run `work` for each item, up to `most` at once, results in order; 1 stays in this thread."""
    if most <= 1 or len(items) <= 1:
        return [work(item) for item in items]
    begun = partial(spender.set, spender.get())  # each thread has a context of its own
    with ThreadPoolExecutor(min(most, len(items)), initializer=begun) as pool:
        return list(pool.map(work, items))


def made_once(make: Callable[[], T]) -> Callable[[], T]:
    """Make a value at the first call; other threads wait for it (with `functools.cache` each would make its own)."""
    made: list[T] = []
    making = threading.Lock()

    @wraps(make)
    def get() -> T:
        if not made:
            with making:
                if not made:
                    made.append(make())
        return made[0]

    return get


def take_slot() -> None:
    """Count this web request as one that takes long; raise Unavailable where too many do."""
    take: Callable[[int], None] | None = request.environ.get(TAKE) if has_request_context() else None
    if take:
        workspace = g.get("workspace")
        take(workspace.id if workspace is not None else 0)
