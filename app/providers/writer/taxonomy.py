"""Recognise a business's trade, and kinds of companies, in a text."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice, takewhile

from app.providers.writer.reading.words import of
from app.providers.writer.tables.loader import (
    WORD,
    Found,
    Lexicon,
    Segment,
    Trade,
    clues,
    companies_in,
    root,
    segments,
    tokens,
    trades,
)

DESCRIPTION = "description"  # the page of what the owner wrote
# Scores that are no accident: of a trade that a title names or not, and of one where no other trade is named.
ENOUGH, IN_TITLE = 14, 13
ALONE, ALONE_IN_TITLE = 13, 9
AHEAD, SURE = 1.25, 40  # times the score of the next trade, unless it is said so often that both are true
LEAST_SHARE = 0.2  # of the scores of all trades; a list of whatever customers have done names many alike
STRONG, MOST_OFTEN, TOP = 3, 4, 4
LESS, ASIDE = 3, 3
CLOSE = 2  # words between a trade and a program for it
LANGUAGES = ("de", "fr", "es", "it", "nl", "pt")
NOUN_FIRST = frozenset(("fr", "es", "it", "pt"))
_REACH = 6  # words


@dataclass(frozen=True)
class Passage:
    """Words of a page or description; `weight` is larger for titles and for what a site says of itself."""

    page: str
    words: str
    weight: int = 1


def trade_of(passages: Sequence[Passage]) -> Trade | None:
    """Return the trade whose names and words a site uses; None when there are too few, or another's are as many."""
    scores = _scores(passages)
    best = max(scores, key=lambda code: scores[code], default="")
    rivals = [code for code in scores if AHEAD * scores[code] > scores[best]]
    chosen = best if len(rivals) < 2 or scores[best] >= SURE else _head(passages, rivals)
    if not chosen or scores[chosen] < LEAST_SHARE * sum(scores.values()):
        return None
    alone, titled = len(scores) == 1, chosen == _head(passages, [chosen])
    least = (ALONE_IN_TITLE if titled else ALONE) if alone else (IN_TITLE if titled else ENOUGH)
    return trades()[chosen] if scores[best] >= least else None


@lru_cache(maxsize=256)  # asked as often as `trade_in`
def is_told(code: str, text: str) -> bool:
    """Return whether a text names the trade of a code, or says something that supports it."""
    there = tokens(text)
    return any(found.code == code for found in (*_sold(there), *_words().found(there)))


def called_as(code: str, text: str) -> list[str]:
    """Return the words by which a text names the trade of a code."""
    spans = list(WORD.finditer(text))
    found = (one for one in _sold(tokens(text)) if one.code == code)
    return [text[spans[one.begin].start() : spans[one.end - 1].end()] for one in found]


def is_advice(text: str) -> bool:
    """Return whether a text says that advice is sold."""
    return any(_clues(kind).found(tokens(text)) for kind in ("advice", "advises"))


def _head(passages: Sequence[Passage], rivals: Sequence[str]) -> str:
    """Return the last of several trades that a title names: a restaurant furniture maker sells furniture."""
    for passage in passages:
        if passage.weight >= TOP or passage.page == DESCRIPTION:
            named = [found.code for found in _sold(tokens(passage.words)) if found.code in rivals]
            if named:
                return named[-1]
    return ""


def _scores(passages: Sequence[Passage]) -> dict[str, float]:
    """Return the score of each trade that is named at all."""
    named: dict[tuple[str, str], list[int]] = {}
    said: dict[tuple[str, str], int] = {}
    aside = False
    for passage in passages:
        there = tokens(passage.words)
        told = [found for kind in ("programs", "advice") for found in _clues(kind).found(there)]
        aside = aside or (passage.weight >= TOP and bool(told))
        for found in _sold(there):
            named.setdefault((found.code, found.entry), []).append(passage.weight)
        for found in _words().found(there):
            said[found.code, found.entry] = max(said.get((found.code, found.entry), 0), passage.weight)
    scores: dict[str, float] = {}
    for (code, _), weights in named.items():
        scores[code] = scores.get(code, 0) + STRONG * max(weights) + min(len(weights) - 1, MOST_OFTEN)
    for (code, _), weight in said.items():
        if code in scores:
            scores[code] += min(weight, LESS)
    for code in scores:
        if aside and trades()[code].near:
            scores[code] /= ASIDE  # who sells programs or advice to hotels speaks of hotels more than of either
    return scores


def _sold(there: Sequence[str]) -> list[Found]:
    """Return the names of trades in the words of a passage, without those of customers."""
    programs = {found.begin for found in _clues("programs").found(there)}
    advice = {found.begin for found in _clues("advice").found(there)}

    def told_apart(found: Found) -> bool:
        trade, after = trades()[found.code], range(found.end, found.end + CLOSE)
        beside = {*range(found.begin - CLOSE, found.begin), *after} if trade.kind == "goods" else set[int]()
        programmed = not trade.programs and programs.intersection(after)
        return bool(advice & beside or programmed)

    return [one for one in longest(_names().found(there)) if not (_of_customers(there, one) or told_apart(one))]


def _of_customers(there: Sequence[str], found: Found) -> bool:
    start = max(0, found.begin - _REACH)
    before = there[start : found.begin]
    return bool(_clues("those").found(before)) or any(_serves(there, at) for at in range(start, found.begin))


def _serves(there: Sequence[str], at: int) -> bool:
    """Return whether a word begins what tells for whom something is: “for”, or “to” after a verb of selling."""
    if root(there[at]) in _for():
        return True
    return there[at] in clues("to") and any(one.startswith(clues("sells")) for one in there[max(0, at - _REACH) : at])


def after_for(text: str, ends: Callable[[str], bool] = lambda word: False) -> str:
    """Return the words of a text after those that say for whom something is, unless that is the business itself.

    A word that `ends` a clause begins what is said of a place.
    """
    clauses: list[list[str]] = [[]]
    there = tokens(text)
    for at, word in enumerate(there):
        if _serves(there, at):
            clauses.append([])
        else:
            clauses[-1].append(word)
    told = [list(takewhile(lambda word: not ends(word), one)) for one in clauses[1:]]
    return " ".join(" ".join(one) for one in told if not _clues("own").found(one[:2]))


def after_to(text: str, language: str) -> str:
    """Return the words of a sentence after its last “to”: “interpreters for rare languages to courts and clinics”."""
    there, words = tokens(text), of(language)  # the English “a” is the Italian “to”
    to = [at for at, word in enumerate(there) if word in clues("to") and words.is_one(word, "for")]
    last = max(to, default=len(there))
    return " ".join(there[last + 1 :])


def before_for(text: str) -> str:
    """Return the words of a text up to those that say for whom something is."""
    there = tokens(text)
    return " ".join(there[: next((at for at in range(len(there)) if _serves(there, at)), len(there))])


@cache
def _for() -> frozenset[str]:
    return frozenset(root(one) for one in clues("for"))


@cache
def _clues(kind: str) -> Lexicon:
    return Lexicon((entry, kind) for entry in clues(kind))


def names_trade(text: str) -> bool:
    """Return whether a text is nothing but the name of a trade."""
    there = tokens(text)
    return any((one.begin, one.end) == (0, len(there)) for one in _names().found(there))


def longest(several: Sequence[Found]) -> list[Found]:
    """Leave out what is only a part of longer words: the builder in a machine builder."""
    return [
        one
        for one in several
        if not any(
            other.begin <= one.begin and one.end <= other.end and other.end - other.begin > one.end - one.begin
            for other in several
        )
    ]


@cache
def _names() -> Lexicon:
    return Lexicon((entry, trade.code) for trade in trades().values() for entry in trade.names)


@cache
def _words() -> Lexicon:
    return Lexicon((entry, trade.code) for trade in trades().values() for entry in trade.words)


def _names_of_companies(language: str) -> list[tuple[str, str]]:
    """Return the words for kinds of companies in English and a language; without one in all, and as industries."""
    entries = [(entry, one.code) for one in segments().values() for entry in (*one.words, one.plural)]
    for spoken in (language,) if language else LANGUAGES:
        entries += [(entry, code) for code, several in companies_in(spoken).items() for entry in several]
    if not language:
        entries += [(entry, one.code) for one in segments().values() for entry in one.industries]
    return entries


@cache
def _companies(language: str) -> Lexicon:
    return Lexicon(_names_of_companies(language))


def kinds_in(there: Sequence[str], language: str) -> list[Found]:
    """Return where the words of a text name kinds of companies."""
    return longest(_companies(language).found(there))


@cache
def _as_written(language: str) -> frozenset[str]:
    return frozenset(" ".join(tokens(entry)) for entry, _ in _names_of_companies(language))


@lru_cache(maxsize=256)
def segments_in(text: str, language: str = "", share: float = 0.0) -> tuple[Segment, ...]:
    """Return the kinds of companies that a text names, in its order.

    They must fill a share of the text: “a compliant office” names no offices, and in languages where the noun comes
    first it must begin with them. They must be written as the tables have them, since “for the laboratory” speaks of
    one's own. Without a language the text is of a directory of people, where one word stands for an industry.
    """
    there = tokens(text)
    several = longest(_companies(language).found(there))
    if language:
        several = [one for one in several if " ".join(there[one.begin : one.end]) in _as_written(language)]
    several = [one for one in several if not (segments()[one.code].broad and _narrowed(text, one, language))]
    if share and language in NOUN_FIRST:
        several = [one for one in several if one.begin == 0]
    if sum(one.end - one.begin for one in several) < share * len(there):
        return ()
    return tuple(segments()[code] for code in dict.fromkeys(one.code for one in several))


def _narrowed(text: str, found: Found, language: str) -> bool:
    """Return whether a noun before the words, or after them and “of”, makes them something else: a repair shop."""
    words, spans = of(language or "en"), list(islice(WORD.finditer(text), found.end))
    if words["compounds"] or len(spans) < found.end:
        return False
    before = re.search(r"\b([a-z]+)[ -]$", text[: spans[found.begin].start()]) if words.adjectives_first else None
    after = re.match(r"\sd(?:[eio]\s|['’])([a-zà-ÿ]+)", text[spans[found.end - 1].end() :])
    plain = before and words.is_one(before[1], "stops", "before", "praise", "plain", "generic")
    return bool((before and not plain) or (after and not words.is_one(after[1], "article")))


@lru_cache(maxsize=256)  # each check of a draft asks some dozen times for the same topic and pitch
def trade_in(text: str) -> Trade | None:
    """Return the only trade that a text names."""
    named = {found.code for found in _sold(tokens(text))}
    return trades()[named.pop()] if len(named) == 1 else None
