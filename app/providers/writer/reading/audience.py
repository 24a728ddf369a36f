"""Read whom a founder says they sell to: in which jobs, at how large companies, and in which countries."""

import re
from collections.abc import Iterator

from app.ports.writer import Fact, Profile
from app.providers.writer.grammar import AND, listed, sentences
from app.providers.writer.reading.extraction import DESCRIPTION
from app.providers.writer.reading.words import Words, of
from app.providers.writer.tables.loader import countries, country_words

KIND, MOST_READ, LONGEST = "audience", 20, 400  # of the facts; sentences, and characters of one


def told(description: str, language: str) -> Iterator[Fact]:
    """Yield the sentences in which the founder says who the customers are."""
    words = of(language)
    for said in sentences(description[:20_000])[:MOST_READ]:
        if len(said) <= LONGEST and (words.has(said, "audience") or _sizes(said, words)):
            yield Fact(said, DESCRIPTION, said, KIND)


def sizes(profile: Profile) -> tuple[int, int] | None:
    """Return how many people work at the customers, at least and at most; None where the founder does not say it."""
    words = of(profile.language)
    found = (_sizes(fact.text, words) for fact in profile.facts if fact.kind == KIND)
    return next(filter(None, found), None)


def _sizes(said: str, words: Words) -> tuple[int, int] | None:
    match = re.search(rf"(?<!\d)(\d{{1,5}})\s?(?:-|–|\w{{1,3}})\s?(\d{{1,6}})\s{words.either('staff')}", said, re.I)
    return (int(match[1]), int(match[2])) if match and int(match[1]) < int(match[2]) else None


def market(text: str) -> tuple[str, str]:
    """Return the code of the only country that a text names, and the names of all of them as an area."""
    names = {**{name: code for code, name in countries().items()}, **country_words()}
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    found = re.finditer(rf"(?<![\w-])(?:{longest_first})(?![\w-])", text)
    named = list(dict.fromkeys(names[one[0]] for one in found))
    return named[0] if len(named) == 1 else "", listed([countries()[code] for code in named])


def places(area_told: str, language: str) -> list[str]:
    """Return the places of an area, each to search by itself: Leeds and Yorkshire are two, “(SV)” and “environs” none.

    A comma goes on with a list (“Essex, Kent and Sussex”) or says where the place is (“Leeds, Yorkshire”).
    """
    known, words = {*countries().values()}, of(language)
    plain = re.sub(r"\s?\([^()]{0,80}\)|\s[-–]\s[A-Z]{2}\b", "", area_told)
    inside = plain.rpartition(", ")
    plain = inside[0] if inside[2] in known and re.search(AND, inside[0]) else plain
    several = [one.strip() for one in re.split(AND, plain)]
    split = [re.split(r",\s*", one) for one in several if one and not words.is_one(one, "around")]
    listed_too = len(several) > 1 and "," not in several[-1]
    named = [place for parts in split for place in (parts if listed_too or {*parts} <= known else [", ".join(parts)])]
    return [re.sub(rf"^{words.either('article')}\s+(?=[A-ZÀ-Þ])", "", one) for one in named]
