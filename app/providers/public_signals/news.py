"""What was written about a company lately: its own feed, then the press."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from app.core import text
from app.ports import ProviderError, SignalQuestion, SignalResult, Unreachable
from app.providers.json_api import text_of
from app.providers.public_signals import xml
from app.providers.public_signals.web import Web
from app.providers.website.business_name import name_of
from app.providers.website.reader import Loaded, Visit

LATELY = timedelta(days=30)
MOST_SHOWN, MOST_READ = 20, 100
SHORTEST_NAME = 3  # GDELT takes no shorter phrase, and no shorter name tells a company from a word


@dataclass(frozen=True)
class Article:
    """Something that was published."""

    title: str
    source: str
    url: str
    at: datetime

    def shown(self) -> dict[str, str]:
        """Return the article as a signal has it."""
        return {"title": self.title, "source": self.source, "url": self.url, "publishedAt": self.at.isoformat()}


def look_up(question: SignalQuestion, web: Web) -> SignalResult | None:
    """Return the articles of the last 30 days, newest first. The press may fail if the company's feed answers."""
    visit = web.visit()
    home = visit.home(question.domain)
    since = question.at - LATELY
    own, failed = list(_feed(visit, home)), None
    press: list[Article] = []
    try:
        press = in_the_press(web, name_of(home.page), question.domain, since)
    except ProviderError as failure:
        failed = failure
    found = _each_once(one for one in [*own, *press] if since <= one.at <= question.at + timedelta(days=1))
    if not found and failed is not None:
        raise failed
    names = [name for name, some in ((question.domain, own), ("the press", press)) if any(one in found for one in some)]
    newest = sorted(found, key=lambda one: one.at, reverse=True)[:MOST_SHOWN]
    return SignalResult({"articles": [one.shown() for one in newest]}, " and ".join(names)) if newest else None


def in_the_press(web: Web, name: str, domain: str, since: datetime, more: str = "") -> list[Article]:
    """Return press articles with the name in the headline; `more` narrows. A failing source leaves it to the next."""
    if len(name) < SHORTEST_NAME:
        return []
    failed: ProviderError | None = None
    for read in (_gdelt, _google):
        try:
            found = [one for one in read(web, name, more) if _is_about(one, name, domain) and one.at >= since]
        except ProviderError as failure:
            failed = failed or failure
            continue
        if found:
            return found
    if failed is not None:
        raise failed
    return []


def _gdelt(web: Web, name: str, more: str) -> Iterator[Article]:
    if not web.has("gdelt"):
        return
    query = {"query": f'"{_plain(name)}" {more} sourcelang:english'.replace("  ", " "), "mode": "artlist"}
    options = {"format": "json", "maxrecords": str(MOST_READ), "timespan": "30d", "sort": "datedesc"}
    found = web.json("gdelt", "/api/v2/doc/doc", query | options)
    articles = found.get("articles", []) if isinstance(found, dict) else None
    if not isinstance(articles, list):
        raise Unreachable("GDELT returned an unexpected response.")
    for one in articles:
        if isinstance(one, dict):
            seen = text_of(one.get("seendate"))
            with suppress(ValueError):
                at = datetime.strptime(seen, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
                yield Article(text_of(one.get("title")), text_of(one.get("domain")), text_of(one.get("url"), 1000), at)


def _google(web: Web, name: str, more: str) -> Iterator[Article]:
    if not web.has("google-news"):
        return
    query = {"q": f'"{_plain(name)}" {more} when:30d'.replace("  ", " "), "hl": "en-US", "gl": "US", "ceid": "US:en"}
    answer = web.get("google-news", "/rss/search", query)
    if answer is not None:
        yield from _items(answer.body, "Google News")


def _feed(visit: Visit, home: Loaded) -> Iterator[Article]:
    """Yield what the company published itself, from the first feed its home page names."""
    own = urlsplit(home.page.url).hostname or ""
    tree = LexborHTMLParser(home.html[:200_000])
    for node in tree.css("link[rel~=alternate][type='application/rss+xml']")[:1]:
        with suppress(ProviderError, ValueError):
            url = urljoin(home.page.url, node.attributes.get("href") or "")
            if text.domain(url) == own.removeprefix("www."):
                yield from _items(visit.load(url).html.encode(), own.removeprefix("www."))


def _items(body: bytes, source: str) -> list[Article]:
    """Return the items of an RSS document."""
    found = []
    for item in xml.parse(body, source).iter("item"):
        title, url = xml.words(item, "title"), xml.words(item, "link")
        with suppress(ValueError, TypeError, OverflowError):
            at = parsedate_to_datetime(xml.words(item, "pubDate"))
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            paper = xml.words(item, "source")
            title = title.removesuffix(f" - {paper}") if paper else title
            if title and url.startswith(("http://", "https://")):
                found.append(Article(text_of(title), text_of(paper) or source, url[:1000], at.astimezone(UTC)))
    return found[:MOST_READ]


def _plain(name: str) -> str:
    return re.sub(r"[^\w&.' -]", " ", name).strip()


def _is_about(article: Article, name: str, domain: str) -> bool:
    """Return whether the headline names the company and another publisher wrote it."""
    spellings = "|".join(re.escape(one) for one in {name, name.upper(), name[:1].upper() + name[1:]})
    return bool(re.search(rf"(?<!\w)({spellings})(?!\w)", article.title)) and text.domain(article.url) != domain


def _each_once(articles: Any) -> Sequence[Article]:
    kept: dict[str, Article] = {}
    for one in articles:
        kept.setdefault(re.sub(r"\W+", " ", one.title.casefold()).strip(), one)
    return list(kept.values())
