"""The web server: waitress, with threads that take turns, and a loop that sends what they have answered."""

import logging
import socket
import threading
import time
from collections import deque
from typing import Any

import waitress
from waitress import wasyncore
from waitress.channel import HTTPChannel

IDLE_CONNECTIONS = 2000  # the default of 100 stalls when a hundred browsers keep their connection open
SENT_BY_THE_LOOP = 2**16  # bytes; a longer answer is sent by the thread that makes it
LAST_TASKS = 5.0  # seconds for all that is being done at the end
LAST_ANSWERS = 5  # seconds for what is answered at the end to reach slow readers
PATIENCE = 0.005  # seconds that a request may keep its turn while others wait: ten times what a small read takes

logger = logging.getLogger(__name__)


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection whose short answers are sent by the loop, once they are whole.

    As waitress has it, a thread sends what it writes while the loop finds the same socket writable again and again:
    both hand the interpreter's lock to each other a hundred times a request, which halves the requests a second.
    """

    def writable(self) -> bool:
        """There is something that `handle_write` would do now."""
        waiting = self.total_outbufs_len and (not self.requests or self.total_outbufs_len >= SENT_BY_THE_LOOP)
        return bool(waiting or self.will_close or self.close_when_flushed)


class Threads:
    """Threads of which so many work `at_once`; one that takes longer than `patience` loses its turn, and goes on.

    Every step of SQLite gives the interpreter's lock away. Where several threads want it, each hand-over costs more
    than the step; where one works, it has the lock back at once. So whoever is done takes the next request, and of
    those that sleep the last one is woken, which has everything at hand.
    """

    def __init__(self, threads: int, at_once: int, patience: float = PATIENCE) -> None:
        self.queue: deque[Any] = deque()
        self._at_once, self._patience = at_once, patience
        self._ended = False
        self._lock = threading.Lock()
        self._asleep: list[threading.Condition] = []
        self._free = threading.Condition(self._lock)  # somebody is
        self._since: dict[threading.Condition, float] = {}  # whose turn it is
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]

    def start(self) -> None:
        """They work, until `shutdown`."""
        for each in self._threads:
            each.start()

    def add_task(self, task: Any) -> None:
        """It is begun when whoever works is done, or by `rest`."""
        self.queue.append(task)

    def waited_for(self) -> bool:
        """Some request waits for a turn that somebody has."""
        return bool(self.queue and self._since)

    def rest(self) -> None:
        """What waits is begun; and then somebody is free, or has worked on a request for longer than `patience`.

        What comes and what is answered meanwhile is read and sent together, by a loop that hindered nobody.
        """
        with self._lock:
            self._wake()
            if len(self._since) >= self._at_once:
                self._free.wait(max(0.0, min(self._since.values()) + self._patience - time.monotonic()))

    def pass_on(self) -> None:
        """Whoever had a turn for longer than `patience` has it no more."""
        late = time.monotonic() - self._patience
        with self._lock:
            for each in [each for each, since in self._since.items() if since < late]:
                del self._since[each]
            self._wake()

    def shutdown(self, within: float = LAST_TASKS) -> None:
        """What is being done is finished, or so many seconds have passed; what waits is not begun."""
        with self._lock:
            self._ended = True
            for each in self._asleep:
                each.notify()
        until = time.monotonic() + within
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        while self.queue:
            self.queue.popleft().cancel()

    def _wake(self) -> None:
        for _ in range(min(len(self.queue), len(self._asleep), self._at_once - len(self._since))):
            awake = self._asleep.pop()
            self._since[awake] = time.monotonic()
            awake.notify()

    def _work(self) -> None:
        awake = threading.Condition(self._lock)
        while task := self._next(awake):
            try:
                task.service()
            except BaseException:
                logger.exception("A request ended in an error.")

    def _next(self, awake: threading.Condition) -> Any:
        """The next request, when it is this thread's turn; None at the end."""
        with self._lock:
            while not self._ended:
                if self.queue and (awake in self._since or len(self._since) < self._at_once):
                    self._since[awake] = time.monotonic()
                    return self.queue.popleft()
                self._since.pop(awake, None)
                self._asleep.append(awake)
                self._free.notify()
                awake.wait()
            return None


class WebServer:
    """Answers on its address with a WSGI application, from `run` until `stop`; an OSError says why it cannot."""

    def __init__(self, app: Any, host: str, port: int, threads: int, *, at_once: int, **more: Any) -> None:
        self._sockets: dict[int, Any] = {}
        self._ended = False
        self._threads = Threads(threads, at_once)
        try:
            waitress.create_server(
                app,
                self._sockets,
                _dispatcher=self._threads,
                host=host,
                port=port,
                connection_limit=IDLE_CONNECTIONS,
                ident=None,
                **more,
            )
        except ValueError:  # all that waitress says of a host that has no address
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
        except OSError:
            self.close()
            raise
        # One for each address that the host's name has.
        self._listening = [each for each in self._sockets.values() if each.accepting]
        for each in self._listening:
            each.channel_class, each.adj.send_bytes = Channel, SENT_BY_THE_LOOP

    @property
    def port(self) -> int:
        """Where it listens; of interest when it was asked for any that is free."""
        return int(self._listening[0].effective_port)

    def queued(self) -> int:
        """How many requests wait for a thread."""
        return len(self._threads.queue)

    def run(self) -> None:
        """It answers until `stop`; then what is being answered is finished and sent."""
        self._threads.start()
        while not self._ended:
            self._threads.rest()
            wasyncore.poll2(PATIENCE if self._threads.waited_for() else 1.0, self._sockets)
            if self._threads.waited_for():
                self._threads.pass_on()
        self._threads.shutdown()
        until = time.monotonic() + LAST_ANSWERS
        while self._unsent() and time.monotonic() < until:
            wasyncore.poll2(0.1, self._sockets)

    def stop(self) -> None:
        """`run` ends. A signal's handler and any thread may call it."""
        self._ended = True
        self._listening[0].pull_trigger()

    def close(self) -> None:
        """Nothing is connected any more, and the port is free. Not while it runs."""
        wasyncore.close_all(self._sockets)

    def _unsent(self) -> bool:
        return any(getattr(each, "total_outbufs_len", 0) for each in self._sockets.values())
