"""Compare one sentence with the words it may rest on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.providers.writer.claims.claim_words import WORD, Words, plain

_CLAUSE = re.compile(r"[.;:!?()–—|·\n]|,(?!\d)")
_WHOLE, _COMPOUND = 5, 10  # letters that tell one stem from another; letters of a word that is made of words
_NEAR = 2  # words before and after a number
_BESIDE = 3  # known words beside which one that is not known changes little
_JOINS = frozenset("and or und oder et ou y o e en of".split())
# Words that say the same, in any of the languages.
_ALIKE = (
    "founded established formed incorporated exist exists existed gegrundet bestehen besteht fondee fonde fondes "
    "creee existe fundada fundado existimos fondata fondato nata nato esiste esistiamo opgericht bestaat",
    "all every each alle jede jeder jedes jeden tous toutes chaque todos todas cada tutti tutte ogni elke iedere",
    "complete completes completed finish finishes finished",
    "repair repairs repaired fix fixes fixed mend mends",
    "buy buys bought purchase purchases purchased",
)
_SAME = {word: number for number, several in enumerate(_ALIKE) for word in several.split()}


@dataclass(frozen=True)
class Token:
    """A word as it is compared; `number` is its value as digits, where it counts something."""

    word: str
    said: str
    number: str = ""
    first: bool = False

    def is_strong(self, words: Words) -> bool:
        """Return whether it changes what is claimed: a number, a name, or a word such as only or always."""
        named = self.said[:1].isupper() and (not self.first or (self.said.isupper() and len(self.said) > 1))
        return bool(self.number) or self.word in words.strong or named


@lru_cache(maxsize=8192)
def tokens(text: str, words: Words) -> tuple[Token, ...]:
    """Return the words of a text, and its numbers in digits or words."""
    spoken = plain(text)
    several = list(WORD.finditer(spoken))
    found = []
    for at, match in enumerate(several):
        said, word = match[0], match[0].lower()
        following = several[at + 1][0].lower() if at + 1 < len(several) else ""
        if said[0].isdigit():
            found.append(Token(word, said, re.sub(r"\D", "", said)))
        elif word in words.one and following in words.units:
            found.append(Token(word, said, "1"))
        elif word in words.numbers:
            found.append(Token(word, said, words.numbers[word]))
        elif len(word) > 1 or said.isupper():
            found.append(Token(word, said, first=not found))
    return tuple(found)


def missing(sentence: str, sources: Sequence[str], names: str, words: Words, *, strict: bool) -> list[Token]:
    """Return the words of a claim that stand in no source; [] when these are few enough, and none if it is `strict`.

    `names` say who is meant, and claim nothing. A word such as always says nothing alone, of no one.
    """
    low = plain(sentence).casefold()
    spoken = words.us.search(low) or words.them.search(low)
    known = tokens(names, words)
    said = [one for one in tokens(sentence, words) if _claims(one, words) and not one.number]
    wanted = [one for one in said if not _among(one, known)]
    there = [one for source in sources for one in tokens(source, words)]
    lacking = [one for one in wanted if not _among(one, there)]
    if all(one.word in words.strong for one in wanted) and not spoken:
        return []
    if any(one.is_strong(words) for one in lacking) or strict or len(lacking) * _BESIDE > len(wanted) - len(lacking):
        return lacking
    return []


def numbers(sentence: str, sources: Sequence[str], words: Words) -> list[str]:
    """Return the numbers of a sentence that no source has beside one of the words that stand beside them."""
    known = [one for source in sources for one in _counted(source, words)]
    return [
        one.said
        for one, beside in _counted(sentence, words)
        if not any(
            one.number == other.number and any(map(_among, beside, [near] * len(beside))) for other, near in known
        )
    ]


def _counted(text: str, words: Words) -> list[tuple[Token, list[Token]]]:
    """Return the numbers of a text, each with the words around it."""
    several = tokens(text, words)
    around = [
        [
            near
            for near in (*several[max(at - _NEAR, 0) : at], *several[at + 1 : at + 1 + _NEAR])
            if near.word not in _JOINS
        ]
        for at in range(len(several))
    ]
    return [(one, beside) for one, beside in zip(several, around, strict=True) if one.number]


def turned(sentence: str, sources: Sequence[str], words: Words) -> bool:
    """Return whether a sentence denies what its source says, or says what its source denies."""
    wanted = [one for one in tokens(sentence, words) if _claims(one, words)]
    clauses = [one for source in sources for one in _CLAUSE.split(source) if one.strip()]
    shared = [(sum(_among(one, tokens(clause, words)) for one in wanted), clause) for clause in clauses]
    most = max((number for number, _ in shared), default=0)
    best = [clause for number, clause in shared if number == most > 0]
    spoken = [one.word for clause in (sentence, *best) for one in tokens(clause, words)]
    if not best or words.without.intersection(spoken):
        return False
    return all(_denies(sentence, words) != _denies(one, words) for one in best)


def stands(triggers: Iterable[Token], sources: Sequence[str], words: Words) -> bool:
    """Return whether the sources have all of these words."""
    there = [one for source in sources for one in tokens(source, words)]
    return all(_among(one, there) for one in triggers)


def _claims(one: Token, words: Words) -> bool:
    return bool(one.number) or one.word in words.strong or one.word not in words.neutral


def _denies(text: str, words: Words) -> bool:
    return any(one.word in words.denies for one in tokens(text, words))


def _among(one: Token, several: Iterable[Token]) -> bool:
    if one.number:
        return any(other.number == one.number for other in several)
    return any(not other.number and _same(one.word, other.word) for other in several)


@lru_cache(maxsize=65536)
def _same(one: str, other: str) -> bool:
    """Return whether two words have the same stem, or one is a part of a longer one."""
    if one == other or (one in _SAME and _SAME[one] == _SAME.get(other)):
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < 3:
        return False
    shared = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if shared == len(short) and len(long) - shared <= 3:  # a plural, an ending
        return True
    if shared >= _WHOLE and shared >= 0.45 * len(long):
        return True
    if shared == 4 and shared >= 0.5 * len(long):
        return True
    if len(short) >= _WHOLE and long.endswith(short):
        return True
    return len(long) >= _COMPOUND and len(short) >= _WHOLE and short[:_WHOLE] in long
