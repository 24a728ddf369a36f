"""Conditions and branches in the builder's form: read, changed by its buttons, and passed to the verbs.

Each step names the branch and the side it is on, so that moving a step moves it in and out of a side; the places of a
branch follow from its steps.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from werkzeug.datastructures import MultiDict

from app.core import text
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import OTHERWISE, WHEN
from app.domain.rules.sequences.conditions import KINDS, SENDERS, SIGNALS

MOST = 5  # conditions at one place
_FIELD = re.compile(
    r"(sequence|branches)\[(\d{1,3})\]\.when\[(\d)\]\.(is|not|number|unit|value|name|equals|kind|sender)"
)
_KEY = re.compile(r"branches\[(\d{1,3})\]\.key")
SOUND_KEY = re.compile(r"[0-9a-f]{8}")
SIGNAL_CHOICES = [(kind, conditions.signal_words(kind).capitalize()) for kind in SIGNALS]
SENDER_CHOICES = [(kind, said[:1].upper() + said[1:]) for kind, said in SENDERS.items()]
KIND_CHOICES = [(name, kind.label) for name, kind in KINDS.items()]


def in_days(written: str, unit: str) -> float:
    """Return how many days a wait of the form is, right or wrong."""
    return max(0, text.decimal(written.strip() or "0", 0)) / (24 if unit == "hours" else 1)


class Placed(Protocol):
    """A step of the form, as far as branches know it."""

    key: str
    branch: str
    side: str


@dataclass
class ConditionDraft:
    """A condition of the form, right or wrong."""

    kind: str = "has_email"
    negated: str = ""
    number: str = "7"
    unit: str = "days"
    value: str = ""
    name: str = ""
    equals: str = ""
    signal: str = SIGNALS[0]
    sender: str = next(iter(SENDERS))

    @property
    def days(self) -> float:
        """Return for how many days the condition waits for an answer."""
        return in_days(self.number, self.unit) if self.kind == "accepted" else 0

    @classmethod
    def of(cls, condition: conditions.Condition) -> "ConditionDraft":
        """Return the form's values for a stored condition."""
        within = condition.get("within") or {"value": 7, "unit": "days"}
        found = cls(condition["is"], "1" if condition.get("not") else "", f"{within['value']:g}", within["unit"])
        found.name, found.equals = condition.get("name", ""), condition.get("equals", "")
        if found.kind == "sender":
            found.sender = condition["value"]
        else:
            found.value = condition.get("value", "")
        found.signal = condition.get("kind", found.signal)
        return found

    def argument(self) -> dict[str, Any]:
        """Return the condition as verbs take it."""
        takes: dict[str, Any] = {
            "accepted": {"within": {"value": text.decimal(self.number.strip() or "0", -1), "unit": self.unit}},
            "tag": {"value": self.value},
            "custom_field": {"name": self.name, "equals": self.equals.strip() or None},
            "signal": {"kind": self.signal},
            "sender": {"value": self.sender},
        }
        return {"is": self.kind, "not": bool(self.negated), **takes.get(self.kind, {})}


@dataclass
class BranchDraft:
    """A branch of the form: its conditions, and a key that its steps name."""

    key: str = field(default_factory=lambda: secrets.token_hex(4))
    when: list[ConditionDraft] = field(default_factory=lambda: [ConditionDraft()])


def when_of(drafts: Sequence[ConditionDraft]) -> dict[str, Any] | None:
    """Return conditions as verbs take them."""
    found = [draft.argument() for draft in drafts]
    return ({"all": found} if len(found) > 1 else found[0]) if found else None


def drafts_of(when: conditions.When | None) -> list[ConditionDraft]:
    """Return the form's values for stored conditions."""
    return [ConditionDraft.of(one) for one in conditions.parts(when)] if when else []


def in_words(drafts: Sequence[ConditionDraft], *, holds: bool = True) -> str:
    """Return what conditions say of a person, as far as they are filled in."""
    try:
        return conditions.in_words(when_of(drafts) or {"all": []}, holds=holds)
    except (KeyError, ValueError):
        return "…"


def conditions_in(form: MultiDict[str, str]) -> dict[tuple[str, int], list[ConditionDraft]]:
    """Return the conditions of the form, by the step or branch they belong to."""
    fields: dict[tuple[str, int], dict[int, dict[str, str]]] = {}
    for name, given in form.items():
        if found := _FIELD.fullmatch(name):
            here = fields.setdefault((found[1], int(found[2])), {}).setdefault(int(found[3]), {})
            here[{"is": "kind", "not": "negated", "kind": "signal"}.get(found[4], found[4])] = given
    return {
        place: [ConditionDraft(**typed) for _, typed in sorted(several.items()) if typed.get("kind") in KINDS][:MOST]
        for place, several in fields.items()
    }


def branches_in(form: MultiDict[str, str]) -> list[BranchDraft]:
    """Return the branches of the form."""
    known = conditions_in(form)
    return [
        BranchDraft(given, known.get(("branches", int(found[1])), []) or [ConditionDraft()])
        for name, given in form.items()
        if (found := _KEY.fullmatch(name)) and SOUND_KEY.fullmatch(given)
    ]


class Layout:
    """The steps of a form with its branches, and the moves that keep each side together."""

    def __init__(self, steps: list[Any], branches: list[BranchDraft]) -> None:
        self.steps, self.branches = steps, branches

    def tidy(self) -> None:
        """Keep the steps of each side together, and drop branches without steps."""
        known = {branch.key for branch in self.branches}
        for step in self.steps:
            step.branch = step.branch if step.branch in known else ""
            step.side = step.side if step.branch and step.side in (WHEN, OTHERWISE) else WHEN
        found: list[Any] = []
        for step in self.steps:
            if not step.branch:
                found.append(step)
            elif not any(one.branch == step.branch for one in found):
                for side in (WHEN, OTHERWISE):
                    found += [one for one in self.steps if (one.branch, one.side) == (step.branch, side)]
        self.steps[:] = found
        order = list(dict.fromkeys(step.branch for step in found if step.branch))
        self.branches[:] = sorted(
            (one for one in self.branches if one.key in order), key=lambda one: order.index(one.key)
        )

    def places(self, branch: BranchDraft) -> tuple[int, int, int]:
        """Return where the branch begins, where its other side does, and where both join."""
        mine = [index for index, step in enumerate(self.steps) if step.branch == branch.key]
        first = sum(self.steps[index].side == WHEN for index in mine)
        return mine[0], mine[0] + first, mine[-1] + 1

    def arguments(self) -> list[dict[str, Any]]:
        """Return the branches as verbs take them."""
        return [
            {**dict(zip(("at", "otherwise", "join"), self.places(one), strict=True)), "when": when_of(one.when)}
            for one in self.branches
        ]

    def marks(self) -> dict[int, list[tuple[str, int, BranchDraft]]]:
        """Return what is drawn before the step at each place: `close`, `open` and `middle` of a branch."""
        found: dict[int, list[tuple[str, int, BranchDraft]]] = {}
        for number, branch in enumerate(self.branches):
            for what, place in zip(("open", "middle", "close"), self.places(branch), strict=True):
                found.setdefault(place, []).append((what, number, branch))
        return found

    def split(self, after: int) -> str:
        """Split the sequence after that many steps: what follows, up to the next branch, is one side."""
        if any(start < after < end for start, _, end in map(self.places, self.branches)):
            return ""
        branch = BranchDraft()
        invited = any(step.type == "connection_request" for step in self.steps[:after])
        branch.when = [ConditionDraft("accepted" if invited else "has_email")]
        following = self.steps[after:]
        inside = next((number for number, step in enumerate(following) if step.branch), len(following))
        for step in following[:inside]:
            step.branch, step.side = branch.key, WHEN
        self.branches.append(branch)
        return branch.key if inside else ""

    def move(self, index: int, down: bool) -> int:
        """Move a step by one: past its neighbour, to the other side, or in or out of a branch; return its new index."""
        step, to = self.steps[index], index + 1 if down else index - 1
        beside = self.steps[to] if 0 <= to < len(self.steps) else None
        if beside is not None and (beside.branch, beside.side) == (step.branch, step.side):
            self.steps[index], self.steps[to] = beside, step
            return to
        if step.branch and step.side == (WHEN if down else OTHERWISE):
            step.side = OTHERWISE if down else WHEN
        elif step.branch:
            step.branch, step.side = "", WHEN
        elif beside is not None:
            step.branch, step.side = beside.branch, WHEN if down else OTHERWISE
        return index

    def join(self, key: str) -> None:
        """Take a branch away; its steps stay, one after the other."""
        for step in self.steps:
            if step.branch == key:
                step.branch, step.side = "", WHEN
