"""Calls to other services: `requests` over pinned connections, without cookies, redirects and .netrc."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse as RawResponse
from urllib3 import Timeout

from app.core import clock
from app.ports import Unknown, Unreachable
from app.providers import addresses
from app.providers.addresses import Resolve, look_up
from app.providers.egress import STRAIGHT, Egress
from app.providers.http.pinned import (
    CONNECT,
    NoAnswer,
    PinnedPools,
    ProxiedPools,
    StaleConnection,
    TooSlow,
    checked_last,
    header_lines,
    read_body,
)
from app.providers.outbound import release_database, remaining

USER_AGENT = "Overture/1"
HEADERS = {"user-agent": USER_AGENT, "accept": "*/*", "accept-encoding": "identity"}
PLAIN = ("", "identity", "none")  # content encodings that are none


@dataclass(frozen=True)
class HttpResponse:
    """An answer: its status, its headers by lower-case name, and as much of its body, unpacked, as was wanted."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    whole: bool  # whether nothing of the body was left out


class PinnedAdapter(HTTPAdapter):
    """Sends the requests of a session over pinned connections; `pools` makes those through a proxy, '' for none."""

    def __init__(self, pools: Callable[[str], PinnedPools]) -> None:
        self._pools = pools
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Use these pools."""
        self.poolmanager = self._pools("")

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """Use these pools."""
        if proxy not in self.proxy_manager:
            self.proxy_manager[proxy] = self._pools(proxy)
        return self.proxy_manager[proxy]

    def cert_verify(self, *arguments: Any) -> None:
        """Leave it to the pools' TLS context, which verifies always and loads its certificates once."""


class PinnedSession(requests.Session):
    """A session that keeps nothing between calls but open connections."""

    def __init__(self, pools: Callable[[str], PinnedPools]) -> None:
        super().__init__()
        self.trust_env = False
        self.headers.clear()
        self.headers.update(HEADERS)
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        for scheme in ("http://", "https://"):
            self.mount(scheme, PinnedAdapter(pools))

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None: requests would read a redirect's body without a cap, even if it is not followed."""


class HttpClient:
    """Gets and posts. `plain` lets http through; redirects are answers like any other."""

    def __init__(
        self,
        allow_private: bool = False,
        *,
        plain: bool = False,
        any_port: bool = False,
        resolve: Resolve = look_up,
        egress: Egress = STRAIGHT,
    ) -> None:
        self._allow_private, self._plain, self._any_port, self._resolve = allow_private, plain, any_port, resolve
        self._egress = egress

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
        last_check: Callable[[], object] = lambda: None,
    ) -> HttpResponse:
        """Return at most `most` bytes of the answer, in `within` seconds; raise Refused or Unreachable.

        `once`: the request must not happen twice. An answer lost after the request left is Unknown. `last_check` is
        called right before such a request leaves, and may raise what keeps it here.
        """
        release_database()
        addresses.split(url, self._allow_private, plain=self._plain, any_port=self._any_port)
        request = requests.Request(method, url, header_lines(headers), data=body)
        deadline, proxy = time.monotonic() + within, self._egress.proxy_for(url)
        with _failures(within, once):
            if not once:
                with suppress(StaleConnection):
                    return _exchange(self._kept, request, most, deadline, proxy)
            # A fresh connection: a kept one may have been closed unnoticed.
            with self._session() as session, checked_last(last_check):
                return _exchange(session, request, most, deadline, proxy)

    def close_idle(self) -> None:
        """Keep no connection: the host that was asked is not asked again soon."""
        self._kept.close()

    @cached_property
    def _kept(self) -> PinnedSession:
        """The session whose connections stay open, made by the first call: most services are never called."""
        return self._session()

    def _session(self) -> PinnedSession:
        return PinnedSession(self._pools)

    def _pools(self, proxy: str) -> PinnedPools:
        if proxy:
            return ProxiedPools(proxy, self._resolve, egress=self._egress)
        return PinnedPools(self._allow_private, self._resolve, egress=self._egress)


def _exchange(
    session: PinnedSession, request: requests.Request, most: int, deadline: float, proxy: str
) -> HttpResponse:
    answer = session.send(
        session.prepare_request(request),
        stream=True,
        allow_redirects=False,
        proxies={"http": proxy, "https": proxy} if proxy else {},
        timeout=Timeout(total=remaining(deadline), connect=CONNECT),  # type: ignore[arg-type]
    )
    body = read_body(answer.raw, most + 1, unpack=True)
    encoding = answer.headers.get("content-encoding", "").strip().lower()
    if encoding not in (*PLAIN, *RawResponse.CONTENT_DECODERS):
        raise NoAnswer(f"The response uses an unsupported encoding ({encoding[:20]}).")
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return HttpResponse(answer.status_code, headers, body[:most], len(body) <= most)


@contextmanager
def _failures(within: float, once: bool) -> Iterator[None]:
    """Turn errors of the libraries and the network into errors of the port."""
    try:
        yield
    except NoAnswer as failure:
        if once:
            raise Unknown("The connection was lost before the response arrived.") from None
        sentence = (
            f"No complete response within {within:g} seconds." if isinstance(failure, TooSlow) else failure.sentence
        )
        raise Unreachable(sentence) from None
    except TimeoutError:
        raise Unreachable(f"No complete response within {within:g} seconds.") from None
    except requests.RequestException as failure:
        raise Unreachable(f"The request to this address failed ({type(failure).__name__}).") from None


def retry_after(text: str | None) -> int | None:
    """Return the seconds of a Retry-After header; a date becomes seconds from now."""
    if not text:
        return None
    if text.isascii() and text.strip().isdigit():
        return min(int(text.strip()[:9]), 10**6)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0, int((parsedate_to_datetime(text) - clock.now()).total_seconds()))
    return None
