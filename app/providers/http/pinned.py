"""urllib3 connections that are pinned: each goes to an address that was checked, and to no other.

With a proxy, the address that is pinned is the proxy's: the proxy looks up the host, so the check of that is its own.

A host name is looked up once for each new connection, every address found must be allowed, and what is dialled is the
address, so that no second look-up can lead elsewhere. The name stays what TLS verifies and what the Host header says.

Failures are raised as errors that neither urllib3 nor requests knows, so that they arrive as they were raised:
Refused and Unreachable while nothing has been sent, NoAnswer afterwards.
"""

import http.client
import re
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, partial
from typing import Any
from urllib.parse import unquote, urlsplit

from urllib3 import BaseHTTPResponse, HTTPConnectionPool, HTTPSConnectionPool, PoolManager, ProxyManager, make_headers
from urllib3 import exceptions as failures
from urllib3.connection import HTTPConnection, HTTPSConnection

from app.ports import Unreachable
from app.providers import addresses
from app.providers.addresses import Place, Resolve
from app.providers.egress import STRAIGHT, Egress
from app.providers.outbound import remaining

CONNECT = 5.0  # seconds
MOST_ADDRESSES, MOST_HOSTS, MOST_IDLE = 4, 64, 64  # tried for one host; with idle connections; idle for one host
LIFE = 60.0  # seconds; names move, and idle connections must not pile up
_LAST_CHECK: ContextVar[Callable[[], object]] = ContextVar("last_check", default=lambda: None)
_PROXY_STATUS = re.compile(r"Tunnel connection failed: (\d{3})")


class NoAnswer(Exception):
    """The connection failed when it was open already: what was sent may have arrived."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class TooSlow(NoAnswer):
    """The time for the call is over."""


class StaleConnection(NoAnswer):
    """A connection that had carried a call before was closed by the other side: worth another try on a new one."""


@contextmanager
def checked_last(check: Callable[[], object]) -> Iterator[None]:
    """Call `check` when a new connection stands, right before the request leaves; what it raises keeps it here.

    A process may have been suspended while it connected, and someone else may have done the same since.
    """
    token = _LAST_CHECK.set(check)
    try:
        yield
    finally:
        _LAST_CHECK.reset(token)


class PinnedPools(PoolManager):
    """Keep-alive pools by host. All are let go together every `life` seconds."""

    def __init__(
        self,
        allow_private: bool,
        resolve: Resolve,
        *,
        life: float = LIFE,
        egress: Egress = STRAIGHT,
        **options: Any,
    ) -> None:
        super().__init__(num_pools=MOST_HOSTS, maxsize=MOST_IDLE, retries=False, **options)
        rules: dict[str, Any] = {"resolve": partial(addresses.places, allow_private=allow_private, resolve=resolve)}
        self.pool_classes_by_scheme = {
            "http": partial(PinnedPool, **rules),  # type: ignore[dict-item]
            "https": partial(PinnedTlsPool, **rules),  # type: ignore[dict-item]
        }
        self._egress, self._life, self._begun = egress, life, time.monotonic()

    def connection_from_host(
        self,
        host: str | None,
        port: int | None = None,
        scheme: str | None = "http",
        pool_kwargs: dict[str, Any] | None = None,
    ) -> HTTPConnectionPool:
        """Return the pool of that host; calls under way keep theirs when pools are dropped."""
        if time.monotonic() - self._begun > self._life:
            self._begun = time.monotonic()
            self.clear()
        if scheme == "https":
            pool_kwargs = {**(pool_kwargs or {}), "ssl_context": self._tls}
        return super().connection_from_host(host, port, scheme, pool_kwargs)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = self._egress.tls()
        context.sslsocket_class = DeadlineTlsSocket
        return context


class ProxiedPools(PinnedPools, ProxyManager):
    """The same through the operator's proxy, which may be in a private network: http forwarded, https in a tunnel."""

    def __init__(self, proxy: str, resolve: Resolve, *, egress: Egress) -> None:
        parts = urlsplit(proxy)
        login = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}" if parts.username else None
        headers = make_headers(proxy_basic_auth=login)
        super().__init__(True, resolve, egress=egress, proxy_url=proxy, proxy_headers=headers)


class DeadlineSocket(socket.socket):
    """A socket whose timeout covers everything until the next one is set, however slowly the bytes drip."""

    _until: float | None = None
    _touched = False

    def settimeout(self, value: float | None, /) -> None:
        """Restart the deadline."""
        self._until, self._touched = None if value is None else time.monotonic() + value, False
        super().settimeout(value)

    def recv_into(self, *arguments: Any) -> int:
        """Receive within the remaining time."""
        self._keep_deadline()
        return super().recv_into(*arguments)

    def send(self, *arguments: Any) -> int:
        """Send in what is left of the time."""
        self._keep_deadline()
        return super().send(*arguments)

    def _keep_deadline(self) -> None:
        if self._touched and self._until is not None:  # the first use has the whole time
            super().settimeout(remaining(self._until))
        self._touched = True


class DeadlineTlsSocket(DeadlineSocket, ssl.SSLSocket):
    """The same, encrypted."""


class PinnedConnection(HTTPConnection):
    """A connection to one of the places that `resolve` gives for its host."""

    def __init__(self, *arguments: Any, resolve: Callable[[str, int], list[Place]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._resolve, self._used = resolve, False

    def connect(self) -> None:
        """Connect to the first address that answers; Refused or Unreachable, in a sentence, when none does."""
        name, port, allowed = self.host, self.port, self.timeout or CONNECT
        until, problem = time.monotonic() + allowed, ""
        tunneled = self.proxy_is_tunneling
        try:
            for place in self._resolve(name, port)[:MOST_ADDRESSES]:
                try:
                    (self.host, self.port), self.timeout = place, remaining(until)
                    super().connect()
                    self._used = False
                    self._guard(until)
                    _LAST_CHECK.get()()
                    return
                except failures.NewConnectionError as failure:
                    problem = _said_of(failure.__cause__ or failure)
                except (TimeoutError, failures.ConnectTimeoutError):
                    problem = f"No connection within {round(allowed, 1):g} seconds."
                except (OSError, http.client.HTTPException) as failure:
                    if tunneled:  # the proxy was reached, and its other addresses are the same proxy
                        raise Unreachable(_said_by_proxy(failure)) from None
                    problem = _said_of(failure)
        finally:
            self.host, self.port = name, port
        raise Unreachable(problem)

    def _guard(self, until: float) -> None:
        if not isinstance(self.sock, DeadlineSocket):
            self.sock = DeadlineSocket(fileno=self.sock.detach())
        self.sock.settimeout(remaining(until))

    def request(self, *arguments: Any, **options: Any) -> None:
        """Send the request."""
        with as_no_answer():
            try:
                super().request(*arguments, **options)
            except (BrokenPipeError, ConnectionResetError):
                return  # an answer, such as 413, may be waiting all the same

    def getresponse(self) -> Any:
        """Wait for the head of the answer."""
        used, self._used = self._used, True
        with as_no_answer():
            try:
                return super().getresponse()
            except ConnectionError as failure:
                if used:
                    raise StaleConnection(_said_of(failure)) from None
                raise


class PinnedTlsConnection(PinnedConnection, HTTPSConnection):
    """The same, encrypted; the certificate must be the host's, not the address's."""

    def connect(self) -> None:
        if not self.proxy_is_tunneling:  # else the name is the one at the end of the tunnel
            self.server_hostname = self.host
        super().connect()


class PinnedPool(HTTPConnectionPool):
    """Connections to one host."""

    ConnectionCls = PinnedConnection


class PinnedTlsPool(HTTPSConnectionPool):
    """Encrypted connections to one host."""

    ConnectionCls = PinnedTlsConnection


def read_body(response: BaseHTTPResponse, most: int, *, unpack: bool) -> bytes:
    """Return at most `most` bytes of the body, never holding more; raise NoAnswer when the connection breaks.

    The connection is reused only after a complete answer.
    """
    try:
        with as_no_answer():
            return response.read(most, decode_content=unpack)
    finally:
        response.close() if not response.closed else response.release_conn()


def header_lines(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers; raise ValueError, without the secret value, when one would split the request."""
    if any(sign in name + value for name, value in headers.items() for sign in "\r\n"):
        raise ValueError("A header must be one line.")
    return dict(headers)


@contextmanager
def as_no_answer() -> Iterator[None]:
    """Turn every error of an open connection into NoAnswer with a sentence."""
    try:
        yield
    except (TimeoutError, failures.TimeoutError):
        raise TooSlow("No complete response in time.") from None
    except (OSError, http.client.HTTPException, failures.HTTPError) as failure:
        raise NoAnswer(_said_of(failure)) from None


def _said_by_proxy(failure: BaseException) -> str:
    """Describe why there is no tunnel, or no encryption inside it."""
    if isinstance(failure, ssl.SSLError):
        return _said_of(failure)
    if status := _PROXY_STATUS.match(str(failure)):
        return f"The proxy refused to connect ({status[1]})."
    return "The proxy returned an invalid response."


def _said_of(failure: BaseException) -> str:
    """Describe the error without the address, the path or anything that was sent."""
    if isinstance(failure, http.client.RemoteDisconnected):
        return "The connection was closed without a response."
    if isinstance(failure, failures.DecodeError):
        return "The response was damaged."
    if isinstance(failure, http.client.HTTPException | failures.HTTPError):
        return f"The response was not HTTP ({type(failure).__name__})."
    if isinstance(failure, ssl.SSLCertVerificationError):
        return f"The certificate is not valid: {failure.verify_message}."
    if isinstance(failure, ssl.SSLError):
        return f"The encrypted connection failed ({failure.reason})."
    return f"The connection failed ({getattr(failure, 'strerror', None) or type(failure).__name__})."
