"""The web server: it answers, sends long answers while they are made, and cuts no answer off at its end."""

import gc
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from app.core import http_server
from app.core.http_server import WebServer
from tests.support import processes
from tests.support.waiting import until

Answers = Callable[[], Iterable[bytes]]
WAITS = 60  # seconds until a test that hangs fails
LITTLE = 2**16
MORE_THAN_THE_SYSTEM_TAKES = 12 * 2**20  # bytes; of what is sent it holds 4 MiB at most


class Client:
    """Asks a server that runs in the main thread."""

    def __init__(self, server: WebServer, port: int) -> None:
        self.server, self._port = server, port
        self._connections: list[HTTPConnection | socket.socket] = []

    def ask(self, path: str = "/") -> HTTPConnection:
        """A connection that has sent its request; its system takes in little of what is not read."""
        asked = HTTPConnection("127.0.0.1", self._port, timeout=WAITS)
        asked.sock = socket.socket()
        asked.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE)
        asked.sock.settimeout(WAITS)
        asked.sock.connect(("127.0.0.1", self._port))
        asked.request("GET", path)
        self._connections.append(asked)
        return asked

    def get(self, path: str = "/") -> HTTPResponse:
        return self.ask(path).getresponse()

    def send(self, *raw: bytes) -> socket.socket:
        """A connection that has sent these bytes, whatever they are."""
        opened = socket.create_connection(("127.0.0.1", self._port), timeout=WAITS)
        self._connections.append(opened)
        for each in raw:
            opened.sendall(each)
        return opened

    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    def close(self) -> None:
        for each in self._connections:
            each.close()


@pytest.fixture
def exit_on_sigterm() -> Iterator[None]:
    def stop(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit

    former = signal.signal(signal.SIGTERM, stop)
    yield
    signal.signal(signal.SIGTERM, former)


@pytest.fixture
def run(exit_on_sigterm: None) -> Callable[..., Any]:
    """Runs a server that answers with `answers` while `client` asks it in a thread, and returns what that returns."""

    def started(answers: Answers, client: Callable[[Client], Any], threads: int = 2, **more: Any) -> Any:
        def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            start_response("200 OK", [("Content-Type", "text/plain")])
            return [b"well"] if environ["PATH_INFO"].startswith("/healthz") else answers()

        port, returned = processes.free_port(), []
        server = WebServer(application, "127.0.0.1", port, threads, **more)
        asking = Client(server, port)

        def ask() -> None:
            try:
                returned.append(client(asking))
            finally:
                asking.close()
                asking.stop()

        thread = threading.Thread(target=ask)
        thread.start()
        server.run()
        server.close()
        thread.join(WAITS)
        with socket.create_server(("127.0.0.1", port)):
            pass  # the port is free
        return returned[0]

    return started


def all_of(sent: socket.socket) -> bytes:
    with sent.makefile("rb") as answer:
        return answer.read()


def test_a_long_answer_is_sent_while_it_is_made(run: Callable[..., Any]) -> None:
    """An export is not collected in memory first."""
    seen = threading.Event()

    def answers() -> Iterator[bytes]:
        yield b"a" * LITTLE
        assert seen.wait(WAITS)
        yield b"end"

    def read(client: Client) -> bytes:
        answer = client.get()
        begun = answer.read(1000)
        seen.set()
        return begun + answer.read()

    assert run(answers, read) == b"a" * LITTLE + b"end"


@pytest.mark.parametrize("size", [10, MORE_THAN_THE_SYSTEM_TAKES])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # waitress leaves its file to the gc
def test_what_is_answered_after_the_stop_is_sent_whole(run: Callable[..., Any], size: int) -> None:
    """Also when it is more than the system takes at once."""
    asked, stopped, made = threading.Event(), threading.Event(), threading.Event()

    def answers() -> Iterator[bytes]:
        asked.set()
        assert stopped.wait(WAITS)
        yield b"a" * size
        made.set()

    def read(client: Client) -> int:
        connection = client.ask()
        assert asked.wait(WAITS)
        client.stop()
        stopped.set()
        assert made.wait(WAITS)
        return len(connection.getresponse().read())

    assert run(answers, read) == size
    gc.collect()


def held(go: threading.Event, begun: threading.Event | None = None) -> Answers:
    def answers() -> Iterable[bytes]:
        if begun:
            begun.set()
        assert go.wait(WAITS)
        return [b"done"]

    return answers


def test_requests_that_wait_are_counted_and_kept_paths_are_answered_meanwhile(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """More may connect at once than are taken at one look."""
    monkeypatch.setattr(http_server, "ACCEPTED_AT_ONCE", 3)
    go = threading.Event()

    def read(client: Client) -> list[bytes]:
        asked = [client.ask() for _ in range(20)]
        until(lambda: client.server.queued() == 18)
        well = client.get("/healthz").read()
        go.set()
        return [well] + [each.getresponse().read() for each in asked] + [b"%d" % client.server.queued()]

    assert run(held(go), read, threads=2, kept=("/healthz",)) == [b"well", *[b"done"] * 20, b"0"]


def test_when_too_many_wait_the_next_are_refused(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept paths, and those that may wait, are not; a connection that was refused goes on."""
    monkeypatch.setattr(http_server, "MOST_WAITING", 2)
    go, begun = threading.Event(), threading.Event()

    def refuse(method: str, path: str, headers: Mapping[str, str]) -> tuple[list[tuple[str, str]], bytes]:
        return [("Retry-After", "2")], f"{method} {path}".encode()

    def read(client: Client) -> list[bytes]:
        asked = [client.ask()]
        assert begun.wait(WAITS)
        asked += [client.ask() for _ in range(2)]
        until(lambda: client.server.queued() == 2)
        busy = client.ask("/busy")
        refused = busy.getresponse()
        assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
        told = [refused.read(), client.get("/healthz").read()]
        busy.request("HEAD", "/again")
        bare = busy.getresponse()
        assert (bare.headers["Content-Length"], bare.read(), client.server.queued()) == ("11", b"", 2)
        patient = client.ask("/static/style")
        until(lambda: client.server.queued() == 3)
        go.set()
        told += [each.getresponse().read() for each in (*asked, patient)]
        busy.request("GET", "/")
        return [*told, busy.getresponse().read()]

    found = run(held(go, begun), read, threads=1, kept=("/healthz",), patient=("/static/",), refuse=refuse)
    assert found == [b"GET /busy", b"well", *[b"done"] * 5]


def test_a_thread_that_waits_for_the_outside_is_replaced(run: Callable[..., Any]) -> None:
    go, asked = threading.Event(), threading.Event()

    def read(client: Client) -> list[bytes]:
        waiting = client.ask()
        assert asked.wait(WAITS)
        client.server.replace(1)
        well = client.get("/healthz").read()
        go.set()
        client.server.replace(0)
        return [well, waiting.getresponse().read()]

    assert run(held(go, asked), read, threads=1) == [b"well", b"done"]


@pytest.mark.parametrize(
    "begun", [b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n"]
)
def test_a_request_that_drips_is_ended(run: Callable[..., Any], begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte would keep the connection alive otherwise, be it of the headers or of the body."""
    monkeypatch.setattr(http_server, "TO_SEND", 0.2)

    def read(client: Client) -> int:
        slow, pause = client.send(begun), threading.Event()
        for dripped in range(100 * WAITS):
            try:
                slow.sendall(b"a")
            except OSError:
                return dripped
            pause.wait(0.01)
        return 100 * WAITS

    assert run(lambda: [b"never"], read) < 100 * WAITS


def test_a_large_body_that_keeps_coming_may_take_long(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "TO_SEND", 0)
    monkeypatch.setattr(http_server, "LEAST_SPEED", 10)

    def read(client: Client) -> bytes:
        sent = client.send(b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 90\r\n\r\n", b"a" * 50)
        threading.Event().wait(1.5)
        sent.sendall(b"a" * 40)
        return all_of(sent)

    assert run(lambda: [b"taken"], read).endswith(b"taken")


def test_when_too_many_connections_are_open_the_oldest_that_waits_makes_room(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MOST_CONNECTIONS", 20)

    def read(client: Client) -> tuple[bytes, bytes]:
        half_open = [client.send(b"GET / HTTP/1.1\r\n") for _ in range(50)]
        return client.get().read(), half_open[0].recv(1)

    assert run(lambda: [b"Hello."], read) == (b"Hello.", b"")


def test_what_a_proxy_may_read_differently_is_refused(run: Callable[..., Any]) -> None:
    """Two lengths, a length and an encoding, an encoding of HTTP 1.0, two hosts, listed hosts, and no host."""
    heads = [
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ]
    answers = run(lambda: [b"smuggled"], lambda client: [all_of(client.send(head)) for head in heads])
    assert [answer for answer in answers if b" 400 " not in answer[:13] or b"smuggled" in answer] == []


def test_an_address_that_is_taken_or_unknown_is_an_error_of_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        WebServer(lambda *_: [], "127.0.0.1", taken.getsockname()[1], threads=2)
    with pytest.raises(socket.gaierror, match="not known"):
        WebServer(lambda *_: [], "no..host", 8000, threads=2)
