"""Differences of two texts, sentence by sentence; what was filled in for one person is left blank in both."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from app.core.message_parts import GREETING, sentences, take_apart

BLANK = "…"  # stands where a value of the person stood
SIMILAR = 0.55  # two sentences with that much in common are one that was changed
HALF_ALIKE, SAME_LETTERS = 0.3, 0.7  # or that much, if so many of their letters are the same
_WORD = re.compile(r"[\w’'-]+")
LINK = re.compile(
    r"https?://\S+|www\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|co|de|fr|es|nl|it|pt|eu|app|dev|example)\b\S*"
)


@dataclass(frozen=True)
class Piece:
    """Words of two texts: the same, only in the old, or only in the new one."""

    side: str  # same, old or new
    text: str


@dataclass(frozen=True)
class Anatomy:
    """A text in its parts; `greeting` and `sign_off` are without name and mark, `body` is sentences."""

    greeting: str
    names: bool  # the greeting names the person
    body: tuple[str, ...]
    sign_off: str
    afterword: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the sentences that say something, the afterword at the end."""
        return (*self.body, self.afterword) if self.afterword else self.body

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the sentences that ask."""
        return tuple(one for one in self.sentences if one.rstrip('"”’) ').endswith("?"))

    @property
    def words(self) -> int:
        """Return how many words the sentences have."""
        return sum(length(one) for one in self.sentences)


def length(sentence: str) -> int:
    """Return how many words a sentence has; a value of the person counts as one."""
    return len([one for one in sentence.split() if _WORD.search(one) or BLANK in one])


def blanked(text: str, values: Sequence[str]) -> str:
    """Return the text with each of these values as a blank, the longest first."""
    wanted = sorted({value.strip() for value in values if len(value.strip()) > 1}, key=len, reverse=True)
    if wanted:
        either = "|".join(re.escape(value) for value in wanted)
        text = re.sub(rf"(?<!\w)(?:{either})(?!\w)", BLANK, text)
    return text


def anatomy(text: str) -> Anatomy:
    """Take a text apart. Its values should be blanks."""
    parts = take_apart(text)
    hello = GREETING.match(parts.greeting)
    greeting, names = (hello["words"].strip(), bool(hello["name"])) if hello else ("", False)
    body = (*(() if hello else sentences(parts.greeting)), *parts.body)
    return Anatomy(greeting, names, body, parts.farewell, " ".join(parts.afterword.split()))


@dataclass(frozen=True)
class Difference:
    """What became of a text: sentences removed, added and changed, and the share of what is left."""

    offered_text: str
    sent_text: str
    offered: Anatomy
    sent: Anatomy
    removed: tuple[str, ...]
    added: tuple[str, ...]
    changed: tuple[tuple[str, str], ...]

    @cached_property
    def kept(self) -> float:
        """Return which share of the sentences that were sent stood in the text offered, in these or similar words."""
        return 1 - len(self.added) / len(self.sent.sentences) if self.sent.sentences else 0.0


def compare(offered: str, sent: str, values: Sequence[str] = ()) -> Difference:
    """Compare the text offered with the one sent."""
    old, new = blanked(offered, values), blanked(sent, values)
    before, after = anatomy(old), anatomy(new)
    removed, added, changed = aligned(before.sentences, after.sentences)
    return Difference(old, new, before, after, tuple(removed), tuple(added), tuple(changed))


def aligned(old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """Return what was removed, added and changed; a sentence that only moved is none of these."""
    plain_old, plain_new = [_plain(one) for one in old], [_plain(one) for one in new]
    gone = [place for place, one in enumerate(plain_old) if plain_old[:place].count(one) >= plain_new.count(one)]
    come = [place for place, one in enumerate(plain_new) if plain_new[:place].count(one) >= plain_old.count(one)]
    pairs = ((-likeness(plain_old[a], plain_new[b]), a, b) for a in gone for b in come)
    changed: dict[int, int] = {}
    for unlike, a, b in sorted(pairs):
        if -unlike >= SIMILAR and a not in changed and b not in changed.values():
            changed[a] = b
    return (
        [old[place] for place in gone if place not in changed],
        [new[place] for place in come if place not in changed.values()],
        [(old[a], new[b]) for a, b in sorted(changed.items())],
    )


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).rstrip(".").casefold()


def likeness(one: str, other: str) -> float:
    """Return how alike two sentences are, from 0 to 1: word by word, or letter by letter where words were respelt."""
    words = difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()
    if not HALF_ALIKE <= words < SIMILAR:
        return words
    letters = difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()
    return max(words, letters * SIMILAR / SAME_LETTERS)


def runs(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Return what two sequences share and what differs, in order: each run with its side, same, old or new."""
    for change, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if change == "equal":
            yield "same", before[a:b]
            continue
        if b > a:
            yield "old", before[a:b]
        if d > c:
            yield "new", after[c:d]


def swaps(old: str, new: str) -> list[tuple[str, str]]:
    """Return the words of a sentence that were replaced by others; [] when anything else was changed, too."""
    before, after = old.split(), new.split()
    found = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if kind != "replace":
            return []
        pair = tuple(" ".join(words).strip('.,;:!?"“”()') for words in (before[a:b], after[c:d]))
        found.append((pair[0], pair[1]))
    return found
