"""Conditions and branches in the builder's form: read, changed by its buttons, and passed to the verbs.

Each step names the branch and the side it is on, so that moving a step moves it in and out of a side, and so does each
branch within another; the places of a branch follow from its steps.
"""

import itertools
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from werkzeug.datastructures import MultiDict

from app.core import text
from app.domain.campaigns.branch_validation import MAX_BRANCHES, MAX_DEPTH
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import OTHERWISE, WHEN, drawn
from app.domain.rules.sequences.conditions import KINDS, SENDERS, SIGNALS

MOST, MOST_BRANCHES = 5, 2 * MAX_BRANCHES  # conditions at one place; a save says of branches that they are too many
_FIELD = re.compile(
    r"(sequence|branches)\[(\d{1,3})\]\.when\[(\d)\]\.(is|not|number|unit|value|name|equals|kind|sender)"
)
_PLACED = re.compile(r"branches\[(\d{1,3})\]\.(key|branch|side)")
SOUND_KEY = re.compile(r"[0-9a-f]{8}")
SIGNAL_CHOICES = [(kind, conditions.signal_words(kind).capitalize()) for kind in SIGNALS]
SENDER_CHOICES = [(kind, said[:1].upper() + said[1:]) for kind, said in SENDERS.items()]
KIND_CHOICES = [(name, kind.label) for name, kind in KINDS.items()]


def in_days(written: str, unit: str) -> float:
    """Return how many days a wait of the form is, right or wrong."""
    return max(0, text.decimal(written.strip() or "0", 0)) / (24 if unit == "hours" else 1)


class Placed(Protocol):
    """A step or a branch of the form: it may be on a side of a branch."""

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
            "custom_field": {"name": self.name, "equals": self.equals.strip() or None},
            "signal": {"kind": self.signal},
            "sender": {"value": self.sender},
        }
        given = {"value": self.value} if KINDS[self.kind].takes == "value" else {}
        return {"is": self.kind, "not": bool(self.negated), **takes.get(self.kind, given)}


@dataclass
class BranchDraft:
    """A branch of the form: its conditions, a key that its steps name, and the side of another branch it is on."""

    key: str = field(default_factory=lambda: secrets.token_hex(4))
    when: list[ConditionDraft] = field(default_factory=lambda: [ConditionDraft()])
    branch: str = ""
    side: str = WHEN


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
    known, fields = conditions_in(form), dict[int, dict[str, str]]()
    for name, given in form.items():
        if found := _PLACED.fullmatch(name):
            fields.setdefault(int(found[1]), {})[found[2]] = given
    return [
        BranchDraft(when=known.get(("branches", number), []) or [ConditionDraft()], **placed)
        for number, placed in fields.items()
        if SOUND_KEY.fullmatch(placed.get("key", ""))
    ][:MOST_BRANCHES]


class Layout:
    """The steps of a form with its branches, and the moves that keep each side together."""

    def __init__(self, steps: list[Any], branches: list[BranchDraft]) -> None:
        self.steps, self.branches = steps, branches

    def way(self, one: Placed) -> list[tuple[BranchDraft, str]]:
        """Return the branches that a step or branch lies in, each with its side, the outermost first."""
        known = {branch.key: branch for branch in self.branches}
        found: list[tuple[BranchDraft, str]] = []
        while one.branch in known and len(found) < len(known):
            found.insert(0, (known[one.branch], one.side))
            one = known[one.branch]
        return found

    def tidy(self) -> None:
        """Keep the steps of each side together, and drop branches without steps."""
        known = {branch.key for branch in self.branches}
        for one in (*self.steps, *self.branches):
            one.branch = one.branch if one.branch in known else ""
            one.side = one.side if one.branch and one.side in (WHEN, OTHERWISE) else WHEN
        for branch in self.branches:
            if any(branch is outer for outer, _ in self.way(branch)):
                branch.branch, branch.side = "", WHEN
        ways, first = [self.way(step) for step in self.steps], dict[str, int]()
        for index, way in enumerate(ways):
            for branch, _ in way:
                first.setdefault(branch.key, index)
        order = [
            [*(number for branch, side in way for number in (first[branch.key], side != WHEN)), index]
            for index, way in enumerate(ways)
        ]
        self.steps[:] = [self.steps[place[-1]] for place in sorted(order)]
        kept = [branch for branch in self.branches if branch.key in first]
        self.branches[:] = sorted(kept, key=lambda branch: (self.places(branch)[0], len(self.way(branch))))

    def places(self, branch: BranchDraft) -> tuple[int, int, int]:
        """Return where the branch begins, where its other side does, and where both join."""
        sides = [{one.key: side for one, side in self.way(step)}.get(branch.key) for step in self.steps]
        mine = [index for index, side in enumerate(sides) if side]
        return mine[0], mine[0] + sides.count(WHEN), mine[-1] + 1

    def spans(self) -> list[dict[str, Any]]:
        """Return the places of the branches, by their names."""
        return [dict(zip(("at", "otherwise", "join"), self.places(one), strict=True)) for one in self.branches]

    def arguments(self) -> list[dict[str, Any]]:
        """Return the branches as verbs take them."""
        return [{**span, "when": when_of(one.when)} for span, one in zip(self.spans(), self.branches, strict=True)]

    def marks(self) -> dict[int, list[tuple[str, int, BranchDraft, bool]]]:
        """Return what is drawn before the step at each place: `open`, `middle` and `close` of a branch.

        With each stands the branch's number, and whether the side that ends there has no steps.
        """
        found: dict[int, list[tuple[str, int, BranchDraft, bool]]] = {}
        spans = self.spans()
        for what, place, number in drawn(spans):
            empty = place == spans[number]["at" if what == "middle" else "otherwise"]
            found.setdefault(place, []).append((what, number, self.branches[number], empty))
        return found

    def paths(self, one: Placed) -> list[str]:
        """Return in words for whom the sides are that a step or branch lies in, the outermost first."""
        return [in_words(branch.when, holds=side == WHEN) for branch, side in self.way(one)]

    def days(self, branch: str = "", side: str = WHEN) -> float:
        """Return how many days that side of a branch takes, or with "" the sequence: of a split, the longer side."""
        steps: float = sum(one.days for one in self.steps if (one.branch, one.side) == (branch, side))
        inner = [one.key for one in self.branches if (one.branch, one.side) == (branch, side)]
        return steps + sum(max(self.days(key, WHEN), self.days(key, OTHERWISE)) for key in inner)

    def before(self, index: int) -> list[Any]:
        """Return the steps before one on the way to it, which takes the first side of each split beside it."""
        mine = {branch.key: side for branch, side in self.way(self.steps[index])}
        sides = [[side == mine.get(branch.key, WHEN) for branch, side in self.way(step)] for step in self.steps[:index]]
        return [step for step, on_way in zip(self.steps[:index], sides, strict=True) if all(on_way)]

    def may_split(self, branch: str) -> bool:
        """Return whether a side of that branch can be split, or with "" the whole sequence."""
        outer = next((one for one in self.branches if one.key == branch), None)
        return outer is None or len(self.way(outer)) + 1 < MAX_DEPTH

    def goes_on(self, after: int, branch: str, side: str) -> bool:
        """Return whether steps follow on that side after so many steps of the form."""
        around = self.way(BranchDraft(branch=branch, side=side))
        return after < len(self.steps) and self.way(self.steps[after])[: len(around)] == around

    def split(self, after: int, branch: str = "", side: str = WHEN) -> str:
        """Split a side of that branch, or the whole sequence, after that many steps of the form.

        What follows there, up to the next branch, is the first side of the new one; so is a branch that follows next.
        """
        made = BranchDraft(branch=branch, side=side)
        around, following = self.way(made), self.way(self.steps[after])
        invited = any(step.type == "connection_request" for step in self.steps[:after])
        asked = any(one.kind == "accepted" for outer, _ in around for one in outer.when)
        made.when = [ConditionDraft("accepted" if invited and not asked else "has_email")]
        if len(following) > len(around):
            inner = following[len(around)][0]
            inner.branch, inner.side = made.key, WHEN
        else:
            for step in itertools.takewhile(lambda one: self.way(one) == around, self.steps[after:]):
                step.branch, step.side = made.key, WHEN
        self.branches.append(made)
        return made.key

    def move(self, index: int, down: bool) -> int:
        """Move a step by one: past its neighbour, to the other side, or in or out of a branch; return its new index."""
        step, to = self.steps[index], index + 1 if down else index - 1
        beside = self.steps[to] if 0 <= to < len(self.steps) else None
        here, there = self.way(step), self.way(beside) if beside is not None else []
        if beside is not None and here == there:
            self.steps[index], self.steps[to] = beside, step
            return to
        if len(there) > len(here) and there[: len(here)] == here:
            step.branch, step.side = there[len(here)][0].key, WHEN if down else OTHERWISE
        elif here and step.side == (WHEN if down else OTHERWISE):
            step.side = OTHERWISE if down else WHEN
        elif here:
            step.branch, step.side = here[-1][0].branch, here[-1][0].side
        return index

    def join(self, key: str) -> None:
        """Take a branch away; what is in it stays where the branch was, one after the other."""
        gone = next((one for one in self.branches if one.key == key), None)
        for one in (*self.steps, *self.branches) if gone else ():
            if gone and one.branch == key:
                one.branch, one.side = gone.branch, gone.side
