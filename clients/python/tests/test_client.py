"""Retries, pages and errors, against a local server that answers as it is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from overture_client import (
    ApiError,
    AsyncOverture,
    ConnectionFailed,
    Overture,
    OvertureError,
    RateLimited,
    Retries,
    Unavailable,
    models,
)
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.support.assistants import apart
from tools import clients

AT_ONCE = Retries(first_wait=0)
CREATED = clients.published()["paths"]["/v1/lists"]["post"]["responses"]["201"]["content"]["application/json"]
LIST = CREATED["example"] | {"id": 7, "name": "Founders"}
BUSY = {"error": {"code": "unavailable", "message": "The database is busy.", "requestId": "req_1", "recovery": "Wait."}}
FAST = {"error": {"code": "rate_limited", "message": "Too many requests.", "requestId": "req_2"}}
Create = Callable[..., models.ListResource]


def answer(body: Any, status: int = 200, **headers: str) -> Response:
    """An answer of the server's."""
    response = httpx.Response(status, json=body)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(response.content, status, named, content_type="application/json")


class Server:
    """Answers one thing after the other, and remembers the requests."""

    def __init__(self, server: HTTPServer) -> None:
        self.url, self.requests = server.url_for(""), list[Request]()
        self.answers: list[Response] = []
        server.expect_request("/v1/lists").respond_with_handler(self._answer)
        server.expect_request("/v1/lists/7").respond_with_handler(self._answer)

    def _answer(self, request: Request) -> Response:
        request.get_data()
        self.requests.append(request)
        return self.answers.pop(0)

    @property
    def keys(self) -> list[str | None]:
        """The idempotency keys of the requests so far."""
        return [request.headers.get("Idempotency-Key") for request in self.requests]


@pytest.fixture
def server(httpserver: HTTPServer) -> Server:
    """One whose answers a test says."""
    return Server(httpserver)


@pytest.fixture(params=["sync", "asyncio"])
def create(request: pytest.FixtureRequest, server: Server) -> Create:
    """Creates a list with one client or the other."""
    body = models.NewList(name="Founders")

    def at_once(retries: Retries = AT_ONCE, **given: Any) -> models.ListResource:
        with Overture(server.url, "key", retries=retries) as overture:
            return overture.lists.create(body=body, **given)

    def awaited(retries: Retries = AT_ONCE, **given: Any) -> models.ListResource:
        async def run() -> models.ListResource:
            async with AsyncOverture(server.url, "key", retries=retries) as overture:
                return await overture.lists.create(body=body, **given)

        return apart(asyncio.run, run())

    return at_once if request.param == "sync" else awaited


def test_a_busy_server_is_asked_again_with_the_same_key(server: Server, create: Create) -> None:
    """So that the request has one effect, however often it was sent; the next one has another key."""
    server.answers = [
        answer(BUSY, 503),
        answer(FAST, 429, Retry_After="0"),
        answer(LIST, 201),
        answer(LIST, 201),
    ]
    assert create().id == 7
    create()
    first, *others, last = server.keys
    assert first
    assert (others, last == first) == ([first, first], False)
    assert {request.get_data() for request in server.requests} == {b'{"name":"Founders"}'}


def test_an_own_key_is_sent(server: Server, create: Create) -> None:
    """As it was given."""
    server.answers = [answer(LIST, 201)]
    create(idempotency_key="founders")
    assert server.keys == ["founders"]


def test_a_request_that_still_runs_is_waited_for(server: Server, create: Create) -> None:
    """409 with Retry-After: an earlier try arrived after all."""
    running = {"error": {"code": "conflict", "message": "It is still running.", "requestId": "req_3"}}
    server.answers = [answer(running, 409, Retry_After="0"), answer(LIST, 201)]
    assert create().name == "Founders"


def test_tries_end(server: Server, create: Create) -> None:
    """With the error of the last one."""
    server.answers = [answer(BUSY, 503) for _ in range(3)]
    with pytest.raises(Unavailable, match="busy"):
        create(Retries(tries=3, first_wait=0))
    assert server.answers == []


def test_a_server_that_asks_for_too_much_time_is_not_waited_for(server: Server, create: Create) -> None:
    """The caller decides."""
    server.answers = [answer(FAST, 429, Retry_After="3600")]
    with pytest.raises(RateLimited):
        create()


def test_an_answer_that_is_not_overtures_is_an_error(server: Server, create: Create) -> None:
    """As of a proxy in between."""
    server.answers = [Response("<h1>Forbidden</h1>", 403)]
    with pytest.raises(ApiError) as refused:
        create()
    assert (refused.value.status, refused.value.code, str(refused.value)) == (403, "", "The server returned 403. ( )")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_every_request_is_repeated_under_one_key_when_an_answer_is_lost(method: str) -> None:
    """It may have taken effect, and its repetition has none of its own."""
    sent = []

    def lose(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        raise httpx.ReadError("closed", request=request)

    with Overture("http://localhost", "key", retries=AT_ONCE, transport=httpx.MockTransport(lose)) as overture:
        connection = overture.client.get_httpx_client()
        with pytest.raises(ConnectionFailed, match="localhost") as lost:
            connection.request(method, "/v1/lists")
    assert len(sent) == AT_ONCE.tries
    assert bool(lost.value.idempotency_key) == (method != "GET")
    assert isinstance(lost.value, OvertureError)


def test_what_never_left_is_sent_again_whatever_it_is() -> None:
    """There was no connection."""
    sent = []

    def refuse(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        raise httpx.ConnectError("refused", request=request)

    nowhere = httpx.MockTransport(refuse)
    with (
        Overture("http://localhost", "key", retries=AT_ONCE, transport=nowhere) as overture,
        pytest.raises(ConnectionFailed),
    ):
        overture.lists.delete(7)
    assert len(sent) == AT_ONCE.tries


def test_waits_grow_and_stay_within_bounds() -> None:
    """Without a word of the server's, with chance so that clients do not come back together."""
    retries = Retries(tries=20, first_wait=1, longest_wait=30)
    request, busy = httpx.Request("GET", "http://localhost"), httpx.Response(503)
    waits = [retries.pause(request, busy, tried) or 0 for tried in range(1, 20)]
    assert all(0.5 * bound <= wait <= bound for wait, bound in zip(waits, [1, 2, 4, 8, 16], strict=False))
    assert max(waits) <= 30
    assert retries.pause(request, httpx.Response(503, headers={"Retry-After": "7"}), 1) == 7
    assert retries.pause(request, busy, 20) is None


def test_pages_are_read_as_you_go(server: Server) -> None:
    """Nothing before, the cursor after each page, and anew with each loop."""
    with Overture(server.url, "key") as overture:
        found = overture.lists.page(limit=1)
        assert server.requests == []
        two = [{"data": [LIST], "nextCursor": "abc"}, {"data": [{**LIST, "id": 8}], "nextCursor": ""}]
        server.answers = [answer(page) for page in two * 2]
        assert [one.id for one in found] == [7, 8]
        assert [page.next_cursor for page in found.by_page()] == ["abc", ""]
    assert [request.args.get("cursor") for request in server.requests] == [None, "abc"] * 2
    assert {request.args["limit"] for request in server.requests} == {"1"}
    assert {request.headers["Authorization"] for request in server.requests} == {"Bearer key"}


def test_words_and_fields_of_a_newer_server_are_read(server: Server) -> None:
    """Within v1 the interface grows."""
    server.answers = [answer({**LIST, "type": "robots", "colour": "red"})]
    with Overture(server.url, "key") as overture:
        found = overture.lists.show(7)
    assert (found.type_, found.to_dict()["type"], found.additional_properties) == (
        "robots",
        "robots",
        {"colour": "red"},
    )
