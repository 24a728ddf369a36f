"""Assignment: which variant of a step a person gets.

The draw is computed from the person and the step, like that of spintax, and the shares say which part of it is whose.
It is kept with the first text that is written for the person (a draft, or an action in the ledger), so that other
shares, or a winner, reach only people who have no text yet.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

KEYS = ("A", "B", "C", "D", "E")
Step = Mapping[str, Any]
NONE: Mapping[int, str] = {}


def variants_of(step: Step) -> Sequence[Mapping[str, Any]]:
    """Return the variants of a step; [] of a step with one text."""
    return step.get("variants") or []


def any_in(sequence: Iterable[Step]) -> bool:
    """Return whether a step of the sequence has variants."""
    return any(step.get("variants") for step in sequence)


def draw(step: Step, person: object, number: int) -> str:
    """Return the key of the variant that the shares give this person at that step; '' without variants."""
    parts = [(str(one["key"]), one["share"]) for one in variants_of(step) if one["share"] > 0]
    if not parts:
        return ""
    digest = hashlib.blake2b(f"{person}|{number}|variant".encode(), digest_size=8).digest()
    left = int.from_bytes(digest) / 2**64 * sum(share for _, share in parts)
    for key, share in parts:
        left -= share
        if left < 0:
            return key
    return parts[-1][0]


def text_for(step: Step, person: object, number: int, had: Mapping[int, str] = NONE) -> tuple[Step, str]:
    """Return the step with the text of this person, and the key of its variant.

    `had` holds the variants of texts that were written for them before, by the number of the step.
    """
    variants = variants_of(step)
    key = had.get(number, "")
    if all(one["key"] != key for one in variants):
        key = draw(step, person, number)
    return with_variant(step, key), key


def with_variant(step: Step, key: str) -> Step:
    """Return the step with the text of that variant; as it is when it has none of that key."""
    for one in variants_of(step):
        if one["key"] == key:
            return {**step, "message": one["message"], "subject": one["subject"]}
    return step


def kept_text(step: Step) -> dict[str, Any]:
    """Return the texts of a step, to be kept for people who stay on the old version after a revision."""
    texts = {"message": step.get("message", ""), "subject": step.get("subject", "")}
    return texts | ({"variants": step["variants"]} if step.get("variants") else {})


def with_kept(step: Step, number: int, kept: Mapping[str, Any] | None) -> Step:
    """Return the step of that number as a person gets it for whom an old version may be kept."""
    if not kept or kept["step"] != number:
        return step
    bare = {name: value for name, value in step.items() if name != "variants"}
    text, now = kept_text(kept), shares_of(step)
    if any(now.get(one["key"]) for one in variants_of(text)):  # a winner also counts for people who wait already
        text = with_shares(text, now)
    return bare | text


def texts(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the message and the subject of each variant, or of the one text."""
    for one in variants_of(step) or [step]:
        yield one.get("message", ""), one.get("subject", "")


def same_texts(before: Step, after: Step) -> bool:
    """Return whether nothing changed but shares."""
    return _by_key(before) == _by_key(after)


def _by_key(step: Step) -> list[tuple[str, str, str]]:
    keys = [one["key"] for one in variants_of(step)] or [""]
    return [(key, message, subject) for key, (message, subject) in zip(keys, texts(step), strict=True)]


def shares_of(step: Step) -> dict[str, int]:
    """Return the shares by key."""
    return {one["key"]: one["share"] for one in variants_of(step)}


def with_shares(step: Step, shares: Mapping[str, int]) -> dict[str, Any]:
    """Return the step with other shares; a variant that is not named gets none."""
    return {**step, "variants": [{**one, "share": shares.get(one["key"], 0)} for one in variants_of(step)]}


def even_shares(number: int) -> list[int]:
    """Return the shares of so many variants that are to be equal; they add up to 100."""
    return [100 // number + (place < 100 % number) for place in range(number)]
