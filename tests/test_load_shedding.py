"""Load shedding: who runs, who waits, who is refused meanwhile, and what those are told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask, Response, g
from werkzeug.test import EnvironBuilder, run_wsgi_app

from app import load_shedding
from app.core.db import db
from app.core.metrics import REGISTRY
from app.core.parallel import take_slot
from app.domain.leads import csv_import, lists
from app.load_shedding import BUSY, EXTENSION, KINDS, LONG_AT_ONCE, MOST_OF_A_KEY, LoadLimiter
from app.models.workspaces import Workspace
from app.providers.outbound import release_database
from tests.support.waiting import until

WAITS = 60  # seconds until a test that hangs fails
WAITING = {kind.name: kind.waiting for kind in KINDS}
HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


class Site:
    """An application in which requests to /hold, /v1/hold, /hooks/hold and /v1/long/1 stay until `go` is set."""

    def __init__(self, app: Flask) -> None:
        self.app, self.go = app, threading.Event()
        self.limiter: LoadLimiter = app.extensions[EXTENSION]
        self.running = 0
        self._asking: list[threading.Thread] = []
        self._lock = threading.Lock()
        for path in ("/hold", "/v1/hold", "/hooks/hold"):
            app.add_url_rule(path, path, self._hold)
        app.add_url_rule("/v1/long/<int:workspace>", "long", self._hold_long)
        app.add_url_rule("/quick", "quick", lambda: "quick")
        app.add_url_rule("/v1/quick", "quick_api", lambda: "quick")
        app.add_url_rule("/static/quick", "quick_file", lambda: "quick")

    def _hold(self) -> str:
        with self._lock:
            self.running += 1
        assert self.go.wait(WAITS)
        return "held"

    def _hold_long(self, workspace: int) -> str:
        g.workspace = SimpleNamespace(id=workspace)
        take_slot()
        take_slot()  # a second call of the same request is not counted
        return self._hold()

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer."""
        environ = EnvironBuilder(path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        body, status, told = run_wsgi_app(self.app, environ.get_environ(), buffered=True)
        return int(status[:3]), dict(told), b"".join(body)

    def status(self, path: str, **headers: str) -> int:
        return self.get(path, **headers)[0]

    def ask(self, path: str, times: int = 1, **headers: str) -> None:
        """So many requests, each in a thread, which is there to stay until `go` is set."""
        for _ in range(times):
            thread = threading.Thread(target=self.get, args=(path,), kwargs=headers)
            thread.start()
            self._asking.append(thread)

    def until_running(self, number: int) -> None:
        until(lambda: self.running == number)

    def until_waiting(self, name: str, number: int) -> None:
        (room,) = (room for room in self.limiter._rooms if room.kind.name == name)
        until(lambda: len(room.queue) == number)

    def finish(self) -> None:
        self.go.set()
        for thread in self._asking:
            thread.join(WAITS)


@pytest.fixture
def open_site(make_app: Callable[..., Flask]) -> Callable[..., Any]:
    """Opens a site with one thread and other settings."""

    @contextmanager
    def opened(**settings: Any) -> Iterator[Site]:
        site = Site(make_app(**{"OVERTURE_THREADS": 1, **settings}))
        try:
            yield site
        finally:
            site.finish()

    return opened


def test_pages_wait_for_room_and_are_refused_when_too_many_wait(open_site: Callable[..., Any]) -> None:
    """Health, sign-in, unsubscribing, the API and the files of pages have room of their own."""
    with open_site() as site:
        site.ask("/hold", 1 + WAITING["pages"])
        site.until_waiting("pages", WAITING["pages"])
        assert site.running == 1
        status, headers, _ = site.get("/quick")
        assert (status, headers["Retry-After"]) == (503, "2")
        for path in ("/healthz", "/login", "/static/quick", "/v1/quick"):
            assert site.status(path) != 503, path
        site.finish()
        assert site.running == 1 + WAITING["pages"]
        assert site.status("/quick") == 200


def test_scripts_do_not_take_the_room_of_pages(open_site: Callable[..., Any]) -> None:
    with open_site() as site:
        site.ask("/v1/hold", 1 + WAITING["api"])
        site.until_waiting("api", WAITING["api"])
        assert (site.status("/v1/quick"), site.status("/quick")) == (503, 200)


def test_one_key_has_at_most_so_many_requests_at_a_time(open_site: Callable[..., Any]) -> None:
    """Others are served, and so is the next when one has ended."""
    with open_site(OVERTURE_THREADS=64, OVERTURE_RATE_LIMIT="on") as site:
        site.ask("/v1/hold", MOST_OF_A_KEY, Authorization="Bearer ours")
        site.until_running(MOST_OF_A_KEY)
        status, headers, body = site.get("/v1/quick", Authorization="Bearer ours")
        assert (status, headers["Retry-After"], json.loads(body)["error"]["code"]) == (429, "1", "rate_limited")
        assert site.status("/v1/quick", Authorization="Bearer theirs") == 200
        site.finish()
        assert site.status("/v1/quick", Authorization="Bearer ours") == 200


def test_a_request_that_waits_for_the_outside_makes_room(open_site: Callable[..., Any]) -> None:
    """A workspace gets half of the places for long ones."""
    with open_site() as site:
        threads = site.limiter.claim_threads()
        assert threads > 1 + WAITING["pages"] + WAITING["api"] + LONG_AT_ONCE
        half = LONG_AT_ONCE // 2
        site.ask("/v1/long/1", half)
        site.until_running(half)
        status, headers, body = site.get("/v1/long/1")
        assert (status, headers["Retry-After"], b"long requests" in body) == (503, "5", True)
        site.ask("/v1/long/2", half)
        site.until_running(LONG_AT_ONCE)
        assert (site.status("/v1/long/3"), site.status("/v1/quick")) == (503, 200)
        site.finish()
        assert site.status("/v1/long/1") == 200


def test_half_of_the_threads_of_another_server_may_wait_for_the_outside(open_site: Callable[..., Any]) -> None:
    with open_site(OVERTURE_THREADS=4) as site:
        site.ask("/v1/long/1")
        site.until_running(1)
        assert site.status("/v1/long/1") == 503
        site.ask("/v1/long/2")
        site.until_running(2)
        assert (site.status("/v1/long/3"), site.status("/v1/quick")) == (503, 200)


def test_calls_to_the_outside_and_long_files_count_and_jobs_do_not(app: Flask, acme: Workspace) -> None:
    people = lists.create_list(acme, "People")
    few = b"email\n" + b"ada@acme.example\n" * 10
    taken: list[int] = []
    release_database()
    with app.test_request_context("/", environ_overrides={load_shedding.TAKE: taken.append}):
        release_database()
        g.workspace = acme
        csv_import.create(acme, people.id, "few.csv", BytesIO(few))
        assert taken == [0]
        csv_import.create(acme, people.id, "many.csv", BytesIO(few + b"\n" * csv_import.LONG_TO_READ))
    assert taken == [0, acme.id]


def test_a_long_answer_is_sent_while_it_is_made_and_counts_until_its_end(open_site: Callable[..., Any]) -> None:
    """Also one that breaks off."""
    with open_site() as site:
        made: list[str] = []

        def parts() -> Iterator[str]:
            for part in ("first", "second"):
                made.append(part)
                yield part

        site.app.add_url_rule("/export", "export", lambda: Response(parts()))
        body, _, _ = run_wsgi_app(site.app, EnvironBuilder("/export").get_environ())
        assert (next(iter(body)), made) == (b"first", ["first"])
        site.ask("/hold")
        site.until_waiting("pages", 1)
        body.close()  # type: ignore[attr-defined]
        site.until_running(1)


def test_a_request_whose_answer_fails_as_it_is_closed_gives_its_room_back(open_site: Callable[..., Any]) -> None:
    def breaks() -> Response:
        answer = Response("told")
        answer.call_on_close(lambda: 1 // 0)
        return answer

    with open_site() as site:
        site.app.add_url_rule("/v1/breaks", "breaks", breaks)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                site.get("/v1/breaks")
        assert site.status("/v1/quick") == 200


def test_the_last_requests_are_finished_and_new_ones_refused(open_site: Callable[..., Any]) -> None:
    with open_site() as site:
        assert site.limiter.drain(0) is False
    with open_site() as site:
        site.ask("/hold")
        site.until_running(1)
        found: list[bool] = []
        draining = threading.Thread(target=lambda: found.append(site.limiter.drain(WAITS)))
        draining.start()
        until(lambda: site.status("/quick") == 503)
        assert found == []
        site.finish()
        draining.join(WAITS)
        assert found == [True]


def refused(app: Flask, path: str, method: str = "GET", **headers: str) -> tuple[dict[str, str], str]:
    """What is told to a request for which there is no room."""
    told: list[Any] = []
    environ = EnvironBuilder(path, method=method, headers={k.replace("_", "-"): v for k, v in headers.items()})
    limiter: LoadLimiter = app.extensions[EXTENSION]
    body = limiter._refusals.answer(environ.get_environ(), lambda *given: told.extend(given), BUSY)
    assert told[0].startswith("503 ")
    return dict(told[1]), b"".join(body).decode()


def test_a_script_is_told_in_its_language(app: Flask) -> None:
    ids = set()
    for path in ("/v1/me", "/mcp", "/v1/lists/7/leads", "/v1/me"):
        told, body = refused(app, path, "POST")
        error = json.loads(body)["error"]
        assert error["code"] == "unavailable"
        assert error["requestId"] == told["X-Request-Id"]
        assert (told["Retry-After"], told["Content-Type"]) == ("2", "application/json")
        assert told["Content-Length"] == str(len(body))
        ids.add(error["requestId"])
    assert len(ids) == 4


def test_a_page_says_that_it_tries_again(app: Flask) -> None:
    """The button asks for the same page, and nothing on it is theirs; a form is not sent again by itself."""
    told, page = refused(app, '/lists/<"7">')
    wanted = ("The service is busy", "Too many requests are waiting.", "Retrying in", "/lists/&lt;&quot;7&quot;&gt;")
    for part in wanted:
        assert part in page
    assert "Set-Cookie" not in told
    assert "script-src 'self'" in told["Content-Security-Policy"]
    form = refused(app, "/lists", "POST")[1]
    assert "The service is busy" in form
    assert "Try again</a>" not in form
    assert refused(app, "/lists", "HEAD")[1] == ""


def test_a_part_of_a_page_is_a_message(app: Flask) -> None:
    """What htmx asked for becomes a message on the page, which stays as it is."""
    told, body = refused(app, "/campaigns", **HTMX)
    assert told["HX-Reswap"] == "none"
    assert "Too many requests are waiting." in body
    assert "<html" not in body
    assert "<html" in refused(app, "/campaigns", HX_Request="true", HX_History_Restore_Request="true")[1]


def test_a_refusal_costs_no_query_and_is_counted(app: Flask, acme: Workspace) -> None:
    asked: list[str] = []
    before = REGISTRY.get_sample_value("overture_requests_refused_total") or 0
    sa.event.listen(db.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    for path in ("/", "/login", "/v1/me", "/nowhere"):
        refused(app, path, Authorization="Bearer x", Cookie="overture=x")
    assert asked == []
    assert REGISTRY.get_sample_value("overture_requests_refused_total") == before + 4
