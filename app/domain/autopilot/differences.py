"""Differences of two texts, sentence by sentence or word by word, and of the steps of two sequences."""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.mail.message_parts import sentences, take_apart

SIMILAR = 0.55  # two sentences at least this alike count as one changed sentence
HALF_ALIKE, SAME_LETTERS = 0.3, 0.7  # or at least HALF_ALIKE, if SAME_LETTERS of their letters are the same


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
    """Return how alike two sentences are, from 0 to 1, by words, or by letters where only the spelling changed."""
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


Step = Mapping[str, Any]


@dataclass(frozen=True)
class StepChange:
    """One step that differs: its number, its old and new sentences, and a few words on what changed."""

    number: int  # the step's number among the new steps, or among the old ones if it was removed
    kind: str
    says: str
    sentences: Sequence[Piece]


def compare(before: Sequence[Step], after: Sequence[Step]) -> list[StepChange]:
    """Return the steps that differ, in their order."""
    old = {step["id"]: step for step in before}
    kept = [step["id"] for step in after]
    found = []
    for number, step in enumerate(after, 1):
        if step["id"] not in old:
            found.append(StepChange(number, step["kind"], "added", _pieces({}, step)))
        elif says := _says(old[step["id"]], step):
            found.append(StepChange(number, step["kind"], ", ".join(says), _pieces(old[step["id"]], step)))
    for number, step in enumerate(before, 1):
        if step["id"] not in kept:
            found.append(StepChange(number, step["kind"], "dropped", _pieces(step, {})))
    stays = [name for name in old if name in kept]
    if stays != [name for name in kept if name in old]:
        found.append(StepChange(0, "", "in a different order", ()))
    return sorted(found, key=lambda one: one.number)


def report(changes: Sequence[StepChange]) -> str:
    """Return what changed as sentences: "Steps 3 and 5: 1 sentence out."; '' when nothing did."""
    several: dict[str, list[str]] = {}
    for one in changes:
        several.setdefault(one.says, []).append(str(one.number))
    return " ".join(
        f"Step{'s' * (len(numbers) > 1)} {_listed(numbers)}: {says}." if numbers != ["0"] else f"Steps {says}."
        for says, numbers in several.items()
    )


def _listed(numbers: Sequence[str]) -> str:
    return " and ".join([", ".join(numbers[:-1]), numbers[-1]] if len(numbers) > 1 else numbers)


def _pieces(old: Step, new: Step) -> list[Piece]:
    return [Piece(side, one) for side, several in runs(_parts(old), _parts(new)) for one in several]


def _parts(step: Step) -> list[str]:
    """Return subject, greeting, sentences and signature of a step, each as one part."""
    parts = take_apart(step.get("text", ""))
    subject = f"Subject: {step['subject']}" if step.get("subject") else ""
    several = [subject, parts.greeting.strip(), *parts.body, *sentences(parts.signature + parts.afterword)]
    return [one for one in several if one]


def _says(old: Step, new: Step) -> list[str]:
    """Return what differs between a step and the same step before."""
    was, now = take_apart(old.get("text", "")), take_apart(new.get("text", ""))
    before, after = was.body, now.body
    removed, added, changed = aligned(before, after)
    moved = 0
    if not removed and not added:
        order = runs([one.casefold() for one in before], [one.casefold() for one in after])
        moved = sum(len(several) for side, several in order if side == "new") - len(changed)
    counted = ((len(removed), "removed"), (len(added), "added"), (len(changed), "changed"), (moved, "moved"))
    said = [f"{count} sentence{'s' * (count > 1)} {what}" for count, what in counted if count > 0]
    if was.greeting.strip() != now.greeting.strip():
        said.append("new greeting")
    if (was.signature + was.afterword).split() != (now.signature + now.afterword).split():
        said.append("new signature")
    if old.get("text", "") != new.get("text", "") and not said:
        said.append("reformatted")
    if old.get("subject", "") != new.get("subject", ""):
        said.append("new subject")
    if old["delay"] != new["delay"]:
        said.append(f"waits {_wait(new)} instead of {_wait(old)}")
    if any(old.get(name) != new.get(name) for name in ("after", "reaction", "kind")):
        said.append("different condition or kind")
    return said


def _wait(step: Step) -> str:
    count, unit = step["delay"]["count"], step["delay"]["unit"]
    return f"{count} {unit[:-1] if count == 1 else unit}"
