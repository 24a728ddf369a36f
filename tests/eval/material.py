"""The websites of real businesses, what is true of them, and where their pages lie on this machine."""

import hashlib
import html
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.providers.website.websites import Answer, page

HERE = Path(__file__).parent
PAGES = Path(os.environ.get("EVAL_PAGES") or HERE / "pages")
_DESCRIPTION = re.compile(r"<meta[^>]*description[^>]*\bcontent=(\"[^\"]*\"|'[^']*')[^>]*>", re.IGNORECASE)
_SKIPPED = re.compile(r"<(script|style|svg)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Labelled:
    """One website as a person read it.

    A right offer contains one of `words`, `trades` are the codes of the product's table that are true of the business,
    and each of `buyers` is a kind of buyer that the site names, in any of the given words. `unseen` sites are measured
    and never read while the product is improved. `pages` maps each page to the digest of its content. `fresh` says when
    a website was added to be measured on its own, by a person who knew nothing of how the product reads it.
    """

    slug: str
    host: str
    language: str
    names: tuple[str, ...]
    sells: str
    words: tuple[str, ...]
    trades: tuple[str, ...]
    buyers: tuple[tuple[str, ...], ...]
    unseen: bool
    repository: str
    commit: str
    root: str
    licence: str
    pages: dict[str, str]
    fresh: str = ""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a message, the words it should rest on, and whether they support it.

    Words of a website are given by their place in a page's plain text, words about a recipient by themselves.
    """

    kind: str  # business, recipient or laundering
    text: str
    supported: bool
    site: str = ""
    page: str = ""
    start: int = 0
    length: int = 0
    said: str = ""
    fresh: str = ""


@dataclass(frozen=True)
class Wish:
    """What a founder asks for, what stands in the steps before, and what must hold when it is done."""

    text: str
    checks: dict[str, Any]
    given: dict[str, str]


@cache
def sites() -> tuple[Labelled, ...]:
    """Return every labelled website."""
    return tuple(_site(one) for one in _read("sites.json"))


def _site(one: dict[str, Any]) -> Labelled:
    several = {name: tuple(one[name]) for name in ("names", "words", "trades")}
    return Labelled(**{**one, **several, "buyers": tuple(tuple(words) for words in one["buyers"])})


@cache
def sentences() -> tuple[Sentence, ...]:
    """Return every labelled sentence."""
    return tuple(Sentence(**one) for one in _read("sentences.json"))


@cache
def wishes() -> tuple[Wish, ...]:
    """Return every wish."""
    return tuple(Wish(one["wish"], one["checks"], one.get("given", {})) for one in _read("wishes.json"))


def _read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((HERE / name).read_text())
    return found


def is_unseen(slug: str) -> bool:
    """Return whether a website belongs to the third that is not looked at: its name alone decides."""
    return int(hashlib.sha256(slug.encode()).hexdigest(), 16) % 20 < 7


def digest(content: bytes) -> str:
    """Return what tells one version of a page from another."""
    return hashlib.sha256(content).hexdigest()[:16]


def present(folder: Path = PAGES) -> Iterator[Labelled]:
    """Yield the websites whose pages lie in the folder."""
    for one in sites():
        if all((folder / one.slug / name).is_file() for name in one.pages):
            yield one


def plain(content: str) -> str:
    """Return the words of a page on one line, with those by which it describes itself."""
    told = _DESCRIPTION.sub(lambda match: f" {match[1][1:-1]} ", _SKIPPED.sub(" ", content))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", told)).split())


@cache
def words_of(slug: str, name: str, folder: Path = PAGES) -> str:
    """Return the words of a page of a website."""
    return plain((folder / slug / name).read_text())


def quote(one: Sentence, folder: Path = PAGES) -> str:
    """Return the words that a sentence should rest on."""
    if not one.site:
        return one.said
    return words_of(one.site, one.page, folder)[one.start : one.start + one.length]


def served(folder: Path = PAGES) -> Callable[[str, str], Answer]:
    """Answer for every website with its own pages."""
    slugs = {one.host: one.slug for one in sites()}

    def answer(host: str, path: str) -> Answer:
        slug = slugs.get(host, "")
        name = path.partition("?")[0].strip("/") or "index.html"
        for candidate in (name, f"{name}.html", f"{name}/index.html"):
            file = folder / slug / candidate
            if slug and file.is_file() and (folder / slug).resolve() in file.resolve().parents:
                return page(file.read_bytes(), content_type="text/html; charset=utf-8")
        return 404, {"content-type": "text/html"}, b"<h1>Not found</h1>"

    return answer
