"""The web server: it answers, sends long answers while they are made, and cuts no answer off at its end."""

import gc
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from app.core.http_server import WebServer
from tests import processes

Answers = Callable[[], Iterable[bytes]]
WAITS = 60  # seconds until a test that hangs fails
LITTLE = 2**16
MORE_THAN_THE_SYSTEM_TAKES = 12 * 2**20  # bytes; of what is sent it holds 4 MiB at most


class Client:
    """Asks a server that runs in the main thread."""

    def __init__(self, server: WebServer, port: int) -> None:
        self.server, self._port = server, port
        self._connections: list[HTTPConnection] = []

    def ask(self) -> HTTPConnection:
        """A connection that has sent its request; its system takes in little of what is not read."""
        asked = HTTPConnection("127.0.0.1", self._port, timeout=WAITS)
        asked.sock = socket.socket()
        asked.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE)
        asked.sock.settimeout(WAITS)
        asked.sock.connect(("127.0.0.1", self._port))
        asked.request("GET", "/")
        self._connections.append(asked)
        return asked

    def get(self) -> HTTPResponse:
        """The answer as soon as it has begun."""
        return self.ask().getresponse()

    def stop(self) -> None:
        """The process gets the signal."""
        os.kill(os.getpid(), signal.SIGTERM)

    def close(self) -> None:
        """Its connections end."""
        for each in self._connections:
            each.close()


@pytest.fixture
def exit_on_sigterm() -> Iterator[None]:
    """As `overture serve` does it."""

    def stop(*_: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit

    former = signal.signal(signal.SIGTERM, stop)
    yield
    signal.signal(signal.SIGTERM, former)


@pytest.fixture
def run(exit_on_sigterm: None) -> Callable[..., Any]:
    """Runs a server that answers with `answers` while `client` asks it in a thread, and returns what that returns."""

    def started(answers: Answers, client: Callable[[Client], Any], threads: int = 2) -> Any:
        def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
            start_response("200 OK", [("Content-Type", "text/plain")])
            return answers()

        port, returned = processes.free_port(), []
        server = WebServer(application, "127.0.0.1", port, threads)
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


def until(condition: Callable[[], bool]) -> None:
    """Wait for it."""
    turn = threading.Event()
    for _ in range(WAITS * 100):
        if condition():
            return
        turn.wait(0.01)
    raise AssertionError("It did not come to pass.")


def test_the_port_is_free_after_the_answers(run: Callable[..., Any]) -> None:
    assert run(lambda: [b"Hello."], lambda client: client.get().read()) == b"Hello."


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


def test_a_request_that_takes_long_does_not_hold_up_the_next(run: Callable[..., Any]) -> None:
    begun, ended = threading.Event(), threading.Event()

    def answers() -> Iterable[bytes]:
        if not begun.is_set():
            begun.set()
            assert ended.wait(WAITS)
            return [b"long"]
        return [b"short"]

    def read(client: Client) -> list[bytes]:
        first = client.ask()
        assert begun.wait(WAITS)
        short = client.get().read()
        ended.set()
        return [short, first.getresponse().read()]

    assert run(answers, read) == [b"short", b"long"]


def test_requests_that_wait_for_a_thread_are_counted(run: Callable[..., Any]) -> None:
    """Load shedding refuses by this number."""
    go = threading.Event()

    def answers() -> Iterable[bytes]:
        assert go.wait(WAITS)
        return [b"done"]

    def read(client: Client) -> list[bytes]:
        asked = [client.ask() for _ in range(4)]
        until(lambda: client.server.queued() == 3)
        go.set()
        return [each.getresponse().read() for each in asked] + [b"%d" % client.server.queued()]

    assert run(answers, read, threads=1) == [b"done"] * 4 + [b"0"]


def test_an_address_that_is_taken_is_an_error_of_the_system() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        WebServer(lambda *_: [], "127.0.0.1", taken.getsockname()[1], threads=2)


def test_a_host_without_an_address_is_an_error_of_the_system() -> None:
    with pytest.raises(socket.gaierror, match="not known"):
        WebServer(lambda *_: [], "no..host", 8000, threads=2)
