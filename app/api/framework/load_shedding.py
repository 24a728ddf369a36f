"""Load shedding: refuse new requests early when too many are waiting or running."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import NamedTuple

from flask import Flask, current_app, request

from app.core.errors import Overloaded, Unavailable
from app.core.logs import new_request_id
from app.core.metrics import REFUSED

MOST_OF_ONE, MOST_OF_ALL = 20, 100
NEVER_SHED = ("/healthz", "/u/", "/hooks/")  # whatever else goes on: health, unsubscribing, providers
PATIENT = ("/static/",)  # a page without its style helps no one
TOO_MANY = "overture.too-many-wait"  # in a request's environment
PLACE = "/too-many-wait"
# Headers on which the application decides between a page and a part of one, and what htmx says in them.
OF_HTMX = ("HX-Request", "HX-Request-Type", "HX-History-Restore-Request")
SAID = ("true", "full", "partial")

_lock = threading.Lock()
_inside: Counter[int] = Counter()


def register(app: Flask) -> None:
    """Refuse requests that were sent in to be refused, before any work is done for them."""
    app.before_request(_refuse)


def _refuse() -> None:
    if TOO_MANY in request.environ:
        recovery = "Nothing was changed. Try again in a moment."
        raise Overloaded("Too many requests are waiting.", recovery=recovery, retry_after=2)


class Made(NamedTuple):
    """An answer, made once: the id of its request and its path, if it shows that, differ each time."""

    request_id: str
    headers: list[tuple[str, str]]
    body: bytes


class Refusals:
    """Answers to requests for which there is no room: made by the application once, so that each costs little."""

    def __init__(self, app: Flask, is_data: Callable[[str], bool]) -> None:
        self._app, self._is_data = app, is_data
        self._made: dict[tuple[str, str, tuple[str, ...]], Made] = {}

    def __call__(self, method: str, path: str, headers: Mapping[str, str]) -> tuple[list[tuple[str, str]], bytes]:
        """Return headers and body for a request with that method, path and headers (as in WSGI, without HTTP_)."""
        root = "/v1" if self._is_data(path) else ""
        said = [headers.get(name.upper().replace("-", "_"), "") for name in OF_HTMX]
        kind = root, "GET" if method == "GET" else "POST", tuple(one if one in SAID else "" for one in said)
        made = self._made.get(kind) or self._made.setdefault(kind, self._make(*kind))
        REFUSED.inc()
        own_id = new_request_id()
        body = made.body.replace(made.request_id.encode(), own_id.encode())
        body = body.replace(PLACE.encode(), escape(path).encode())
        return [(name, own_id if text == made.request_id else text) for name, text in made.headers], body

    def _make(self, root: str, method: str, said: tuple[str, ...]) -> Made:
        sent = {name: one for name, one in zip(OF_HTMX, said, strict=True) if one}
        refused = {TOO_MANY: True}
        with self._app.test_request_context(root + PLACE, method=method, headers=sent, environ_overrides=refused):
            answer = self._app.full_dispatch_request()
            body = answer.get_data()
        answer.headers.pop("Set-Cookie", None)
        answer.headers.pop("Content-Length", None)
        return Made(answer.headers["X-Request-Id"], answer.headers.to_wsgi_list(), body)


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
