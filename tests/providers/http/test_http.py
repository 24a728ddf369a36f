"""Calls to other services, over requests, against real sockets that behave well, badly and with malice."""

import gzip
import socket
import threading
import tracemalloc
import zlib
from pathlib import Path

import pytest
from flask import Flask

from app.core.db import transaction
from app.ports import Refused, Unknown, Unreachable
from app.providers.addresses import Place
from app.providers.http import HttpClient, HttpResponse
from tests.providers.http.scripts import OK, Serve, drips, says
from tests.support.processes import free_port
from tests.support.receivers import Receiver, Wire, certificate, read_request


@pytest.fixture
def client() -> HttpClient:
    return HttpClient(allow_private=True)


def get(client: HttpClient, url: str, most: int = 1000, within: float = 30.0) -> HttpResponse:
    return client.call("GET", url, {}, most=most, within=within)


def test_an_answer_comes_back_whole(client: HttpClient, receiver: Receiver) -> None:
    receiver.answer = lambda request: (201, {"X-Thing": "a"}, b"made")
    answer = client.call("POST", receiver.url + "?a=1&b=%2F", {"x-key": "k"}, b"{}", most=100, within=30)
    assert (answer.status, answer.headers["x-thing"], answer.body, answer.whole) == (201, "a", b"made", True)
    (request,) = receiver.requests
    assert (request.path, request.body) == ("/hook?a=1&b=%2F", b"{}")
    assert {name for name in request.headers if name != "connection"} == {
        "host", "user-agent", "accept", "accept-encoding", "content-length", "x-key",
    }  # fmt: skip
    assert request.headers["user-agent"] == "Overture/1"
    assert request.headers["accept-encoding"] == "identity"


def test_what_is_longer_than_wanted_is_cut(client: HttpClient, receiver: Receiver) -> None:
    receiver.answer = lambda request: (200, {}, b"x" * 10)
    for most, whole in ((11, True), (10, True), (9, False)):
        answer = get(client, receiver.url, most=most)
        assert (answer.body, answer.whole) == (b"x" * min(most, 10), whole)


def test_a_bomb_is_unpacked_no_further_than_wanted(client: HttpClient, receiver: Receiver) -> None:
    """The memory stays that of the cap, whatever the packed bytes would become."""
    bomb = gzip.compress(bytes(50_000_000), 1)
    receiver.answer = lambda request: (200, {"content-encoding": "gzip"}, bomb)
    tracemalloc.start()
    try:
        answer = get(client, receiver.url, most=100_000)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    assert (len(answer.body), answer.whole) == (100_000, False)


def test_packed_answers_are_unpacked(client: HttpClient, receiver: Receiver) -> None:
    packed = {"gzip": gzip.compress(b"words"), "deflate": zlib.compress(b"words"), "identity": b"words", "": b"words"}
    for encoding, body in packed.items():
        receiver.answer = lambda request, answer=(200, {"content-encoding": encoding}, body): answer
        assert get(client, receiver.url).body == b"words", encoding
    for encoding, word in (("compress", "compress"), ("gzip", "damaged")):
        receiver.answer = lambda request, encoding=encoding: (200, {"content-encoding": encoding}, b"\x1f\x8bno")
        with pytest.raises(Unreachable, match=word):
            get(client, receiver.url)


def test_a_redirect_is_an_answer_and_its_body_is_capped(client: HttpClient, serve: Serve) -> None:
    """Nothing is followed, and of an endless body no more is read than wanted."""
    sent = []

    def endless(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 302 Found\r\nlocation: /else\r\ncontent-length: 10000000000\r\n\r\n")
        while not over.is_set():
            sent.append(connection.send(b"y" * 65536))

    server = serve(endless)
    answer = get(client, server.url)
    assert (answer.status, answer.headers["location"], answer.whole) == (302, "/else", False)
    server.stop()
    assert server.connections == 1
    assert sum(sent) < 50_000_000


def test_nothing_is_remembered_and_nothing_of_the_machine_is_used(
    client: HttpClient, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cookie of one workspace's call would go out with another's. No proxy of the environment, which would not be the
    address that was checked, and no password from .netrc."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    receiver.answer = lambda request: (200, {"set-cookie": "session=1; Path=/"}, b"")
    for _ in range(2):
        assert get(client, receiver.url).status == 200
    assert not any({"cookie", "authorization"} & request.headers.keys() for request in receiver.requests)


def test_connections_are_kept_until_they_are_not_wanted(client: HttpClient, serve: Serve) -> None:
    """A call that must not happen twice has one of its own: of a kept one nothing could say whether it was open."""
    server = serve(says(*[OK] * 10))
    for _ in range(3):
        get(client, server.url)
    assert server.connections == 1
    client.close_idle()
    get(client, server.url)
    for connections in (3, 4):
        assert client.call("POST", server.url, {}, b"", most=10, within=30, once=True).status == 200
        assert server.connections == connections


def test_an_answer_that_is_lost_leaves_it_unknown(client: HttpClient, serve: Serve) -> None:
    """Once sent, it may have been done; what may be asked again is only unreachable. It is asked once."""
    for answer in (b"", b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf", b"nonsense\r\n\r\n"):
        server = serve(says(answer))
        with pytest.raises(Unknown):
            client.call("POST", server.url, {}, b"{}", most=100, within=30, once=True)
        assert server.connections == 1
        with pytest.raises(Unreachable):
            client.call("POST", server.url, {}, b"{}", most=100, within=30)


def test_silence_after_the_request_leaves_it_unknown(client: HttpClient, serve: Serve) -> None:
    """The deadline holds while bytes drip, in the head and in the body."""

    for begin in (b"HTTP/1.1 200 OK\r\nx-slow: ", b"HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n"):
        url = serve(drips(begin)).url
        with pytest.raises(Unknown):
            client.call("POST", url, {}, b"{}", most=10_000, within=0.3, once=True)
        with pytest.raises(Unreachable, match=r"within 0\.3 seconds"):
            get(client, url, most=10_000, within=0.3)


def test_a_call_that_never_left_is_unreachable(client: HttpClient) -> None:
    port = free_port()
    with pytest.raises(Unreachable, match="Connection refused"):
        client.call("POST", f"http://127.0.0.1:{port}/", {}, b"", most=10, within=30, once=True)
    with pytest.raises(Unreachable, match="does not exist"):
        client.call("POST", "http://no-such-host.invalid/", {}, b"", most=10, within=30, once=True)
    with pytest.raises(Unreachable, match="within"):
        client.call("POST", f"http://127.0.0.1:{port}/", {}, b"", most=10, within=0, once=True)


def test_a_connection_that_was_closed_while_idle_is_opened_anew(client: HttpClient, serve: Serve) -> None:
    """Also when the other side closes it only as the next request arrives."""

    def once_then_close(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(OK)
        read_request(connection)

    server = serve(once_then_close)
    assert [get(client, server.url).status for _ in range(3)] == [200] * 3
    assert server.connections == 3


def test_one_private_address_spoils_a_name(receiver: Receiver) -> None:
    """Every address of the one look-up is checked before the first is dialled."""
    port, looks = int(receiver.url.split(":")[2].split("/")[0]), []

    def resolve(host: str, _: int) -> list[Place]:
        looks.append(host)
        return [("127.0.0.1", port), ("93.184.216.34", port)]

    with pytest.raises(Refused, match="public internet"):
        get(HttpClient(plain=True, resolve=resolve), "http://rebinding.example/")
    assert (looks, receiver.requests) == (["rebinding.example"], [])


def test_the_certificate_is_that_of_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server hears the name, and a certificate for another one or that no one signed is refused."""
    context = certificate(tmp_path, "good.example")
    heard: list[str | None] = []
    context.sni_callback = lambda connection, name, _: heard.append(name)
    server = Wire(says(*[OK] * 2), wrap=lambda connection: context.wrap_socket(connection, server_side=True))
    here = {"allow_private": True, "resolve": lambda host, port: [("127.0.0.1", server.port)]}
    with pytest.raises(Unreachable, match="certificate is not valid"):
        get(HttpClient(**here), "https://good.example/")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    client = HttpClient(**here)
    assert [get(client, "https://good.example/").body for _ in range(2)] == [b"ok", b"ok"]
    with pytest.raises(Unreachable, match="certificate is not valid"):
        get(client, "https://other.example/")
    assert heard == ["good.example", "good.example", "other.example"]
    server.stop()


def test_a_failure_names_nothing_that_was_sent(client: HttpClient, serve: Serve) -> None:
    """Neither a key in the address or a header, nor the body."""
    url = serve(says(b"")).url + "?key=s3cret"
    with pytest.raises(Unreachable) as failure:
        client.call("POST", url, {"x-key": "s3cret"}, b"s3cret", most=10, within=30)
    assert "s3cret" not in repr(failure.value)
    with pytest.raises(ValueError, match="one line") as broken:
        client.call("GET", url, {"x-key": "s3cret\r\nx: y"}, most=10, within=30)
    assert "s3cret" not in repr(broken.value)


def test_the_network_is_not_called_inside_a_transaction(app: Flask, client: HttpClient, receiver: Receiver) -> None:
    """A slow service must not hold the database."""
    with pytest.raises(RuntimeError), transaction():
        get(client, receiver.url)
    assert receiver.requests == []


def test_many_calls_at_once_share_nothing(client: HttpClient, receiver: Receiver) -> None:
    receiver.answer = lambda request: (200, {}, request.body)
    wrong: list[str] = []

    def work(name: str) -> None:
        for number in range(10):
            body = f"{name}-{number}".encode()
            if client.call("POST", receiver.url, {}, body, most=100, within=30).body != body:
                wrong.append(name)

    threads = [threading.Thread(target=work, args=(str(number),)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(receiver.requests) == 80
