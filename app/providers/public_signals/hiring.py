"""Who a company looks for: from its public job board, else from what its own careers page says of itself."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from app.ports import ProviderError, SignalQuestion, SignalResult
from app.providers.json_api import text_of
from app.providers.public_signals import job_boards
from app.providers.public_signals.job_boards import Opening
from app.providers.public_signals.web import Web
from app.providers.website.reader import Loaded, Visit

MOST_SHOWN, MOST_PAGES = 50, 3
_CAREERS = re.compile(r"career|jobs?\b|join[- ]us|work[- ](with|at|for)|vacanc|openings|hiring|karriere|stellen|empleo")


def look_up(question: SignalQuestion, web: Web) -> SignalResult | None:
    """Return the openings, newest first; None without a known job board or opening."""
    visit, failed = web.visit(), None
    for loaded in _pages(visit, question.domain):
        for board, name in job_boards.find(loaded.html + " " + loaded.page.url):
            try:
                openings = [one for one in board.read(web, name) if one["title"]]
            except ProviderError as failure:
                failed = failed or failure
                continue
            if openings:
                return _finding(openings, board.title)
        if openings := _marked_up(loaded):
            return _finding(openings, urlsplit(loaded.page.url).hostname or question.domain)
    if failed is not None:
        raise failed
    return None


def _pages(visit: Visit, domain: str) -> Iterator[Loaded]:
    """Yield the home page, then its pages about jobs."""
    home = visit.home(domain)
    yield home
    own = urlsplit(home.page.url).hostname or domain
    links = [url for url, words in home.page.links if _CAREERS.search(f"{urlsplit(url).path} {words}".lower())]
    usual = [f"{urlsplit(home.page.url).scheme}://{own}/{path}" for path in ("careers", "jobs")]
    mine = [url for url in [*links, *usual] if _belongs(url, domain)]
    for url in list(dict.fromkeys(url.partition("#")[0] for url in mine))[:MOST_PAGES]:
        with suppress(ProviderError):
            yield visit.load(url)


def _belongs(url: str, domain: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == domain or host.endswith(f".{domain}")


def _marked_up(loaded: Loaded) -> list[Opening]:
    """Return the openings that a page marks up for search engines."""
    found = [one for one in loaded.page.things if "JobPosting" in str(one.get("@type"))]
    return [opening for one in found if (opening := _opening(one, loaded.page.url))["title"]]


def _opening(thing: dict[str, Any], page: str) -> Opening:
    place = thing.get("jobLocation")
    place = place[0] if isinstance(place, list) and place else place
    address = place.get("address") if isinstance(place, dict) else None
    named = address.get("addressLocality") if isinstance(address, dict) else address
    url = text_of(thing.get("url"), 1000)
    return {
        "title": text_of(thing.get("title")),
        "location": text_of(named),
        "department": text_of(thing.get("occupationalCategory")),
        "url": url if url.startswith("http") else page,
        "postedAt": text_of(thing.get("datePosted"))[:10],
    }


def _finding(openings: Sequence[Opening], source: str) -> SignalResult:
    newest = sorted(openings, key=lambda one: one["postedAt"], reverse=True)
    return SignalResult({"openings": newest[:MOST_SHOWN], "total": len(openings)}, source)
