"""Select the pages of a website that say what it sells, who buys it, the price, and whose it is."""

import re
from collections.abc import Iterable, Sequence

from app.core.text import url_parts
from app.providers.website.parsing import WORDS, host

MOST = {"product": 3, "pricing": 1, "customers": 2, "about": 1, "contact": 2}
FEW = 4  # when fewer pages promise to matter, others are read too
_PAGES: dict[str, str] = WORDS["pages"]
_CONTACT = frozenset(WORDS["contact"].split())
_KIND_OF = {word: kind for kind in reversed(_PAGES) for word in _PAGES[kind].split()}
_NEVER = re.compile("|".join(WORDS["never"]), re.IGNORECASE)


def kind_of(url: str, words: str = "") -> str:
    """Return the kind of page that an address and its link text promise; '' for an irrelevant one."""
    whole = url_parts(url)
    path = whole.path.lower().strip("/")
    pieces = [piece.removesuffix(".html").removesuffix(".htm").removesuffix(".php") for piece in path.split("/")]
    label = "-".join(re.findall(r"[a-zà-ÿ]+", words.lower()))
    if not path or len(pieces) > 3:
        return ""
    if pieces[-1] in _CONTACT or label in _CONTACT:
        return "contact"
    if pieces[0] in ("index", "home") or _NEVER.search(whole._replace(scheme="", netloc="").geturl()):
        return ""
    for text in (pieces[0], label, pieces[-1]):
        if text in _KIND_OF:
            return _KIND_OF[text]
    parts = [part for text in (*pieces, label) for part in text.split("-")]
    return next((_KIND_OF[part] for part in parts if part in _KIND_OF), "")


def chosen(home: str, links: Iterable[tuple[str, str]], most: int) -> Sequence[tuple[str, str]]:
    """Return the (address, kind) of the pages to read, shortest addresses first, some of each kind."""
    found: dict[str, str] = {}
    others: dict[str, str] = {}
    for url, words in links:
        url = url.partition("#")[0]
        parts = url_parts(url)
        if parts.scheme not in ("http", "https") or host(url) != host(home) or len(url) > 300:
            continue
        if parts.path.strip("/") == url_parts(home).path.strip("/"):
            continue
        kind = kind_of(url, words)
        if kind:
            found.setdefault(url.rstrip("/"), kind)
        elif words and _plain(parts.path) and not _NEVER.search(url.partition("://")[2].partition("/")[2]):
            others.setdefault(url.rstrip("/"), "other")
    several: list[tuple[str, str]] = []
    for kind, limit in MOST.items():
        ranked = sorted((url for url, its in found.items() if its == kind), key=lambda url: (url.count("/"), len(url)))
        several += [(url, kind) for url in ranked[:limit]]
    order = ("product", "pricing", "about", "customers", "contact")
    firsts = [next((one for one in several if one[1] == kind), None) for kind in order]
    ordered = [one for one in firsts if one] + [one for one in several if one not in firsts]
    telling = sum(kind != "contact" for _, kind in ordered)
    return [*ordered, *list(others.items())[: max(0, FEW - telling)]][:most]


def _plain(path: str) -> bool:
    return re.fullmatch(r"/[a-z][a-z-]{2,30}(\.html?)?/?", path) is not None
