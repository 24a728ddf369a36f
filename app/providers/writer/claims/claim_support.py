"""Compare one sentence with the words it may rest on: a quotation of the business, or what is known of a person."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.providers.writer.claims.claim_words import ALIKE, NEGATIONS, NEUTRAL, NUMBERS, ONES, STRONG, TIMES, plain

_TOKEN = re.compile(r"\d[\d.,:]*\d%?|\d%?|[^\W\d_]+(?:n['’]t\b)?")
_CLAUSE = re.compile(r"[.;:!?()–—|\n]|,(?!\d)")
_WHOLE, _COMPOUND = 5, 10  # letters that tell one stem from another; letters of a word that is made of words
_LONG = 6  # covered words beside which one word without a source changes nothing
_BESIDE = 2  # covered words, at least, for each word that stands elsewhere in what the business says


@dataclass(frozen=True)
class Token:
    """A word that has to stand in a source: `number` is its value as digits, where it counts something."""

    word: str
    said: str
    number: str = ""

    @property
    def strong(self) -> bool:
        """Return whether it changes what is claimed: a number, a name, or a word such as only or best."""
        return bool(self.number) or self.word in STRONG or not self.said[:1].islower()


def tokens(text: str) -> list[Token]:
    """Return the words that claim something, and the numbers."""
    return [one for one in _all(text) if one.number or one.word in STRONG or one.word not in NEUTRAL]


@lru_cache(maxsize=4096)
def _all(text: str) -> tuple[Token, ...]:
    found = []
    for match in _TOKEN.finditer(text):
        said = match[0]
        word = plain(said).lower().replace("’", "'")
        if said[0].isdigit():
            found.append(Token(word, said, re.sub(r"\D", "", said)))
        elif word in ONES and TIMES.match(plain(text[match.end() :]).lower()):
            found.append(Token(word, said, "1"))
        elif word in NUMBERS:
            found.append(Token(word, said, str(NUMBERS[word] or word)))
        elif len(word) > 1 or said.isupper():
            found.append(Token(word, said))
    return tuple(found)


def supported(sentence: str, sources: Sequence[str], names: str) -> bool:
    """Return whether one of the sources says what the sentence claims.

    `names` say who is meant, and claim nothing. A word or two may stand elsewhere, such as "the app" beside what the
    app does.
    """
    wanted, known = tokens(sentence), _all(names)
    wanted = [one for one in wanted if not _among(one, known)]
    elsewhere = [one for source in sources for one in _all(source)]
    return not wanted or any(_says(sentence, wanted, source, elsewhere) for source in sources)


def unsaid(sentence: str, sources: Sequence[str]) -> list[str]:
    """Return the numbers of a sentence that no source has."""
    known = {one.number for source in sources for one in _all(source)}
    return [one.said for one in tokens(sentence) if one.number and one.number not in known and one.said[0].isdigit()]


def _says(sentence: str, wanted: Sequence[Token], source: str, elsewhere: Sequence[Token]) -> bool:
    there = _all(source)
    missing = [one for one in wanted if not _among(one, there)]
    covered = sum(not one.number for one in wanted) - sum(not one.number for one in missing)
    if any(one.strong for one in missing):
        return False
    strange = [one for one in missing if not _among(one, elsewhere)]
    if len(strange) > (covered >= _LONG) or len(missing) * _BESIDE > covered:
        return False
    return _denies(sentence) == _denies_of(source, wanted)


def _among(one: Token, several: Sequence[Token]) -> bool:
    if one.number:
        return any(other.number == one.number for other in several)
    return any(not other.number and _same(one.word, other.word) for other in several)


@lru_cache(maxsize=65536)
def _same(one: str, other: str) -> bool:
    """Return whether two words have the same stem, or one is a part of a longer one."""
    if one == other or (one in ALIKE and ALIKE[one] == ALIKE.get(other)):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 3:
        return False
    shared = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if shared == len(short) and len(long) - shared <= 3:  # a plural, an ending
        return True
    if shared >= _WHOLE and shared >= 0.45 * len(long):
        return True
    if shared == 4 and shared >= 0.55 * len(long):
        return True
    return len(long) >= _COMPOUND and len(short) >= _WHOLE and short[:_WHOLE] in long


def _denies(text: str) -> bool:
    return any(one.word in NEGATIONS for one in _every_word(text))


@lru_cache(maxsize=1024)
def _every_word(text: str) -> tuple[Token, ...]:
    return tuple(Token(plain(said).lower().replace("’", "'"), said) for said in re.findall(r"[\w’']+", text))


def _denies_of(source: str, wanted: Sequence[Token]) -> bool:
    """Return whether the source denies it: in the clause that shares the most words with the claim."""
    clauses = [one for one in _CLAUSE.split(source) if one.strip()]
    best = max(clauses, key=lambda clause: sum(_among(one, _all(clause)) for one in wanted), default="")
    return _denies(best)
