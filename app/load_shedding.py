"""Load shedding: a request has room of its kind, waits for room, or is refused at once with 503 or 429.

`KINDS` is the table of kinds. A request that waits for the outside gives its room to the next one and counts as long.
"""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape
from typing import Any, NamedTuple

from flask import Flask, request
from werkzeug.wsgi import ClosingIterator

from app.core.errors import AppError, Overloaded, RateLimited, Unavailable
from app.core.metrics import REFUSED
from app.core.parallel import TAKE
from app.request_ids import new_request_id

EXTENSION = "load limiter"
THREADS = 0  # as many as OVERTURE_THREADS says


class Kind(NamedTuple):
    """Requests that share room."""

    name: str
    paths: tuple[str, ...]  # how their paths begin
    at_once: int
    waiting: int  # how many more may wait for room; the next one is refused


KINDS = (
    Kind("files", ("/static/",), 100, 0),  # each takes a millisecond, and a page without its style helps no one
    Kind("first", ("/healthz", "/u/", "/hooks/"), 2, 20),  # health, unsubscribing, providers
    Kind("sign-in", ("/login",), 2, 10),
    Kind("api", ("/v1", "/mcp"), THREADS, 20),
    Kind("pages", ("/",), THREADS, 20),
)
LONG_AT_ONCE = 12  # requests that wait for the outside; a workspace gets half of them
MOST_OF_A_KEY = 20  # requests with one API key, running and waiting
SPARE = 2  # threads that refuse while all others are busy
LONGEST_WAIT = 60.0  # seconds for room; proxies give up then, too

BUSY = Overloaded("Too many requests are waiting.", "Nothing was changed. Try again in a moment.", retry_after=2)
TOO_MANY_OF_A_KEY = RateLimited("Too many requests are running with this API key.", retry_after=1)

Environ = dict[str, Any]


class Room:
    """How much room a kind has, and who waits for it."""

    def __init__(self, kind: Kind, threads: int) -> None:
        self.kind, self.at_once = kind, kind.at_once or threads
        self.free = self.at_once
        self.queue: deque[threading.Event] = deque()

    def leave(self) -> None:
        """Give the room of one request to the next in the queue."""
        if self.queue:
            self.queue.popleft().set()
        else:
            self.free += 1


class Visit:
    """A request on its way through the program."""

    def __init__(self, room: Room, key: str) -> None:
        self.room, self.key = room, key
        self.long_of: int | None = None  # the workspace whose limit of long requests this one counts in


class Answer(ClosingIterator):
    """An answer whose request leaves when it is closed, also where closing it fails."""

    def __init__(self, answered: Iterable[bytes], leave: Callable[[], None]) -> None:
        super().__init__(answered)
        self._leave = leave

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._leave()


class LoadLimiter:
    """WSGI middleware: count the requests that run and wait, and refuse those for which there is no room."""

    def __init__(self, app: Flask, is_data: Callable[[str], bool]) -> None:
        self._app, self._refusals = app.wsgi_app, Refusals(app, is_data)
        threads = app.config["OVERTURE_THREADS"]
        self._rooms = [Room(kind, threads) for kind in KINDS]
        self._limits_keys = app.config["OVERTURE_RATE_LIMIT"] != "off"
        self._long_at_once = max(1, threads // 2)  # of a server whose threads are not ours to choose
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._inside = 0
        self._of_key: Counter[str] = Counter()
        self._long_of: Counter[int] = Counter()  # by workspace
        self._closed = False

    def claim_threads(self) -> int:
        """Return how many threads the server has to run; with them a long request takes no other's room."""
        self._long_at_once = LONG_AT_ONCE
        places = sum(room.at_once + room.kind.waiting for room in self._rooms if room.kind.waiting)
        return places + LONG_AT_ONCE + SPARE

    def drain(self, seconds: float) -> bool:
        """Refuse new requests, and wait until none runs; return whether any did."""
        with self._lock:
            self._closed = True
            any_ran = self._inside > 0
            self._idle.wait_for(lambda: self._inside == 0, seconds)
            return any_ran

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request when there is room for it."""
        path = environ.get("PATH_INFO", "")
        room = next((room for room in self._rooms if path.startswith(room.kind.paths)), self._rooms[-1])
        of_key = self._limits_keys and room.kind.name == "api"
        visit = Visit(room, environ.get("HTTP_AUTHORIZATION", "") if of_key else "")
        if refusal := self._enter(visit):
            return self._refusals.answer(environ, start_response, refusal)
        environ[TAKE] = partial(self._become_long, visit)
        try:
            answered = self._app(environ, start_response)
        except BaseException:
            self._leave(visit)
            raise
        return Answer(answered, partial(self._leave, visit))

    def _enter(self, visit: Visit) -> AppError | None:
        """Wait for room and return None, or return why there is none."""
        room = visit.room
        with self._lock:
            if visit.key and self._of_key[visit.key] >= MOST_OF_A_KEY:
                return TOO_MANY_OF_A_KEY
            if self._closed or (not room.free and len(room.queue) >= room.kind.waiting):
                return BUSY
            self._inside += 1
            if visit.key:
                self._of_key[visit.key] += 1
            if room.free:
                room.free -= 1
                return None
            turn = threading.Event()
            room.queue.append(turn)
        if turn.wait(LONGEST_WAIT):
            return None
        with self._lock:
            if turn not in room.queue:
                return None  # the turn came in this moment
            room.queue.remove(turn)
            self._go(visit)
            return BUSY

    def _become_long(self, visit: Visit, workspace_id: int) -> None:
        """Count the request as a long one of the workspace, or raise Unavailable; the next one gets its room."""
        with self._lock:
            if visit.long_of is not None:
                return
            most_of_one = max(1, self._long_at_once // 2)
            if self._long_of.total() >= self._long_at_once or self._long_of[workspace_id] >= most_of_one:
                raise Unavailable("Too many long requests are running. Try again in a moment.", retry_after=5)
            self._long_of[workspace_id] += 1
            visit.long_of = workspace_id
            visit.room.leave()

    def _leave(self, visit: Visit) -> None:
        with self._lock:
            if visit.long_of is None:
                visit.room.leave()
            else:
                self._long_of[visit.long_of] -= 1
            self._go(visit)

    def _go(self, visit: Visit) -> None:
        """Count a request no more; with the lock."""
        if visit.key:
            self._of_key[visit.key] -= 1
            self._of_key += Counter()  # without those that have none left
        self._inside -= 1
        if not self._inside:
            self._idle.notify_all()


REFUSAL = "overture.refusal"  # in a request's environment: what refuses it
PLACE = "/no-room"
# Headers on which the application decides between a page and a part of one, and what htmx says in them.
OF_HTMX = ("HTTP_HX_REQUEST", "HTTP_HX_REQUEST_TYPE", "HTTP_HX_HISTORY_RESTORE_REQUEST")
SAID = ("true", "full", "partial")


class Made(NamedTuple):
    """An answer, made once: the id of its request and its path, if it shows that, differ each time."""

    status: str
    request_id: str
    headers: list[tuple[str, str]]
    body: bytes


class Refusals:
    """Answers to requests for which there is no room: made by the application once, so that each costs little."""

    def __init__(self, app: Flask, is_data: Callable[[str], bool]) -> None:
        self._app, self._is_data = app, is_data
        self._made: dict[tuple[Any, ...], Made] = {}

    def answer(self, environ: Environ, start_response: Callable[..., Any], refusal: AppError) -> Iterable[bytes]:
        """Refuse the request as a script, a browser or htmx understands it."""
        path = environ.get("PATH_INFO", "")
        root = "/v1" if self._is_data(path) else ""
        method = "GET" if environ["REQUEST_METHOD"] == "GET" else "POST"
        said = {name: environ[name] for name in OF_HTMX if environ.get(name) in SAID}
        kind = refusal, root, method, *said.items()
        made = self._made.get(kind) or self._made.setdefault(kind, self._make(refusal, root, method, said))
        REFUSED.inc()
        own_id = new_request_id()
        body = made.body.replace(made.request_id.encode(), own_id.encode())
        body = body.replace(PLACE.encode(), escape(path).encode())
        headers = [(name, own_id if text == made.request_id else text) for name, text in made.headers]
        start_response(made.status, [*headers, ("Content-Length", str(len(body)))])
        return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]

    def _make(self, refusal: AppError, root: str, method: str, said: Mapping[str, str]) -> Made:
        refused = {REFUSAL: refusal, **said}
        with self._app.test_request_context(root + PLACE, method=method, environ_overrides=refused):
            answer = self._app.full_dispatch_request()
            body = answer.get_data()
        answer.headers.pop("Set-Cookie", None)
        answer.headers.pop("Content-Length", None)
        return Made(answer.status, answer.headers["X-Request-Id"], answer.headers.to_wsgi_list(), body)


def register(app: Flask, is_data: Callable[[str], bool]) -> None:
    """Limit the requests to the application; `is_data` says which paths are answered in JSON."""
    app.before_request(_refuse)
    app.extensions[EXTENSION] = limiter = LoadLimiter(app, is_data)
    app.wsgi_app = limiter  # type: ignore[method-assign]


def _refuse() -> None:
    if refusal := request.environ.get(REFUSAL):
        raise refusal
