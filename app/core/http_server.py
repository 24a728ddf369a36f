"""The web server: waitress, which reads whole requests and buffers answers, so that slow clients hold up no thread."""

import heapq
import resource
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import waitress
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.task import Task, ThreadedTaskDispatcher

MOST_CONNECTIONS = 2000  # hundreds of browsers keep theirs open
MOST_FILES = 8192  # many systems give a process 1,024, which connections alone would use up
TO_SEND = 20  # seconds for a whole request to arrive …
LEAST_SPEED = 5_000  # … and one more for so many bytes of it that came
KEPT_THREADS = 2
MOST_WAITING = 50  # requests for a thread, where there is an answer for more: pages are served within about a second
ACCEPTED_AT_ONCE = 50  # connections
LAST_ANSWERS = 5  # seconds for what is answered at the end to reach slow readers

# Makes the answer to a request for which there is no room, of its method, path and headers as in WSGI without HTTP_.
# It is asked in the thread that reads all requests, so it must be quick.
Refuse = Callable[[str, str, Mapping[str, str]], tuple[list[tuple[str, str]], bytes]]


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """Refuses what a proxy in front may understand differently: where a body ends, and which host is meant."""

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if "TRANSFER_ENCODING" in self.headers or (self.chunked and "CONTENT_LENGTH" in self.headers):
            raise ParsingError("Transfer-Encoding must stand alone, in HTTP/1.1")
        host = self.headers.get("HOST")
        if (host is None and self.version == "1.1") or "," in (host or ""):
            raise ParsingError("Send one Host header")


class Refusal(Task):  # type: ignore[misc]
    """Says that there is no room for the request."""

    status = "503 Service Unavailable"

    def execute(self) -> None:
        request = self.request
        headers, body = self.channel.refuse(request.command, request.path, request.headers)
        self.response_headers, self.content_length, self.wrote_header = [*headers], len(body), True
        # In one piece: after each call of the system this thread waits for the others, who are all busy.
        self.channel.write_soon(self.build_response_header() + (b"" if request.command == "HEAD" else body))


class Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. A request has to arrive in time; at most so many connections stay open."""

    parser_class = Parser

    def __init__(self, server: Any, *rest: Any, most: int, refuse: Refuse | None, **more: Any) -> None:
        self.refuse, self.refused = refuse, False  # whether its next request is
        self.waits_since = time.monotonic()  # for a whole request
        if len(server.active_channels) >= most:
            idle = [each for each in server.active_channels.values() if not (each.requests or each.total_outbufs_len)]
            for each in heapq.nsmallest(1 + most // 20, idle, key=lambda each: each.waits_since):
                each.will_close = True
        super().__init__(server, *rest, **more)

    def received(self, data: bytes) -> Any:
        """Take what has come, and begin to count with the first byte of a request."""
        before = self.request
        taken = super().received(data)
        if self.request is not before or before is None:
            self.waits_since = time.monotonic()
        self._refuse_next()
        return taken

    def service(self) -> None:
        """Answer a request in a thread of the lanes."""
        super().service()
        self._refuse_next()

    def _refuse_next(self) -> None:
        """Answer at once what the lanes had no room for: a thread would cost more than the answer."""
        while self.refused:
            self.refused, self.task_class = False, Refusal
            try:
                super().service()
            finally:
                del self.task_class  # that of the class holds again

    def readable(self) -> Any:
        """Return whether to read on; asked every second at least."""
        request = self.request
        if request is not None:
            came = request.header_bytes_received + request.body_bytes_received
            if time.monotonic() > self.waits_since + TO_SEND + came / LEAST_SPEED:
                self.will_close = True
        return super().readable()


class Lanes:
    """Hands requests to threads; for paths that begin with one of `kept`, some are never busy with others.

    Others are refused while too many wait, unless their paths begin with one of `patient`.
    """

    def __init__(self, usual: ThreadedTaskDispatcher, kept: Sequence[str], patient: Sequence[str]) -> None:
        self.usual, self._kept_paths, self._patient = usual, tuple(kept), tuple(patient)
        self._kept = ThreadedTaskDispatcher()
        self._kept.set_thread_count(KEPT_THREADS if kept else 0)
        self._ended = False

    def add_task(self, channel: Any) -> None:
        """Queue a connection whose first request is whole, or let it be refused."""
        request = channel.requests[0]
        if request.error is not None:
            self.usual.add_task(channel)
        elif self._kept_paths and request.path.startswith(self._kept_paths):
            self._kept.add_task(channel)
        elif channel.refuse and len(self.usual.queue) >= MOST_WAITING and not request.path.startswith(self._patient):
            channel.refused = True
        else:
            self.usual.add_task(channel)

    def resize(self, threads: int) -> None:
        """Have so many threads for what has none of its own."""
        if not self._ended:
            self.usual.set_thread_count(threads)

    def shutdown(self) -> None:
        """Finish the requests that are being answered."""
        self._ended = True
        self.usual.shutdown()
        self._kept.shutdown()


class WebServer:
    """Answers on its address with a WSGI application; an OSError says why it cannot.

    Paths that begin with one of `kept` have threads of their own. While too many others wait, `refuse` answers new
    ones, unless their paths begin with one of `patient`.
    """

    def __init__(
        self,
        app: Any,
        host: str,
        port: int,
        threads: int,
        *,
        kept: Sequence[str] = (),
        patient: Sequence[str] = (),
        refuse: Refuse | None = None,
        **more: Any,
    ) -> None:
        self._connections: dict[int, Any] = {}
        most = min(MOST_CONNECTIONS, _allow_files() // 2)
        try:
            self._server = waitress.create_server(
                app,
                self._connections,
                host=host,
                port=port,
                threads=threads,
                connection_limit=most * 2,  # beyond it no connection is taken; before that the oldest is closed
                asyncore_use_poll=True,
                ident=None,
                **more,
            )
        except ValueError:  # all that waitress says of a host that has no address
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
        except OSError:
            self.close()
            raise
        self._threads = threads
        self._lanes = Lanes(self._server.task_dispatcher, kept, patient)

        def channel(*given: Any, **named: Any) -> Channel:
            return Channel(*given, most=most, refuse=refuse, **named)

        for each in (self._server, *self._connections.values()):  # several where the host has several addresses
            if hasattr(each, "task_dispatcher"):
                each.task_dispatcher, each.channel_class = self._lanes, channel
                each.handle_accept = partial(_accept_waiting, each, each.handle_accept, most)

    def queued(self) -> int:
        """Return how many requests wait for a thread."""
        return len(self._lanes.usual.queue)

    def replace(self, waiting: int) -> None:
        """Run one more thread for each that waits for the outside."""
        self._lanes.resize(self._threads + waiting)

    def run(self) -> None:
        """Answer until SystemExit is raised; then finish the requests that are being answered, and send the answers."""
        self._server.run()
        until = time.monotonic() + LAST_ANSWERS
        while self._unsent() and time.monotonic() < until:
            wasyncore.loop(timeout=0.1, use_poll=True, map=self._connections, count=1)

    def close(self) -> None:
        """Free the port, and close every connection."""
        wasyncore.close_all(self._connections)

    def _unsent(self) -> bool:
        return any(getattr(each, "total_outbufs_len", 0) for each in self._connections.values())


def _accept_waiting(server: Any, accept_one: Callable[[], None], most: int) -> None:
    """Take the connections that wait: one for each look at all others would take long when those are busy.

    Where each closes another, that one is looked at first: what it sent may have arrived.
    """
    for _ in range(ACCEPTED_AT_ONCE):
        before = len(server.active_channels)
        accept_one()
        if not before < len(server.active_channels) < most:
            return


def _allow_files() -> int:
    """Return how many files the process may open, after asking for enough."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return MOST_FILES if soft == resource.RLIM_INFINITY else soft
