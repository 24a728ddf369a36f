"""Load shedding: refuse new requests early when too many are running."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from flask import current_app

from app.core.errors import Unavailable

MOST_OF_ONE, MOST_OF_ALL = 20, 100
MOST_QUEUED = 200  # requests that the web server holds for a free thread; they are served within about a second
QUEUE = "queued requests"  # the server says under this name how many wait

_lock = threading.Lock()
_inside: Counter[int] = Counter()


@contextmanager
def limit_concurrency(workspace_id: int) -> Iterator[None]:
    """Count this request until it is answered, or raise Unavailable where there is no room for it."""
    if current_app.config["OVERTURE_RATE_LIMIT"] == "off":
        yield
        return
    with _lock:
        if _inside[workspace_id] >= MOST_OF_ONE:
            raise Unavailable("Too many requests of this workspace are running.", retry_after=1)
        if _inside.total() >= MOST_OF_ALL or current_app.extensions.get(QUEUE, int)() > MOST_QUEUED:
            raise Unavailable("Too many requests are running.", retry_after=2)
        _inside[workspace_id] += 1
    try:
        yield
    finally:
        with _lock:
            _inside[workspace_id] -= 1
            if not _inside[workspace_id]:
                del _inside[workspace_id]
