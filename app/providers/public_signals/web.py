"""Reads public addresses for one lookup: named, paced, capped, and over in time."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.ports import Refused, Throttled, Unreachable
from app.providers.http import HttpClient, HttpResponse, retry_after
from app.providers.website.reader import INSTEAD, Loaded, Visit


class Pace:
    """A turn every `gap` seconds. A wait longer than `patience` raises Throttled instead."""

    def __init__(
        self,
        gap: float,
        patience: float = 2.0,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._gap, self._patience, self._clock, self._sleep = gap, patience, clock, sleep
        self._next, self._lock = 0.0, threading.Lock()

    def wait(self, name: str) -> None:
        """Wait for the next turn."""
        with self._lock:
            at = self._clock()
            wait = max(0.0, self._next - at)
            if wait > self._patience:
                raise Throttled(f"{name} has reached its request limit.", int(wait) + 1)
            self._next = at + wait + self._gap
        if wait:
            self._sleep(wait)

    def rest(self, seconds: float) -> None:
        """Block all requests for that long, because the host asked for it."""
        with self._lock:
            self._next = max(self._next, self._clock() + seconds)


WHOLE, ONE, ONE_PAGE, ONE_SITE = 24.0, 10.0, 6.0, 12.0  # seconds
MOST = 8_000_000
REST, BLOCKED = 60, 600  # seconds after a refusal; the SEC blocks for ten minutes


@dataclass(frozen=True)
class Host:
    """A public source: what people call it, where it is, and how often it may be asked."""

    title: str
    url: str
    gap: float = 0.2
    patience: float = 2.0


HOSTS: Mapping[str, Host] = {
    "greenhouse": Host("Greenhouse", "https://boards-api.greenhouse.io"),
    "lever": Host("Lever", "https://api.lever.co"),
    "lever-eu": Host("Lever", "https://api.eu.lever.co"),
    "ashby": Host("Ashby", "https://api.ashbyhq.com"),
    "workable": Host("Workable", "https://apply.workable.com", gap=5, patience=0),
    "smartrecruiters": Host("SmartRecruiters", "https://api.smartrecruiters.com"),
    "recruitee": Host("Recruitee", "https://{name}.recruitee.com"),
    "edgar": Host("SEC EDGAR", "https://efts.sec.gov", gap=0.15),
    "sec": Host("SEC EDGAR", "https://www.sec.gov", gap=0.15),
    "gdelt": Host("GDELT", "https://api.gdeltproject.org", gap=5.5, patience=0),
    "google-news": Host("Google News", "", gap=2),  # off: its terms are for personal use
}


class Public:
    """The public sources at the addresses that the operator chose, with their paces; shared by all lookups.

    `sites` reads the websites of strangers, and so must not reach what `sources` may, which the operator named.
    """

    def __init__(
        self,
        sites: HttpClient,
        sources: HttpClient,
        urls: Mapping[str, str],
        contact: str = "",
        paces: Mapping[str, Pace] | None = None,
    ) -> None:
        self.sites, self.client, self.contact = sites, sources, contact
        self.urls = {name: urls.get(name, host.url) for name, host in HOSTS.items()}
        self.paces = {name: Pace(host.gap, host.patience) for name, host in HOSTS.items()} | dict(paces or {})
        self.agent = f"Overture/1 ({contact})" if contact else "Overture/1"


class CompanyVisit(Visit):
    """A visit to a website of another business: its errors never ask the user to describe it instead."""

    def home(self, address: str) -> Loaded:
        with _without_own_advice():
            return super().home(address)

    def load(self, url: str) -> Loaded:
        with _without_own_advice():
            return super().load(url)


@contextmanager
def _without_own_advice() -> Iterator[None]:
    try:
        yield
    except (Refused, Unreachable) as failure:
        sentence = failure.sentence.replace(f" {INSTEAD}", "").replace(", or describe your business instead", "")
        raise type(failure)(sentence) from None


class Web:
    """The public sources as one lookup uses them, until its deadline."""

    def __init__(self, public: Public, whole: float = WHOLE) -> None:
        self._public, self._deadline = public, time.monotonic() + whole
        self.contact = public.contact

    def has(self, name: str) -> bool:
        """Return whether that source is in use."""
        return bool(self._public.urls[name])

    def visit(self) -> Visit:
        """Return a visit to a website."""
        whole = max(min(ONE_SITE, self._deadline - time.monotonic()), 0.1)
        return CompanyVisit(self._public.sites, lambda url, read: None, whole, ONE_PAGE)

    def get(self, name: str, path: str, query: Mapping[str, str] | None = None, *, of: str = "") -> HttpResponse | None:
        """Return the source's answer, None for a 404; raise Throttled or Unreachable with a sentence."""
        if not self.has(name):
            return None
        host, url = HOSTS[name], self._public.urls[name].replace("{name}", of) + path
        self._public.paces[name].wait(host.title)
        within = min(ONE, self._deadline - time.monotonic())
        if within <= 0:
            raise Unreachable(f"The lookup timed out before we could reach {host.title}.")
        headers = {"user-agent": self._public.agent, "accept": "application/json, application/xml, text/xml, */*"}
        target = url + (f"?{urlencode(query)}" if query else "")
        try:
            answer = self._public.client.call("GET", target, headers, most=MOST, within=within)
        except Unreachable as failure:
            raise Unreachable(f"{host.title} cannot be reached: {failure.sentence}") from None
        if answer.status in (404, 410):
            return None
        self._require(name, host, answer)
        return answer

    def json(self, name: str, path: str, query: Mapping[str, str] | None = None, *, of: str = "") -> Any:
        """Return the source's JSON, None for a 404."""
        answer = self.get(name, path, query, of=of)
        if answer is None:
            return None
        text = answer.body.decode(errors="replace")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            if "limit" in text[:300].lower():  # GDELT says so in words, with status 200
                raise self._throttled(name, REST // 10) from None
            raise Unreachable(f"{HOSTS[name].title} returned an unexpected response.") from None

    def _require(self, name: str, host: Host, answer: HttpResponse) -> None:
        if answer.status in (403, 429) and name in ("edgar", "sec"):
            raise self._throttled(name, BLOCKED)
        if answer.status in (429, 503):
            raise self._throttled(name, retry_after(answer.headers.get("retry-after")) or REST)
        if answer.status >= 500:
            raise Unreachable(f"{host.title} is down or under maintenance ({answer.status}).")
        if answer.status != 200:
            raise Refused(f"{host.title} refused the request ({answer.status}).")
        if not answer.whole:
            raise Unreachable(f"{host.title} returned a response that is too large.")

    def _throttled(self, name: str, rest: int) -> Throttled:
        self._public.paces[name].rest(rest)
        return Throttled(f"{HOSTS[name].title} has reached its request limit.", rest)
