"""Posts webhooks. On urllib3 itself: a `requests.Session` prepares a request for longer than it takes to send one,
which 64 deliveries at once would notice."""

import time
from collections.abc import Mapping

from urllib3 import Timeout

from app.ports import Answer, Refused, Unreachable
from app.providers import addresses
from app.providers.addresses import Resolve, look_up
from app.providers.egress import STRAIGHT, Egress
from app.providers.http.client import USER_AGENT, retry_after
from app.providers.http.pinned import (
    CONNECT,
    NoAnswer,
    PinnedPools,
    ProxiedPools,
    StaleConnection,
    TooSlow,
    header_lines,
    read_body,
)
from app.providers.outbound import release_database, remaining

WHOLE_CALL = 15.0  # seconds
MOST_RECEIVED, MOST_KEPT = 64 * 1024, 4 * 1024  # bytes
HEADERS = {"user-agent": USER_AGENT, "accept": "*/*", "accept-encoding": "identity"}


class WebhookHttpClient:
    """A `ports.WebhookClient` over HTTP. Private networks and plain http only with `allow_private`."""

    def __init__(
        self,
        allow_private: bool = False,
        *,
        whole_call: float = WHOLE_CALL,
        connect: float = CONNECT,
        resolve: Resolve = look_up,
        egress: Egress = STRAIGHT,
    ) -> None:
        self._allow_private, self._whole_call, self._connect = allow_private, whole_call, connect
        self._resolve, self._egress = resolve, egress
        self._kept = {proxy: self._pools(proxy) for proxy in {"", *egress.proxies.values()}}

    def objection(self, url: str) -> str:
        try:
            addresses.split(url, self._allow_private)
        except Refused as refusal:
            return refusal.sentence
        return ""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        release_database()
        addresses.split(url, self._allow_private)
        sent, begun = HEADERS | header_lines(headers), time.monotonic()
        proxy = self._egress.proxy_for(url)
        try:
            try:
                return self._post(self._kept[proxy], url, sent, body, begun)
            except StaleConnection:
                with self._pools(proxy) as pools:
                    return self._post(pools, url, sent, body, begun)
        except (TimeoutError, TooSlow):
            raise Unreachable(f"No complete response within {self._whole_call:g} seconds.") from None
        except NoAnswer as failure:
            raise Unreachable(failure.sentence) from None

    def _pools(self, proxy: str) -> PinnedPools:
        if proxy:
            return ProxiedPools(proxy, self._resolve, egress=self._egress)
        return PinnedPools(self._allow_private, self._resolve, egress=self._egress)

    def _post(self, pools: PinnedPools, url: str, headers: dict[str, str], body: bytes, begun: float) -> Answer:
        answer = pools.urlopen(
            "POST",
            url,
            redirect=False,
            body=body,
            headers=headers,
            timeout=Timeout(total=remaining(begun + self._whole_call), connect=self._connect),
            preload_content=False,
            decode_content=False,
        )
        received = read_body(answer, MOST_RECEIVED, unpack=False)
        took = int((time.monotonic() - begun) * 1000)
        head = received[:MOST_KEPT].decode(errors="replace").replace("\0", "�")
        return Answer(answer.status, head, took, retry_after(answer.headers.get("retry-after")))
