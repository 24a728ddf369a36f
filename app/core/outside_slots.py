"""Web requests that wait for the outside, or read long: few at once, and another thread answers meanwhile."""

import threading
from collections import Counter
from collections.abc import Callable

from flask import Flask, current_app, g, has_request_context, request

from app.core.errors import Unavailable

AT_ONCE = 12  # where the server runs a thread more for each
REPLACE = "threads that wait"  # the server takes their number under this name
COUNTED = "overture.waits_for"  # in a request's environment: for which workspace

_lock = threading.Lock()
_waiting: Counter[int] = Counter()  # by workspace


def register(app: Flask) -> None:
    """Count a request until it is answered."""
    app.teardown_request(_leave)


def take_slot() -> None:
    """Count this web request as one that takes long; raise Unavailable where too many do.

    Without a server that replaces threads, half of them may wait. A workspace gets half of what there is.
    """
    if not has_request_context() or COUNTED in request.environ:
        return
    replace: Callable[[int], None] | None = current_app.extensions.get(REPLACE)
    most = AT_ONCE if replace else max(1, current_app.config["OVERTURE_THREADS"] // 2)
    workspace = g.get("workspace")
    who = workspace.id if workspace is not None else 0
    with _lock:
        if _waiting.total() >= most or _waiting[who] >= max(1, most // 2):
            raise Unavailable("Too many long requests are running. Try again in a moment.", retry_after=5)
        _waiting[who] += 1
        request.environ[COUNTED] = who
        if replace:
            replace(_waiting.total())


def _leave(error: BaseException | None) -> None:
    """Make room for the next."""
    if COUNTED not in request.environ:
        return
    with _lock:
        _waiting[request.environ.pop(COUNTED)] -= 1
        if REPLACE in current_app.extensions:
            current_app.extensions[REPLACE](_waiting.total())
