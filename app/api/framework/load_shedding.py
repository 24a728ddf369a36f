"""Load shedding: refuse new requests early when too many are waiting or running."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, current_app, request

from app.core.errors import Overloaded, Unavailable

MOST_OF_ONE, MOST_OF_ALL = 20, 100
MOST_QUEUED = 100  # requests that the web server holds for a free thread; pages are served within about three seconds
QUEUE = "queued requests"  # the server says under this name how many wait
NEVER_SHED = ("/healthz", "/u/", "/hooks/")  # whatever else goes on: health, unsubscribing, providers
CHEAP = ("/static/",)  # a page without its style helps no one

_lock = threading.Lock()
_inside: Counter[int] = Counter()


def register(app: Flask) -> None:
    """Refuse requests before any work is done for them, while too many wait."""
    app.before_request(_refuse_when_full)


def _refuse_when_full() -> None:
    if current_app.config["OVERTURE_RATE_LIMIT"] == "off" or request.path.startswith((*NEVER_SHED, *CHEAP)):
        return
    if current_app.extensions.get(QUEUE, int)() > MOST_QUEUED:
        raise Overloaded("Too many requests are waiting.", retry_after=2)


@contextmanager
def limit_concurrency(workspace_id: int) -> Iterator[None]:
    """Count this request until it is answered, or raise Unavailable where there is no room for it."""
    if current_app.config["OVERTURE_RATE_LIMIT"] == "off":
        yield
        return
    with _lock:
        if _inside[workspace_id] >= MOST_OF_ONE:
            raise Unavailable("Too many requests of this workspace are running.", retry_after=1)
        if _inside.total() >= MOST_OF_ALL:
            raise Unavailable("Too many requests are running.", retry_after=2)
        _inside[workspace_id] += 1
    try:
        yield
    finally:
        with _lock:
            _inside[workspace_id] -= 1
            if not _inside[workspace_id]:
                del _inside[workspace_id]
