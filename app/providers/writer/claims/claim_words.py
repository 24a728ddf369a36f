"""The words by which claims are found, in the languages of the market; they stand in words/*.toml."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from app.core import languages
from app.providers.writer.sequences import LANGUAGES, texts

WORD = re.compile(r"\d[\d.,:]*\d%?|\d%?|[^\W\d_]+?n't\b|[^\W\d_]+")
_VALUES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100, 1000, 1_000_000)
_NEVER = r"(?!x)x"


def plain(text: str) -> str:
    """Return the text without accents."""
    for letter, others in (("ß", "ss"), ("ł", "l"), ("ø", "o"), ("æ", "ae"), ("’", "'")):
        text = text.replace(letter, others)
    split = unicodedata.normalize("NFKD", text)
    return "".join(character for character in split if not unicodedata.combining(character))


@dataclass(frozen=True, eq=False)
class Words:
    """What is known of one language or several: `deny` holds a pattern for each kind of what is not said."""

    neutral: frozenset[str]
    strong: frozenset[str]
    supposes: frozenset[str]
    ifs: frozenset[str]
    can: frozenset[str]
    denies: frozenset[str]
    without: frozenset[str]
    one: frozenset[str]
    units: frozenset[str]
    numbers: Mapping[str, str]
    us: re.Pattern[str]
    them: re.Pattern[str]
    greeting: re.Pattern[str]
    presumes: re.Pattern[str]
    deny: Mapping[str, re.Pattern[str]]


def of_text(text: str, language: str) -> Words:
    """Return the words of a text's language, and of the one that it should be in."""
    codes = {languages.base(language), languages.detected(text)} & set(LANGUAGES)
    return words(*sorted(codes or {"en"}))


@cache
def words(*codes: str) -> Words:
    """Return the words of these languages together; those of the messages in texts/ claim nothing."""
    read = [_read(code) for code in codes]
    sets: dict[str, Any] = {
        name: frozenset(word for one in read for word in one[name].split())
        for name in ("neutral", "strong", "supposes", "ifs", "can", "denies", "without", "one", "units")
    }
    said = (word for code in codes for line in _lines(texts(code)) for word in WORD.findall(plain(line).lower()))
    sets["neutral"] |= frozenset(word for word in said if word.isalpha())
    sets["neutral"] = sets["neutral"].union(*(sets[name] for name in ("supposes", "ifs", "can", "denies", "without")))
    sets["neutral"] -= sets["strong"]
    numbers: dict[str, str] = {}
    for one in read:
        counted = zip(one["counted"].split(), _VALUES, strict=True)
        numbers |= {**{word: str(value) for word, value in counted}, **{word: word for word in one["many"].split()}}
    greetings = [entry for one in read for entry in one["greetings"]]
    patterns: dict[str, Any] = {
        "us": _pattern(word for one in read for word in one["us"].split()),
        "them": _pattern(word for one in read for word in one["them"].split()),
        "presumes": _pattern(entry for one in read for entry in one["presumes"]),
        "greeting": re.compile(rf"\W{{0,3}}(?:{'|'.join(greetings)})\b[^,.!?;:]{{0,40}}(?:[,.!:–]|\s-\s|$)"),
    }
    kinds = read[0]["deny"]
    deny = {kind: _pattern(entry for one in read for entry in one["deny"][kind]) for kind in kinds}
    return Words(**sets, numbers=numbers, **patterns, deny=deny)


@cache
def _read(code: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "words" / f"{code}.toml").read_text(encoding="utf-8"))


def _lines(known: Any) -> Iterator[str]:
    """Yield every text of a file of messages."""
    for one in known.values() if isinstance(known, Mapping) else known:
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping | list):
            yield from _lines(one)


def _pattern(entries: Iterator[str]) -> re.Pattern[str]:
    """Return a pattern for phrases of words; every gap in it has an end, so that it is linear in time."""
    found = [one.replace(" .. ", r"(?: [^\s.!?]{1,30}){0,3} ").replace("*", r"\w{0,20}") for one in entries]
    return re.compile(rf"(?<!\w)(?:{'|'.join(found) or _NEVER})(?!\w)")
