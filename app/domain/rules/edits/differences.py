"""Differences of two texts, sentence by sentence or word by word."""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SIMILAR = 0.55  # two sentences with that much in common are one that was changed
HALF_ALIKE, SAME_LETTERS = 0.3, 0.7  # or that much, if so many of their letters are the same


@dataclass(frozen=True)
class Piece:
    """Words of two texts: the same, only in the old, or only in the new one."""

    side: str  # same, old or new
    text: str


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
