"""The effect of new steps on a person in a campaign. Pure; shared by preview and revision."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from app.domain.rules import next_step
from app.domain.rules.branches import Branch, Flow
from app.domain.rules.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.next_step import LeadStatus, Position, delay
from app.domain.rules.reasons import OF_TEXTS
from app.domain.rules.variants.assignment import kept_text, same_texts, shares_of
from app.models.campaigns import TIMERS, LeadState

NEW, ALL = "new", "all"
HELD = OF_TEXTS  # what a new text is meant to mend
Steps = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class StepChange:
    """A step that is not as it was: its place (in the new steps; where it was, when it is gone) and what changed."""

    index: int
    type: str
    change: str  # text, shares, wait, new or removed; moved steps are new in one place and removed from another


@dataclass(frozen=True)
class Effect:
    """The people a revision affects; `fixed` steps keep their places.

    Of the active people, `affected` get something else than before, and `placed` of these wait for another step or
    time; `kept` get the old version of a step first; `untouched` get no change.
    """

    fixed: int
    steps: Sequence[StepChange]
    affected: int
    placed: int
    kept: int
    untouched: int


@dataclass(frozen=True)
class Revision:
    """The steps before and after, how many are locked, and which people get the change."""

    before: Steps
    after: Steps
    fixed: int
    apply_to: str
    at: datetime
    in_flight: frozenset[int] = field(default_factory=frozenset)  # people whose action has no known outcome yet
    branches: Sequence[Branch] = ()  # as before and after
    facts: Mapping[int, PersonFacts] = field(default_factory=dict)  # what conditions ask, by person

    @property
    def flow(self) -> Flow:
        """Return the new steps with the branches."""
        return Flow(self.after, self.branches)

    def same(self, index: int) -> bool:
        """Return whether the step at that place is unchanged."""
        return index < len(self.before) and index < len(self.after) and self.before[index] == self.after[index]


@dataclass(frozen=True)
class Change:
    """What a change of steps means for one person: new columns, and whether they get anything else than before."""

    columns: Mapping[str, Any]
    affected: bool
    placed: bool = False
    kept: bool = False


def effect_on_lead(row: Any, revision: Revision) -> Change:
    """Return the change for one campaign lead."""
    if row.step < revision.fixed:
        return _of_a_fixed_step(row, revision)
    later = list(revision.before[revision.fixed :]) != list(revision.after[revision.fixed :])
    at_end = row.step >= len(revision.before) and row.state != LeadState.AWAITING_ACCEPT
    if at_end and (revision.apply_to == NEW or not later):
        return Change({"step": len(revision.after)} if row.step != len(revision.after) else {}, False)
    if not later:
        return Change({}, False)
    columns = _placed(row, revision)
    return Change(columns, True, placed=bool(columns))


def _of_a_fixed_step(row: Any, revision: Revision) -> Change:
    """Return the change for a person at a locked step."""
    place = row.step
    before, after = revision.before[place], revision.after[place]
    behind = any(not revision.same(n) for n in range(place + 1, max(len(revision.before), len(revision.after))))
    if revision.same(place):
        columns = {} if revision.apply_to == NEW or _begun(row, revision) else _without_kept(row)
        return Change(columns, behind or bool(columns))
    if _begun(row, revision) or (revision.apply_to == NEW and _waits_there(row)):
        if same_texts(before, after) or _is_kept(row):
            return Change({}, behind, kept=_is_kept(row))
        return Change({"kept": {"step": place} | kept_text(before)}, behind, kept=True)
    columns = _without_kept(row)
    shift = delay(after) - delay(before)
    waits = row.due_at is not None and row.next_budget not in (*TIMERS, "withdraw")
    if row.reason in HELD and waits:
        columns |= {"due_at": revision.at, "reason": "", "error": ""}
    elif waits and shift:
        columns |= {"due_at": row.due_at + shift}
    return Change(columns, True, placed="due_at" in columns)


def _waits_there(row: Any) -> bool:
    """Return whether they are past an earlier step and wait for this one, but not for an acceptance."""
    return LeadState.ACTIVE in (row.state, row.paused_from) and row.reason not in HELD


def _begun(row: Any, revision: Revision) -> bool:
    """Return whether a part of the step was sent, or may have been."""
    return row.part > 0 or row.id in revision.in_flight


def _is_kept(row: Any) -> bool:
    return bool(row.kept) and row.kept["step"] == row.step


def _without_kept(row: Any) -> dict[str, Any]:
    return {"kept": None} if row.kept else {}


def _placed(row: Any, revision: Revision) -> dict[str, Any]:
    """Place a person who has had nothing after the locked steps, as if they had just arrived."""
    standing = LeadStatus.of(row, bool(row.has_email), revision.facts.get(row.person_id, NOTHING_KNOWN))
    base = _arrived(row, revision)
    if revision.fixed:
        place = next_step.next_place(revision.flow, revision.fixed, standing, base)
    else:
        place = next_step.first_place(revision.flow, standing, base)
    wanted = _columns(row, place) | _without_kept(row)
    return {name: value for name, value in wanted.items() if getattr(row, name, None) != value}


def _arrived(row: Any, revision: Revision) -> datetime:
    """Return when the person arrived at their place: the wait before the next step starts there."""
    if row.state == LeadState.AWAITING_ACCEPT or row.due_at is None or row.next_budget in ("back", "withdraw"):
        return revision.at
    if row.step >= len(revision.before):
        return max((one for one in (row.accepted_at, row.last_action_at) if one), default=revision.at)
    if row.reason in HELD:
        return revision.at
    arrived: datetime = row.due_at - delay(revision.before[row.step])
    return arrived


def _columns(row: Any, place: Position) -> dict[str, Any]:
    columns = place.columns()
    if row.state != LeadState.PAUSED:
        return columns | ({"error": ""} if row.reason in HELD else {})
    away = row.reason == "out_of_office"  # then next_budget and due_at say when they are back
    kept = ("step", "part", "sender_id", "route", *(() if away else ("next_budget", "due_at")))
    return {name: columns[name] for name in kept if name in columns} | {"paused_from": place.state}


def preview_effect(revision: Revision, changes: Sequence[tuple[Any, Change]]) -> Effect:
    """Sum up all changes."""
    counted: Counter[str] = Counter()
    for _, change in changes:
        counted["affected" if change.affected else "untouched"] += 1
        counted["placed"] += change.placed
        counted["kept"] += change.kept
    names = ("affected", "placed", "kept", "untouched")
    return Effect(revision.fixed, step_changes(revision), **{name: counted[name] for name in names})


def step_changes(revision: Revision) -> list[StepChange]:
    """Return the changed steps in order."""
    before, after, fixed = revision.before, revision.after, revision.fixed
    new = [n for n in range(fixed, len(after)) if after[n] not in before[fixed:]]
    gone = [n for n in range(fixed, len(before)) if before[n] not in after[fixed:]]
    rewritten = [n for n in new if n in gone and before[n]["type"] == after[n]["type"]]
    found = []
    for index in [*range(fixed), *rewritten]:
        if not same_texts(before[index], after[index]):
            found.append(StepChange(index, after[index]["type"], "text"))
        elif shares_of(before[index]) != shares_of(after[index]):
            found.append(StepChange(index, after[index]["type"], "shares"))
        if delay(before[index]) != delay(after[index]):
            found.append(StepChange(index, after[index]["type"], "wait"))
    found += [StepChange(n, after[n]["type"], "new") for n in new if n not in rewritten]
    found += [StepChange(n, before[n]["type"], "removed") for n in gone if n not in rewritten]
    kept = [step for step in after[fixed:] if step in before[fixed:]]
    if kept != [step for step in before[fixed:] if step in after[fixed:]]:
        moved = [n for n in range(fixed, len(after)) if after[n] in before[fixed:] and not revision.same(n)]
        found += [StepChange(n, after[n]["type"], "moved") for n in moved]
    return sorted(found, key=lambda change: change.index)
