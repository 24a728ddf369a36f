"""Calls that need the whole answer: the one HTTP client with caps that the caller chooses."""

import http.client
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import SplitResult

from app.ports import Unknown
from app.providers import addresses
from app.providers.http import Connection, Found, HttpCourier, Wire, plainly, remaining, request_bytes, step_out


@dataclass(frozen=True)
class Fetched:
    """An answer: its status, its headers by lower-case name, and as much of its body as was wanted."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool  # whether nothing of the body was left out


class HttpClient(HttpCourier):
    """Gets and posts. `plain` lets http through; redirects are answers like any other."""

    def __init__(
        self,
        allow_private: bool = False,
        *,
        plain: bool = False,
        any_port: bool = False,
        resolve: Callable[[str, int], Found] | None = None,
    ) -> None:
        super().__init__(allow_private, resolve=resolve)
        self._plain, self._any_port = plain, any_port

    def call(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes = b"",
        *,
        most: int,
        within: float,
        once: bool = False,
    ) -> Fetched:
        """The answer, at most `most` bytes of it, in `within` seconds. Refused or Unreachable with a sentence.

        `once`: what is asked for must not happen twice. An answer that is lost after the request left is Unknown.
        """
        step_out()
        parts = addresses.split(url, self.allow_private, plain=self._plain, any_port=self._any_port)
        deadline = time.monotonic() + within
        request = request_bytes(method, parts, headers, body)
        with plainly(within):
            if once:  # on a connection of its own: of a kept one nobody could say whether it was still open
                connection = Connection(self._dial(parts, deadline))
                with _perhaps_done():
                    return self._fetch(parts, connection, method, request, most, deadline)
            kept = self._pool.take(parts)
            if kept:
                with suppress(ConnectionError):  # closed while it lay idle
                    return self._fetch(parts, kept, method, request, most, deadline)
            return self._fetch(parts, Connection(self._dial(parts, deadline)), method, request, most, deadline)

    def rest(self) -> None:
        """No connection is kept: whoever was asked is not asked again soon."""
        self._pool.empty()

    def _fetch(
        self, parts: SplitResult, connection: Connection, method: str, request: bytes, most: int, deadline: float
    ) -> Fetched:
        keep = False
        try:
            connection.socket.settimeout(remaining(deadline))
            connection.socket.sendall(request)
            wire = Wire(connection.socket, deadline, most)
            answer = http.client.HTTPResponse(wire, method=method)  # type: ignore[arg-type]
            answer.begin()
            received = answer.read(most)
            keep = answer.isclosed() and not answer.will_close
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Fetched(answer.status, headers, received, answer.isclosed() or len(received) < most)
        finally:
            if keep:
                self._pool.keep(parts, connection)
            else:
                connection.socket.close()


@contextmanager
def _perhaps_done() -> Iterator[None]:
    """The request may have arrived, whatever went wrong afterwards."""
    try:
        yield
    except (OSError, http.client.HTTPException):
        raise Unknown("The connection was lost before the answer came.") from None
