"""The web server: it answers, sends long answers while they are made, and cuts nobody off at its end."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from app.core.http_server import PATIENCE, SENT_BY_THE_LOOP, Threads, WebServer

Answers = Callable[[], Iterable[bytes]]
WAITS = 20  # seconds until a test that hangs fails


class Running:
    """A server in a thread, whose answers the test makes."""

    def __init__(self, answers: Answers) -> None:
        self.server = WebServer(self._answer, "127.0.0.1", 0, threads=2, at_once=1)
        self._answers = answers
        self._asking: list[HTTPConnection] = []
        self._thread = threading.Thread(target=self.server.run, daemon=True)
        self._thread.start()

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("Content-Type", "text/plain")])
        return self._answers()

    def get(self) -> HTTPResponse:
        """The answer as soon as it has begun."""
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=WAITS)
        self._asking.append(connection)
        connection.request("GET", "/")
        return connection.getresponse()

    def end(self) -> None:
        """Nothing of it is left."""
        if self._thread.is_alive():
            self.server.stop()
        self._thread.join(WAITS)
        assert not self._thread.is_alive()
        self.server.close()
        for connection in self._asking:
            connection.close()


@pytest.fixture
def run() -> Iterator[Callable[[Answers], Running]]:
    """Starts servers, and ends those that still run."""
    running: list[Running] = []

    def start(answers: Answers) -> Running:
        running.append(Running(answers))
        return running[-1]

    yield start
    for each in running:
        each.end()


def test_the_server_answers_until_it_is_stopped_and_frees_its_port(run: Callable[[Answers], Running]) -> None:
    """It answers until it is stopped; then its port is free."""
    running = run(lambda: [b"Hello."])
    assert running.get().read() == b"Hello."
    assert running.server.queued() == 0
    port = running.server.port
    running.end()
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_a_long_answer_is_sent_while_it_is_made(run: Callable[[Answers], Running]) -> None:
    """An export is not collected in memory first."""
    seen = threading.Event()

    def answers() -> Iterator[bytes]:
        yield b"a" * SENT_BY_THE_LOOP
        assert seen.wait(WAITS)
        yield b"end"

    answer = run(answers).get()
    assert answer.read(1000) == b"a" * 1000
    seen.set()
    assert answer.read() == b"a" * (SENT_BY_THE_LOOP - 1000) + b"end"


@pytest.mark.parametrize("size", [10, 20 * SENT_BY_THE_LOOP])
def test_what_is_answered_after_the_stop_is_sent_whole(run: Callable[[Answers], Running], size: int) -> None:
    """Also when it is more than the system takes at once."""
    asked, stopped = threading.Event(), threading.Event()

    def answers() -> Iterator[bytes]:
        asked.set()
        assert stopped.wait(WAITS)
        yield b"a" * size

    running, read = run(answers), []
    reading = threading.Thread(target=lambda: read.append(running.get().read()))
    reading.start()
    assert asked.wait(WAITS)
    running.server.stop()
    stopped.set()
    reading.join(WAITS)
    assert read == [b"a" * size]


def test_one_that_takes_long_stops_nobody(run: Callable[[Answers], Running]) -> None:
    """Its turn is over after a moment, and the next request is answered beside it."""
    begun, ended = threading.Event(), threading.Event()

    def answers() -> Iterable[bytes]:
        if not begun.is_set():
            begun.set()
            assert ended.wait(WAITS)
            return [b"long"]
        return [b"short"]

    running, read = run(answers), []
    reading = threading.Thread(target=lambda: read.append(running.get().read()))
    reading.start()
    assert begun.wait(WAITS)
    assert running.get().read() == b"short"
    assert read == []
    ended.set()
    reading.join(WAITS)
    assert read == [b"long"]


class Task:
    """A request without a connection."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def service(self) -> None:
        """It is done when it may end."""
        self.begun.set()
        assert self.may_end.wait(WAITS)


def test_threads_take_turns() -> None:
    """The next request begins when the one before has ended or had its time."""
    threads, (first, second, third) = Threads(2, at_once=1), (Task(), Task(), Task())
    threads.start()
    for task in (first, second, third):
        threads.add_task(task)
    assert not first.begun.wait(10 * PATIENCE)  # not before all that came was read
    threads.rest()
    assert first.begun.wait(WAITS)
    assert threads.waited_for()
    assert not second.begun.wait(10 * PATIENCE)
    threads.pass_on()
    assert second.begun.wait(WAITS)
    first.may_end.set()
    assert not third.begun.wait(10 * PATIENCE)
    second.may_end.set()
    assert third.begun.wait(WAITS)
    assert not threads.waited_for()
    third.may_end.set()
    threads.shutdown()


def test_the_loop_rests_while_all_work() -> None:
    """As long as none is free, and not when one has been late for a while."""
    threads, task = Threads(1, at_once=1, patience=WAITS), Task()
    threads.start()
    threads.rest()
    threads.add_task(task)
    resting = threading.Thread(target=threads.rest)
    resting.start()
    assert task.begun.wait(WAITS)
    resting.join(10 * PATIENCE)
    assert resting.is_alive()
    task.may_end.set()
    resting.join(WAITS)
    assert not resting.is_alive()
    threads.shutdown()


def test_the_loop_waits_for_nobody_who_is_late() -> None:
    """It would be no quicker, and others wait to be read."""
    threads, task = Threads(1, at_once=1, patience=0), Task()
    threads.start()
    threads.add_task(task)
    threads.rest()
    assert task.begun.wait(WAITS)
    threads.rest()
    task.may_end.set()
    threads.shutdown()


def test_requests_that_are_stuck_are_waited_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for each in turn, so that the end does not take the longer the more there are."""
    threads, tasks, waits = Threads(4, at_once=4), [Task() for _ in range(4)], []
    join = threading.Thread.join

    def noted(thread: threading.Thread, timeout: float) -> None:
        waits.append(timeout)
        join(thread, timeout)

    threads.start()
    for task in tasks:
        threads.add_task(task)
    threads.rest()
    assert all(task.begun.wait(WAITS) for task in tasks)
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "join", noted)
        threads.shutdown(within=0.1)
    for task in tasks:
        task.may_end.set()
    assert len(waits) == 4
    assert sum(waits) < 0.2


def test_an_address_that_is_taken_is_an_error_of_the_system() -> None:
    """Whoever starts it says so in their own words; nothing of it is left."""
    before = set(threading.enumerate())
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError):
        WebServer(lambda *_: [], "127.0.0.1", taken.getsockname()[1], threads=2, at_once=1)
    assert set(threading.enumerate()) <= before
