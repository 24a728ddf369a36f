"""The one HTTP client: addresses vetted and pinned, no proxies, no redirects, caps on time and size."""

import http.client
import io
import select
import socket
import ssl
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult

from flask import has_app_context

from app.core import clock
from app.core.db import end_read
from app.ports import Answer, Refused, Unreachable
from app.providers import addresses

WHOLE_CALL, CONNECT, LOOK_UP = 15.0, 5.0, 3.0  # seconds
MOST_RECEIVED, MOST_KEPT, MOST_HEAD = 64 * 1024, 4 * 1024, 64 * 1024  # bytes
MOST_ADDRESSES, MOST_IDLE = 4, 256
IDLE, LONGEST_LIFE = 20.0, 120.0  # seconds; names move, so that no connection is kept for long
USER_AGENT = "Overture/1"


class TooMuch(OSError):
    """The answer is larger than any honest one."""


class Wire(io.RawIOBase):
    """Reads a socket until a deadline, however slowly it drips, and only so many bytes."""

    def __init__(self, connected: socket.socket, deadline: float, most: int = MOST_RECEIVED) -> None:
        self._socket, self._deadline, self._left = connected, deadline, MOST_HEAD + most

    def makefile(self, mode: str) -> io.BufferedReader:
        """What HTTPResponse asks of a socket."""
        return io.BufferedReader(self, 16 * 1024)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """The number of bytes received; 0 at the end."""
        if self._left <= 0:
            raise TooMuch
        self._socket.settimeout(remaining(self._deadline))
        count = self._socket.recv_into(buffer)
        self._left -= count
        return count


class Connection:
    """An open connection to a vetted address; closed when nobody knows it any more."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket, self.born, self.idle_since = connected, time.monotonic(), 0.0

    def __del__(self) -> None:
        self.socket.close()

    def usable(self) -> bool:
        """Whether it is young and the other side has neither closed it nor said something unasked."""
        at = time.monotonic()
        if at - self.idle_since > IDLE or at - self.born > LONGEST_LIFE:
            return False
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return not poll.poll(0)


class Pool:
    """Connections that lie idle, by origin. A few hundred at most; the origin used longest ago loses first."""

    def __init__(self) -> None:
        self._idle: OrderedDict[tuple[str, str, int], list[Connection]] = OrderedDict()
        self._count, self._lock = 0, threading.Lock()

    def take(self, parts: SplitResult) -> Connection | None:
        """A usable connection to that origin, the one used last; None when there is none."""
        while True:
            with self._lock:
                several = self._idle.get(_origin(parts))
                if not several:
                    return None
                connection, self._count = several.pop(), self._count - 1
            if connection.usable():
                return connection
            connection.socket.close()

    def keep(self, parts: SplitResult, connection: Connection) -> None:
        """The connection waits for its next use."""
        connection.idle_since = time.monotonic()
        with self._lock:
            self._idle.setdefault(_origin(parts), []).append(connection)
            self._idle.move_to_end(_origin(parts))
            self._count += 1
            while self._count > MOST_IDLE:
                oldest = next(iter(self._idle))
                if self._idle[oldest]:
                    self._idle[oldest].pop(0).socket.close()
                    self._count -= 1
                if not self._idle[oldest]:
                    del self._idle[oldest]

    def empty(self) -> None:
        """Nothing lies idle any more."""
        with self._lock:
            for several in self._idle.values():
                for connection in several:
                    connection.socket.close()
            self._idle.clear()
            self._count = 0


Found = list[tuple[socket.AddressFamily, Any]]


class HttpCourier:
    """Carries webhooks. Private networks and plain http only with `allow_private`."""

    def __init__(
        self,
        allow_private: bool = False,
        *,
        whole_call: float = WHOLE_CALL,
        connect: float = CONNECT,
        resolve: Callable[[str, int], Found] | None = None,
    ) -> None:
        self.allow_private, self.whole_call, self.connect = allow_private, whole_call, connect
        self._resolve, self._pool = resolve or look_up, Pool()

    def objection(self, url: str) -> str:
        """See Courier."""
        try:
            addresses.split(url, self.allow_private)
        except Refused as refusal:
            return refusal.sentence
        return ""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """See Courier."""
        step_out()
        parts = addresses.split(url, self.allow_private)
        begun = time.monotonic()
        with plainly(self.whole_call):
            return self._post(parts, request_bytes("POST", parts, headers, body), begun)

    def _post(self, parts: SplitResult, request: bytes, begun: float) -> Answer:
        deadline, kept = begun + self.whole_call, self._pool.take(parts)
        if kept:
            with suppress(ConnectionError):  # closed while it lay idle: a fresh one tells more
                return self._exchange(parts, kept, request, begun)
        return self._exchange(parts, Connection(self._dial(parts, deadline)), request, begun)

    def _exchange(self, parts: SplitResult, connection: Connection, request: bytes, begun: float) -> Answer:
        keep, deadline = False, begun + self.whole_call
        try:
            connection.socket.settimeout(remaining(deadline))
            connection.socket.sendall(request)
            answer = http.client.HTTPResponse(Wire(connection.socket, deadline), method="POST")  # type: ignore[arg-type]
            answer.begin()
            received = answer.read(MOST_RECEIVED)
            keep = answer.isclosed() and not answer.will_close
            took = int((time.monotonic() - begun) * 1000)
            head = received[:MOST_KEPT].decode(errors="replace").replace("\0", "�")
            return Answer(answer.status, head, took, seconds(answer.getheader("retry-after")))
        finally:
            if keep:
                self._pool.keep(parts, connection)
            else:
                connection.socket.close()

    def _dial(self, parts: SplitResult, deadline: float) -> socket.socket:
        """A connection to the first address that answers. The name is looked up once; every address must be allowed."""
        host, port = _host(parts), _port(parts)
        found = self._resolve(host, port)
        if not all(addresses.allowed(str(address[0]), self.allow_private) for _, address in found):
            raise Refused("The host leads to an address that is not on the public internet.")
        until = min(time.monotonic() + self.connect, deadline)
        problem: Exception = Unreachable("The host name has no address.")
        for family, address in found[:MOST_ADDRESSES]:
            connected = socket.socket(family, socket.SOCK_STREAM)
            try:
                connected.settimeout(remaining(until))
                connected.connect(address)
                connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if not addresses.allowed(str(connected.getpeername()[0]), self.allow_private):
                    raise Refused("The host leads to an address that is not on the public internet.")
                return self._secure(connected, host, until) if parts.scheme == "https" else connected
            except TimeoutError:
                connected.close()
                problem = Unreachable(f"No connection within {self.connect:g} seconds.")
            except OSError as failure:
                connected.close()
                problem = failure.with_traceback(None)  # else it would keep this frame, and all in it, alive
            except Refused:
                connected.close()
                raise
        try:
            raise problem
        finally:
            del problem  # what is raised holds this frame, and so must not be held by it

    def _secure(self, connected: socket.socket, host: str, until: float) -> ssl.SSLSocket:
        connected.settimeout(remaining(until))
        return self._tls.wrap_socket(connected, server_hostname=host)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()


def step_out() -> None:
    """No connection to the database is held while we wait for somebody."""
    if has_app_context():
        end_read()


@contextmanager
def plainly(whole_call: float) -> Iterator[None]:
    """Whatever goes wrong on the way is Unreachable, with a sentence."""
    try:
        yield
    except TimeoutError:
        raise Unreachable(f"No whole answer within {whole_call:g} seconds.") from None
    except TooMuch:
        raise Unreachable("The answer was too large.") from None
    except http.client.RemoteDisconnected:
        raise Unreachable("The connection was closed without an answer.") from None
    except http.client.HTTPException as problem:
        raise Unreachable(f"The answer was not HTTP ({type(problem).__name__}).") from None
    except ssl.SSLCertVerificationError as problem:
        raise Unreachable(f"The certificate is not valid: {problem.verify_message}.") from None
    except ssl.SSLError as problem:
        raise Unreachable(f"The encrypted connection failed ({problem.reason}).") from None
    except OSError as problem:
        raise Unreachable(f"The connection failed ({problem.strerror or type(problem).__name__}).") from None


def remaining(deadline: float) -> float:
    """The seconds until the deadline; TimeoutError when it has passed."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def look_up(host: str, port: int) -> Found:
    """Every address of a host, asked once, in a few seconds or not at all."""
    found: Found = []
    problems: list[OSError | UnicodeError] = []

    def ask() -> None:
        try:
            for family, _, _, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                found.append((family, address))
        except (OSError, UnicodeError) as problem:
            problems.append(problem)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(LOOK_UP)
    if asking.is_alive():
        raise Unreachable(f"The host name was not resolved within {LOOK_UP:.0f} seconds.")
    if problems or not found:
        raise Unreachable("The host name does not exist.")
    return found


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    return parts.scheme, _host(parts), _port(parts)


def _host(parts: SplitResult) -> str:
    return (parts.hostname or "").rstrip(".")


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == "https" else 80)


def request_bytes(method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes) -> bytes:
    """A request as it goes over the wire; ValueError when a header would break it in two."""
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    sent = {
        "host": parts.netloc,
        "user-agent": USER_AGENT,
        "accept": "*/*",
        "accept-encoding": "identity",
        **headers,
        "content-length": str(len(body)),
    }
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("A header must be one line.")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def seconds(text: str | None) -> int | None:
    """A Retry-After in seconds; its other form, a date, is turned into seconds from now."""
    if not text:
        return None
    if text.isascii() and text.strip().isdigit():
        return min(int(text.strip()[:9]), 10**6)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, int((parsedate_to_datetime(text) - clock.now()).total_seconds()))
    return None
