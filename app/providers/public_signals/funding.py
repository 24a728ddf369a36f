"""Money that a company raised: what it reported to the SEC, and what the press wrote of its rounds."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from app.core import text
from app.ports import ProviderError, SignalQuestion, SignalResult
from app.providers.json_api import text_of, things_of
from app.providers.public_signals import news, xml
from app.providers.public_signals.news import Article
from app.providers.public_signals.web import Web
from app.providers.website.address import located
from app.providers.website.business_name import name_of

LATELY, MOST_FILINGS = timedelta(days=730), 3
RAISED = '(raises OR raised OR funding OR "series a" OR "series b" OR "series c" OR seed)'
UNITS = {"k": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "b": 1e9, "billion": 1e9}
_AMOUNT = re.compile(r"([$€£])\s?(\d[\d,]*(?:\.\d+)?)\s?(k|mn|million|m|bn|billion|b)\b", re.IGNORECASE)
_ROUND = re.compile(r"\b(pre-seed|seed|series [a-h]|growth)\b", re.IGNORECASE)
_RAISES = re.compile(r"\b(raises?|raised|secures?|closes?|lands?|funding|round|investment)\b", re.IGNORECASE)
_LED_BY = re.compile(r"\bled by ([A-Z][\w&.' ]{2,60}?)(?=$|[,;:]| (?:to|for|with|at|in)\b)")
Round = dict[str, Any]


def look_up(question: SignalQuestion, web: Web) -> SignalResult | None:
    """Return the funding rounds, newest first. One source may fail if the other has an answer."""
    home = web.visit().home(question.domain).page
    name, (country, place) = name_of(home), located([home], home.language)
    rounds: list[Round] = []
    known_by: list[str] = []
    failed: ProviderError | None = None
    sources: tuple[tuple[str, Iterator[Round]], ...] = (
        ("SEC EDGAR", _filings(question, web, name, country, place)),
        ("the press", _press(question, web, name)),
    )
    for title, several in sources:
        try:
            found = list(several)
        except ProviderError as failure:
            failed = failed or failure
            continue
        if found:
            rounds, known_by = [*rounds, *found], [*known_by, title]
    if rounds:
        newest = sorted(rounds, key=lambda one: str(one["announcedAt"]), reverse=True)
        return SignalResult({"rounds": newest}, " and ".join(known_by))
    if failed is not None:
        raise failed
    return None


def _filings(question: SignalQuestion, web: Web, name: str, country: str, place: str) -> Iterator[Round]:
    """Yield SEC filings of an issuer with that exact name. Without a contact the SEC is not asked: it demands one."""
    if not web.contact or len(name) < news.SHORTEST_NAME or country not in ("", "US"):
        return
    query = {
        "q": f'"{name}"',
        "forms": "D,D/A",
        "dateRange": "custom",
        "startdt": f"{question.at - LATELY:%Y-%m-%d}",
        "enddt": f"{question.at:%Y-%m-%d}",
    }
    found = web.json("edgar", "/LATEST/search-index", query)
    several = [one for one in things_of(found, "hits", "hits") if _is_of(one.get("_source"), name, place)]
    issuers = {str(one["_source"].get("ciks")) for one in several}
    if len(issuers) != 1:
        return  # no company, or several, of that name
    for hit in several[:MOST_FILINGS]:
        if one := _form_d(web, hit):
            yield one


def _is_of(source: Any, name: str, place: str) -> bool:
    """Return whether the issuer has that name and, if known, the company's place."""
    if not isinstance(source, dict):
        return False
    issuers = [re.sub(r"(?<!\s)\s*\(CIK.*", "", one) for one in _texts(source.get("display_names"))]
    if not any(text.company(issuer) == text.company(name) for issuer in issuers):
        return False
    where = " ".join(_texts(source.get("biz_locations"))).casefold()
    return not (place and where) or place.casefold() in where


def _texts(value: Any) -> list[str]:
    return [text_of(one) for one in value] if isinstance(value, list) else []


def _form_d(web: Web, hit: dict[str, Any]) -> Round | None:
    source = hit["_source"]
    cik = re.sub(r"[^0-9]", "", "".join(_texts(source.get("ciks"))[:1])).lstrip("0")
    filing = re.sub(r"[^0-9]", "", text_of(source.get("adsh")))
    if not cik or len(filing) != 18:
        return None
    path = f"/Archives/edgar/data/{cik}/{filing}/primary_doc.xml"
    answer = web.get("sec", path)
    if answer is None:
        return None
    offering = xml.parse(answer.body, "SEC EDGAR").find("offeringData")
    sold = text.number(xml.words(offering, "offeringSalesAmounts/totalAmountSold"), -1)
    first = xml.words(offering, "typeOfFiling/dateOfFirstSale/value")
    return {
        "name": "Private offering (Form D)",
        "amountUsd": None if sold < 0 else sold,
        "announcedAt": first[:10] or text_of(source.get("file_date"))[:10],
        "investors": [],
        "url": f"https://www.sec.gov{path}",
    }


def _press(question: SignalQuestion, web: Web, name: str) -> Iterator[Round]:
    """Yield one round for each that headlines mention."""
    articles = news.in_the_press(web, name, question.domain, question.at - LATELY, RAISED)
    seen: set[tuple[str, Any]] = set()
    for article in sorted(articles, key=lambda one: one.at):  # the first who wrote of it
        if not _RAISES.search(article.title):
            continue
        kind, amount, dollars = _ROUND.search(article.title), _AMOUNT.search(article.title), None
        if not kind and not amount:
            continue
        if amount and amount[1] == "$":
            with suppress(ValueError):
                dollars = int(float(amount[2].replace(",", "")) * UNITS[amount[3].lower()])
        named = kind[1].capitalize() if kind else "Funding round"
        named = re.sub(r"series (\w)", lambda found: f"Series {found[1].upper()}", named, flags=re.IGNORECASE)
        if (named, dollars) not in seen:
            seen.add((named, dollars))
            yield _round(article, named, dollars)


def _round(article: Article, named: str, dollars: int | None) -> Round:
    led = _LED_BY.search(article.title)
    return {
        "name": named,
        "amountUsd": dollars,
        "announcedAt": _day(article.at),
        "investors": [led[1].strip()] if led else [],
        "url": article.url if text.url_parts(article.url).scheme in ("http", "https") else "",
    }


def _day(at: datetime) -> str:
    return at.date().isoformat()
