"""Posting webhooks to real sockets that behave well, badly and with malice."""

import time

import pytest
from flask import Flask

from app.core.db import transaction
from app.ports import Refused, Unreachable
from app.providers.addresses import Place, look_up
from app.providers.http.webhook_client import MOST_KEPT, WebhookHttpClient
from tests.providers.http.scripts import OK, Serve, drips, says
from tests.support.movable import Movable
from tests.support.receivers import Receiver

PUBLIC = "93.184.216.34"
HEADERS = {"content-type": "application/json", "webhook-id": "evt_1"}
ENDLESS = 30  # seconds
BODY = '{"text":"Łucja 🙂"}'.encode()


@pytest.fixture
def client() -> WebhookHttpClient:
    """The client, with all the time that a busy machine needs."""
    return WebhookHttpClient(allow_private=True, whole_call=30, connect=30)


@pytest.fixture
def hasty() -> WebhookHttpClient:
    return WebhookHttpClient(allow_private=True, whole_call=0.4, connect=0.3)


def test_a_body_arrives_byte_for_byte_with_its_headers(client: WebhookHttpClient, receiver: Receiver) -> None:
    """However large it is; the answer's status and head come back."""
    answer = client.post(receiver.url, HEADERS, BODY)
    assert (answer.status, answer.head, answer.retry_after) == (200, "noted", None)
    (request,) = receiver.requests
    assert request.body == BODY
    assert request.headers["webhook-id"] == "evt_1"
    assert request.headers["host"] in receiver.url
    assert request.headers["accept-encoding"] == "identity"
    client.post(receiver.url, HEADERS, b"z" * 300_000)
    assert receiver.requests[1].body == b"z" * 300_000


def test_connections_are_used_until_they_are_closed(client: WebhookHttpClient, serve: Serve) -> None:
    """While it lies idle, by `connection: close`, or by speaking HTTP/1.0."""
    server = serve(says(OK, OK))
    assert [client.post(server.url, HEADERS, BODY).status for _ in range(4)] == [200] * 4
    assert server.connections < 4  # the end of one may be seen only by the call after it
    for answer in (b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nok", b"HTTP/1.0 200 OK\r\n\r\nok"):
        server = serve(says(answer))
        assert [client.post(server.url, HEADERS, BODY).head for _ in range(2)] == ["ok", "ok"]
        assert server.connections == 2


def test_redirects_are_not_followed(client: WebhookHttpClient, receiver: Receiver) -> None:
    elsewhere = Receiver()
    for status in (301, 302, 303, 307, 308):
        headers = {"location": elsewhere.url, "refresh": f"0; {elsewhere.url}"}
        receiver.answer = lambda request, answer=(status, headers, b""): answer
        assert client.post(receiver.url, HEADERS, BODY).status == status
    elsewhere.stop()
    assert elsewhere.requests == []


def test_the_whole_call_has_a_deadline(hasty: WebhookHttpClient, serve: Serve) -> None:
    """However it drips, in the status, head, body or an endless body, keeps silent or does not read."""
    for script in (
        drips(b""),
        drips(b"HTTP/1.1 200 OK\r\nx-slow: "),
        drips(b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n"),
        drips(b"HTTP/1.1 200 OK\r\n\r\n"),
        lambda connection, over: over.wait(ENDLESS),
    ):
        begun = time.monotonic()
        with pytest.raises(Unreachable, match=r"within 0\.4 seconds"):
            hasty.post(serve(script).url, HEADERS, BODY)
        assert 0.3 < time.monotonic() - begun < ENDLESS
    with pytest.raises(Unreachable):
        hasty.post(serve(lambda connection, over: over.wait(ENDLESS)).url, HEADERS, b"x" * 20_000_000)


def test_a_huge_answer_is_cut(client: WebhookHttpClient, receiver: Receiver) -> None:
    receiver.answer = lambda request: (200, {}, b"y" * 10_000_000)
    answer = client.post(receiver.url, HEADERS, BODY)
    assert (answer.status, len(answer.head)) == (200, MOST_KEPT)


def test_floods_and_what_is_not_http_are_no_answer(client: WebhookHttpClient, serve: Serve) -> None:
    """Many headers, one long header, and interim answers without end; what is not HTTP is refused in a sentence too."""
    for flood in (
        b"",
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 100_000,
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 1_000_000,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000,
    ):
        with pytest.raises(Unreachable) as problem:
            client.post(serve(says(flood)).url, HEADERS, BODY)
        assert problem.value.sentence.endswith(".")


def test_compressed_answers_are_not_opened(client: WebhookHttpClient, serve: Serve) -> None:
    """A bomb stays as small as it came; bytes that are no text are shown as such."""
    server = serve(says(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\n\x1f\x8b\x00\xff"))
    assert client.post(server.url, HEADERS, BODY).head == "\x1f��\ufffd"


def test_retry_after_is_understood_in_both_forms(client: WebhookHttpClient, receiver: Receiver, clock: Movable) -> None:
    date = "Mon, 02 Mar 2026 09:02:00 GMT"
    for text, seconds in (("7", 7), (date, 120), ("soon", None), ("-3", None), ("9" * 40, 10**6), ("²", None)):
        receiver.answer = lambda request, text=text: (503, {"retry-after": text}, b"")
        assert client.post(receiver.url, HEADERS, BODY).retry_after == seconds


def test_private_addresses_are_refused() -> None:
    """Before anything is looked up; every answer of the one look-up is vetted before the first is dialled."""
    for url in ("https://localhost/", "https://127.0.0.1/", "https://[::1]/", "http://example.com/"):
        with pytest.raises(Refused):
            WebhookHttpClient(resolve=lambda host, port: pytest.fail("looked up")).post(url, HEADERS, BODY)
        assert WebhookHttpClient().objection(url).endswith(".")
    assert WebhookHttpClient().objection("https://example.com/hook") == ""
    for answers in (
        ["127.0.0.1"],
        ["169.254.169.254"],
        [PUBLIC, "127.0.0.1"],
        ["10.0.0.5", PUBLIC],
        ["::ffff:127.0.0.1"],
        ["fd00:ec2::254"],
        ["64:ff9b::7f00:1"],
        [PUBLIC, "2606:4700::1111", "fe80::1%eth0"],
    ):
        looks = []

        def resolve(host: str, port: int, answers: list[str] = answers, looks: list[str] = looks) -> list[Place]:
            looks.append(host)
            return [(answer, port) for answer in answers]

        with pytest.raises(Refused):
            WebhookHttpClient(resolve=resolve, connect=0.1).post("https://rebinding.example/", HEADERS, BODY)
        assert looks == ["rebinding.example"]
    assert {address for address, _ in look_up("localhost", 80)} <= {"127.0.0.1", "::1"}


def test_the_vetted_address_is_the_one_that_is_dialled(receiver: Receiver) -> None:
    """The name goes into the Host header only: it is looked up once, and never again for the connection. A second
    address is tried when the first is silent."""
    port, looks = int(receiver.url.split(":")[2].split("/")[0]), []

    def resolve(host: str, port: int) -> list[Place]:
        looks.append(host)
        return [("127.0.0.2", port), ("127.0.0.1", port)]

    client = WebhookHttpClient(allow_private=True, resolve=resolve)
    assert client.post(f"http://pinned.example:{port}/hook?a=1", HEADERS, BODY).status == 200
    assert client.post(f"http://pinned.example:{port}/hook", HEADERS, BODY).status == 200
    assert looks == ["pinned.example"]
    assert [request.headers["host"] for request in receiver.requests] == [f"pinned.example:{port}"] * 2
    assert receiver.requests[0].path == "/hook?a=1"


def test_the_network_is_not_called_inside_a_transaction(
    app: Flask, client: WebhookHttpClient, receiver: Receiver
) -> None:
    """A slow endpoint must not hold the database."""
    with pytest.raises(RuntimeError), transaction():
        client.post(receiver.url, HEADERS, BODY)
    assert receiver.requests == []
