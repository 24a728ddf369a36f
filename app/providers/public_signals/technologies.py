"""What a company's home page is made of: plain facts about addresses, headers and marks, and what each one means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from app.core.text import joined_url
from app.ports import SignalQuestion, SignalResult
from app.providers.json_api import text_of
from app.providers.public_signals.facts import FACTS, Fact
from app.providers.public_signals.web import Web
from app.providers.website.reader import Loaded

MOST_ADDRESSES, MOST_HTML = 500, 400_000


@dataclass(frozen=True)
class _Traces:
    """What a page shows of how it is made: addresses it loads, what made it, its headers, and its source."""

    addresses: str
    generator: str
    headers: Mapping[str, str]
    html: str


def look_up(question: SignalQuestion, web: Web) -> SignalResult | None:
    """Return the technologies whose traces the home page shows, each with the trace."""
    found = recognised(web.visit().home(question.domain))
    return SignalResult({"technologies": found}, question.domain) if found else None


def recognised(home: Loaded) -> list[dict[str, str]]:
    """Return each technology once, by name."""
    traces = _traces(home)
    found: dict[str, dict[str, str]] = {}
    for fact in FACTS:
        if fact.name not in found and (seen := _seen(fact, traces)):
            version, evidence = seen
            entry = {"name": fact.name, "category": fact.category, "version": version, "evidence": evidence}
            found[fact.name] = entry
    return [found[name] for name in sorted(found, key=str.casefold)]


def _traces(home: Loaded) -> _Traces:
    tree = LexborHTMLParser(home.html[:MOST_HTML])
    addresses = []
    for node in tree.css("script[src], link[href], iframe[src], img[src]")[:MOST_ADDRESSES]:
        given = node.attributes.get("src") or node.attributes.get("href") or ""
        if address := joined_url(home.page.url, given.strip()[:500]):
            addresses.append(address)
    generators = [
        node.attributes.get("content") or "" for node in tree.css("meta[name=generator], meta[name=Generator]")
    ]
    return _Traces("\n".join(addresses), "\n".join(generators), home.headers, home.html[:MOST_HTML])


def _seen(fact: Fact, traces: _Traces) -> tuple[str, str] | None:
    """Return the version, if shown, and the trace of the technology."""
    for where, text in _places(fact, traces):
        if match := fact.pattern.search(text):
            version = next((group for group in match.groups() if group), "")
            return text_of(version, 20), f"{where}: {text_of(match[0], 80)}"
    return None


def _places(fact: Fact, traces: _Traces) -> Iterator[tuple[str, str]]:
    if fact.where == "address":
        yield "loads", traces.addresses
    elif fact.where == "generator":
        yield "generator", traces.generator
    elif fact.where == "source":
        yield "source", traces.html
    elif value := traces.headers.get(fact.where):
        yield f"header {fact.where}", value
