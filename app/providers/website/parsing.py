"""Parse a web page without running it: main text, headings, links and metadata."""

import json
import logging
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from app.core.text import joined_url, url_parts

WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text("utf-8"))
MOST_TEXT, MOST_LINKS, MOST_HEADINGS = 20_000, 400, 40
MOST_FOR_EXTRACTION, MOST_TAGS, DEEPEST = 800_000, 30_000, 1000
MOST_WORK = 1_000_000  # tags and the elements that are open at each: each may be walked, copied or read again
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # an empty page is no error of ours
_UNSEEN = re.compile(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9-]*+)([^<>]*+)>")
_HUGE_TAG = re.compile(r"<[a-zA-Z/!?][^<>]{5000,}>?")  # parsers compare every attribute with every other
_ANY_TAG = re.compile(r"<[^<>]*(>|$)")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr p li td tr th dt dd option".split())
_SCRIPT_ROOTS = "#root, #app, #__next, #__nuxt, #___gatsby, app-root, [data-reactroot], #svelte"
_MARKS = {
    "name": "[itemprop=name]",
    "addressLocality": "[itemprop=addressLocality], .locality, .p-locality",
    "addressCountry": "[itemprop=addressCountry], .country-name, .p-country-name",
}
_NOT_TEXT = ["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "head"]


@dataclass(frozen=True)
class Page:
    """A parsed page."""

    url: str
    title: str = ""
    description: str = ""
    site_name: str = ""
    language: str = ""
    text: str = ""
    ending: str = ""  # the last lines of everything visible, where addresses stand
    headings: Sequence[str] = ()
    links: Sequence[tuple[str, str]] = ()  # address and words
    footer: str = ""
    logo: str = ""
    things: Sequence[dict[str, Any]] = field(default_factory=list)  # schema.org
    needs_script: bool = False
    refresh: str = ""


def clean(text: str | None, most: int = MOST_TEXT) -> str:
    """Return the words on one line without invisible characters."""
    plain = unicodedata.normalize("NFC", _UNSEEN.sub("", (text or "")[: most * 4]))
    visible = "".join(letter if letter.isprintable() else " " for letter in plain)
    return " ".join(visible.split())[:most].strip()


def parse(html: str, url: str) -> Page:
    """Parse a page, however badly it is written."""
    html = _HUGE_TAG.sub("", html)
    deep = _too_deep(html)
    tree = LexborHTMLParser(_head(html) if deep else html)
    links, base = [], url
    for node in tree.css("base[href]")[:1]:
        base = joined_url(url, node.attributes.get("href") or "") or url
    for node in tree.css("a[href]")[:MOST_LINKS]:
        if target := joined_url(base, (node.attributes.get("href") or "").strip()):
            links.append((target, clean(node.text(), 100)))
    things = [*_things(tree), *_marked(tree)]
    meta, title = _metas(tree), tree.css_first("title")
    footer = " ".join(clean(node.text(separator=" "), 2000) for node in tree.css("footer, #footer, .footer")[:3])
    scripted = bool(tree.css_first(_SCRIPT_ROOTS)) and bool(tree.css_first("script"))
    notices = tree.css("noscript")[:MOST_LINKS]
    scripted = scripted or any("javascript" in (node.text() or "").lower() for node in notices)
    headings = [clean(node.text(separator=" "), 160) for node in tree.css("h1, h2, h3")[:MOST_HEADINGS]]
    logo, refresh = _logo(tree), _refresh(tree, base)
    text = clean(_ANY_TAG.sub(" ", html[:200_000])) if deep else _main_text(html, tree)  # the tree keeps only text
    ending = tree.body.text(separator="\n")[-MOST_TEXT:] if tree.body else ""
    return Page(
        url=url,
        title=clean(title.text() if title else meta.get("og:title"), 200),
        description=clean(meta.get("description") or meta.get("og:description"), 400),
        site_name=clean(meta.get("og:site_name") or meta.get("application-name"), 100),
        language=_language(tree, meta),
        headings=[heading for heading in dict.fromkeys(headings) if heading],
        links=links,
        footer=footer or clean(ending)[-600:],
        logo=logo,
        things=things,
        needs_script=scripted,
        refresh=refresh,
        text=text,
        ending=_lines(ending),
    )


def _too_deep(html: str) -> bool:
    """Return whether elements are nested so deeply that parsing the page costs more than our budget."""
    opened: Counter[str] = Counter()
    depth = work = 0
    for match in _TAG.finditer(html):
        name = match[2].lower()
        if name not in _VOID and not (match[3].endswith("/") and opened["svg"]):  # elsewhere parsers ignore the slash
            if not match[1]:
                opened[name] += 1
                depth += 1
            elif opened[name]:  # parsers pass over what closes nothing
                opened[name] -= 1
                depth -= 1
        work += 1 + depth
        if depth > DEEPEST or work > MOST_WORK:
            return True
    return False


def _head(html: str) -> str:
    head, end, _ = html[:50_000].partition("</head>")
    return head + end if end else ""


def _main_text(html: str, tree: LexborHTMLParser) -> str:
    """Return the text without menus: by trafilatura if it finds enough, else everything visible."""
    tree.strip_tags([*_NOT_TEXT, "nav", "form"])
    body = tree.body
    everything, markup = _lines(body.text(separator="\n") if body else ""), body.html or "" if body else ""
    # Parsing can make more of a page than it has: elements that are left open are repeated in every paragraph.
    if any(len(one) > MOST_FOR_EXTRACTION or one.count("<") > MOST_TAGS for one in (html, markup)):
        return everything
    from trafilatura import extract

    found = extract(markup, include_comments=False, favor_recall=True, fast=True)
    extracted = _lines(found or "")
    return extracted if len(extracted) * 2.5 >= len(everything) or len(extracted) > 3000 else everything


def _lines(text: str) -> str:
    """Return one line per thought, without repetitions and list markers."""
    kept = (clean(line.strip(" |-*•·>»›#\t"), 2000) for line in text[: MOST_TEXT * 3].splitlines())
    return "\n".join(dict.fromkeys(line for line in kept if line))[:MOST_TEXT]


def _metas(tree: LexborHTMLParser) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in tree.css("meta[content]")[:100]:
        name = node.attributes.get("name") or node.attributes.get("property") or node.attributes.get("http-equiv") or ""
        found.setdefault(name.lower(), node.attributes.get("content") or "")
    return found


def _language(tree: LexborHTMLParser, meta: dict[str, str]) -> str:
    root = tree.css_first("html")
    named = (root.attributes.get("lang") if root else "") or meta.get("content-language") or meta.get("og:locale") or ""
    return named.strip().replace("_", "-")[:12].lower() if re.match(r"[A-Za-z]{2,3}([-_]|$)", named.strip()) else ""


def _logo(tree: LexborHTMLParser) -> str:
    for node in tree.css("header img[alt], a[href='/'] img[alt], img[class*=logo][alt], .logo, .brand, .navbar-brand")[
        :3
    ]:
        words = clean(node.attributes.get("alt") or node.text(separator=" "), 80)
        words = re.sub(r"\b(home|homepage)\b", "", words, flags=re.IGNORECASE).strip(" -–|")
        if words and words.casefold() not in ("logo", "logotype", "logotipo"):
            return words
    return ""


def _refresh(tree: LexborHTMLParser, base: str) -> str:
    for node in tree.css("meta[http-equiv]"):
        content = node.attributes.get("content") or ""
        if (node.attributes.get("http-equiv") or "").lower() == "refresh" and "url=" in content.lower():
            return joined_url(base, re.split(r"url=", content, flags=re.IGNORECASE)[1].strip(" '\""))
    return ""


def _things(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """Yield the schema.org things of a page, flat, as far as they can be read."""
    for node in tree.css("script[type='application/ld+json']")[:10]:
        raw = node.text() or ""
        if len(raw) > 100_000 or raw.count("[") + raw.count("{") > 5000:
            continue
        with suppress(ValueError, RecursionError):
            yield from _flat(json.loads(raw), 0)


def _flat(thing: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > 6:
        return
    if isinstance(thing, list):
        for item in thing[:50]:
            yield from _flat(item, depth + 1)
    elif isinstance(thing, dict):
        if "@type" in thing:
            yield thing
        for key in ("@graph", "publisher", "mainEntity", "about", "provider", "brand", "isPartOf"):
            yield from _flat(thing.get(key), depth + 1)


def _marked(tree: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """Yield businesses and addresses in the words of schema.org where the page has microdata or an hCard instead."""
    for node in tree.css("[itemtype], .vcard, .h-card")[:MOST_HEADINGS]:
        found = {name: node.css_first(where) for name, where in _MARKS.items()}
        told = {name: clean(one.attributes.get("content") or one.text(), 80) for name, one in found.items() if one}
        yield {"@type": node.attributes.get("itemtype") or "", "name": told.pop("name", None), "address": told}


def host(url: str) -> str:
    """Return the host of an address without www."""
    return (url_parts(url).hostname or "").removeprefix("www.")
