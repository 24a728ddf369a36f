"""Step keys: the name of a step for good, whatever place a change on the way gives it. Pure.

The ledger and the drafts name a step by its key; a person stands at a place, the index in the campaign's steps. As long
as no step was put in between, moved or removed, key and place are the same number and no key is stored.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Steps = Sequence[Mapping[str, Any]]
KEY = "key"


def key_of(sequence: Steps, place: int) -> int:
    """Return the key of the step at this place."""
    key: int = sequence[place].get(KEY, place)
    return key


def keys(sequence: Steps) -> list[int]:
    """Return the keys of the steps in order."""
    return [key_of(sequence, place) for place in range(len(sequence))]


def place_of(sequence: Steps, key: int) -> int | None:
    """Return where the step of this key stands now; None for one that was removed."""
    if 0 <= key < len(sequence) and key_of(sequence, key) == key:
        return key
    return next((place for place in range(len(sequence)) if key_of(sequence, place) == key), None)


def plain(sequence: Steps) -> list[dict[str, Any]]:
    """Return the steps without their keys: what people read, and what a copy begins with."""
    return [{name: value for name, value in step.items() if name != KEY} for step in sequence]


def next_key(sequence: Steps, given: int = 0) -> int:
    """Return a key that no step ever had; `given` is what the campaign remembers."""
    return max([given, *(key + 1 for key in keys(sequence))])


def with_keys(before: Steps, after: Steps, given: int = 0) -> list[dict[str, Any]]:
    """Return the new steps with the keys of those they came from, and new keys for new ones."""
    came_from, fresh = match(before, after), next_key(before, given)
    named = []
    for place, step in enumerate(plain(after)):
        if place in came_from:
            key = key_of(before, came_from[place])
        else:
            key, fresh = fresh, fresh + 1
        named.append({**step, KEY: key})
    return shortened(named)


def shortened(named: Steps) -> list[dict[str, Any]]:
    """Return the steps without their keys where those are the places anyway."""
    if keys(named) == list(range(len(named))):
        return plain(named)
    return [dict(step) for step in named]


def match(before: Steps, after: Steps) -> dict[int, int]:
    """Return, by the place of each new step that existed before, its former place.

    A step is recognised when nothing of it changed; else by its kind and texts; else by its kind, as long as it still
    follows the same step.
    """
    old, new = plain(before), plain(after)
    found: dict[int, int] = {}
    for same in (_all, _texts):
        for place, step in enumerate(new):
            if place not in found:
                free = [n for n, one in enumerate(old) if n not in found.values() and same(one) == same(step)]
                if free:
                    found[place] = min(free, key=lambda n: abs(n - place))
    for place, step in enumerate(new):
        if place not in found:
            taken = set(found.values())
            free = [n for n, one in enumerate(old) if n not in taken and one["type"] == step["type"]]
            gap = [n for n in free if _follows(n, place, found)]
            if gap:
                found[place] = gap[0]
    return found


def _all(step: Mapping[str, Any]) -> Any:
    return sorted((name, repr(value)) for name, value in step.items() if value not in ("", None))


def _texts(step: Mapping[str, Any]) -> Any:
    """Return what a step says; None never equals, so that silent steps are told apart by place."""
    said = (step.get("message", ""), step.get("subject", ""))
    return (step["type"], *said) if any(said) else object()


def _follows(former: int, place: int, found: Mapping[int, int]) -> bool:
    """Return whether the step follows the same recognised step as it did, or is followed by the same one."""
    back = {old: new for new, old in found.items()}
    earlier_new = max((new for new in found if new < place), default=-1)
    earlier_old = max((old for old in back if old < former), default=-1)
    return found.get(earlier_new, -1) == earlier_old
