"""The effect of new steps on a person in a campaign. Pure; shared by preview and revision."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from app.domain.rules import next_step
from app.domain.rules.next_step import LeadStatus, Position, delay
from app.domain.rules.reasons import OF_TEXTS
from app.domain.rules.sequences import step_keys
from app.domain.rules.sequences.branches import Branch, Flow, Route
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.variants.assignment import kept_text, same_texts, shares_of, with_kept
from app.models.campaigns import TIMERS, Connection, LeadState

NEW, ALL, CHOSEN = "new", "all", "chosen"
HELD = OF_TEXTS  # reasons that a new text can resolve
Steps = Sequence[Mapping[str, Any]]
T = TypeVar("T")


@dataclass(frozen=True)
class StepChange:
    """A changed step: its index in the new steps (in the old ones if it was removed) and what changed."""

    index: int
    type: str
    change: str  # text, shares, wait, moved, new, removed, or changed for any other field


@dataclass(frozen=True)
class Effect:
    """The people a revision affects; `fixed` is how many of the first steps people have had, or wait for.

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
    """The steps before and after, each known by its key, and which people get the change.

    `fixed` is how many of the first steps people have had or, for `new`, wait for.
    """

    before: Steps
    after: Steps
    fixed: int
    apply_to: str
    at: datetime
    in_flight: frozenset[int] = field(default_factory=frozenset)  # people whose action has no known outcome yet
    chosen: frozenset[int] = field(default_factory=frozenset)  # with `chosen`: who gets the change at once
    # by person: keys of steps they had that were removed and are now restored
    had: Mapping[int, Collection[int]] = field(default_factory=dict)
    branches: Sequence[Branch] = ()  # the same before and after the change
    facts: Mapping[int, PersonFacts] = field(default_factory=dict)  # by person: facts that conditions test
    # Many people wait at the same step, so results that depend only on the place are cached.
    _found: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    def once(self, about: tuple[Any, ...], find: Callable[[], T]) -> T:
        """Return the cached result for the key `about`, or call `find` and cache its result."""
        if about not in self._found:
            self._found[about] = find()
        found: T = self._found[about]
        return found

    @property
    def flow(self) -> Flow:
        """Return the new steps with the branches."""
        return Flow(self.after, self.branches)

    def keeps_version(self, row: Any) -> bool:
        """Return whether a person gets the old version of the step that they wait for."""
        if self.apply_to == ALL or row.id in self.chosen:
            return False
        return LeadState.ACTIVE in (row.state, row.paused_from) and row.reason not in HELD


@dataclass(frozen=True)
class Change:
    """What a change of steps means for one person: their new columns, and whether they get other steps than before."""

    columns: Mapping[str, Any]
    affected: bool
    placed: bool = False
    kept: bool = False


def effect_on_lead(row: Any, revision: Revision) -> Change:
    """Return the change for one campaign lead, who gets no step twice and loses no step that was still to come."""
    before, after = revision.before, revision.after
    here = step_keys.key_of(before, row.step) if row.step < len(before) else None
    busy = _begun(row, revision)
    stays = here is not None and busy and step_keys.place_of(after, here) is not None
    place = step_keys.place_of(after, here) if stays and here is not None else _next(row, revision, busy)
    assert place is not None
    skips = _had(row, revision, busy and not stays, place)
    if here is not None and place < len(after) and step_keys.key_of(after, place) == here:
        columns, placed = _at_the_same_step(row, revision, here, place)
    elif here is None and place >= len(after):
        columns, placed = {"step": len(after)}, False
    else:
        columns, placed = _placed(row, revision, place, skips), True
    wanted = {**columns, "skip_steps": skips or None}
    changed = {name: value for name, value in wanted.items() if getattr(row, name, None) != value}
    kept = wanted.get("kept", row.kept) if here is not None else None
    former = _rest_of(revision, row, before, row.step, row.skip_steps, row.kept)
    rest = _rest_of(revision, row, after, changed.get("step", row.step), skips, kept)
    if former and rest and not placed and (busy or revision.keeps_version(row)):
        rest = [former[0], *rest[1:]]  # they get the old version of the step, at the old time
    moved = {name for name in changed if name not in ("step", "skip_steps", "kept")}
    is_kept = kept is not None and here is not None and kept["step"] == here
    return Change(changed, former != rest, placed=placed and bool(moved), kept=is_kept)


def place_of_ended(row: Any, revision: Revision) -> dict[str, Any]:
    """Return the columns of a person whose campaign has ended: the step they resume at if the end is undone."""
    place = _next(row, revision, False)
    return {"step": place, "skip_steps": _had(row, revision, False, place) or None}


def _next(row: Any, revision: Revision, busy: bool) -> int:
    """Return the index of the step at which a person continues.

    That is the one after the last step they had, or an earlier one if a step they have not had was moved there. A step
    inserted before the one they wait for counts only if they get the change.
    """
    stands = ("next", row.step, busy, tuple(row.skip_steps or ()), revision.keeps_version(row))
    return revision.once(stands, lambda: _next_of(row, revision, busy))


def _next_of(row: Any, revision: Revision, busy: bool) -> int:
    before, after = step_keys.keys(revision.before), step_keys.keys(revision.after)
    begins = row.step + 1 if busy else row.step  # a removed step that may have been sent counts as had
    skipped = set(row.skip_steps or ())
    ahead = [after.index(key) for key in before[begins:] if key in after and key not in skipped]
    behind = [after.index(key) for key in before[:begins] if key in after]
    last = max(behind, default=-1) + 1
    if revision.keeps_version(row):
        if ahead:
            return min(ahead)
        return last if row.step < len(before) else len(after)
    return min([*ahead, last])


def _had(row: Any, revision: Revision, also_this: bool, place: int) -> list[int]:
    """Return the keys of the new steps from `place` on that the person already had or passed; these are skipped."""
    skipped, back = tuple(row.skip_steps or ()), tuple(revision.had.get(row.id, ()))

    def find() -> list[int]:
        before, after = step_keys.keys(revision.before), step_keys.keys(revision.after)
        return sorted({*before[: row.step + also_this], *skipped, *back}.intersection(after[place:]))

    return revision.once(("had", row.step, also_this, place, skipped, back), find)


def _at_the_same_step(row: Any, revision: Revision, here: int, place: int) -> tuple[dict[str, Any], bool]:
    """Return the columns of a person who waits for the same step as before, and whether its time changes."""
    before, after = revision.before[row.step], revision.after[place]
    columns: dict[str, Any] = {"step": place}
    busy = _begun(row, revision)
    if busy or revision.keeps_version(row):
        if not same_texts(before, after) and not _is_kept(row, here):
            columns["kept"] = {"step": here} | kept_text(before)
        return columns, False
    columns["kept"] = None
    shift = delay(after) - delay(before)
    if row.step_due_at and shift:
        return columns | {"step_due_at": row.step_due_at + shift}, True
    waits = row.due_at is not None and row.next_budget not in (*TIMERS, "withdraw")
    if row.reason in HELD and waits and not same_texts(before, after):
        return columns | {"due_at": revision.at, "reason": "", "error": ""}, True
    if waits and shift:
        return columns | _due_at(row, revision, place, row.due_at + shift), True
    return columns, False


def _due_at(row: Any, revision: Revision, place: int, due: datetime) -> dict[str, Any]:
    """Return the columns of a person whose step is due at `due`, or whose invitation is to be withdrawn first."""
    if row.connection != Connection.SENT:
        return {"due_at": due}
    state = row.paused_from if row.state == LeadState.PAUSED else row.state
    waits = Position(state, place, row.sender_id, row.next_budget, due, row.reason, row.part)
    standing = LeadStatus.of(row, bool(row.has_email))
    return _columns(row, next_step.withdrawn_before(revision.flow, standing, waits, revision.at))


def _rest_of(
    revision: Revision, row: Any, steps: Steps, place: int, skips: Sequence[int] | None, kept: Mapping[str, Any] | None
) -> list[Any]:
    """Return those of `steps` that a person may still get from `place` on. It may be cached: do not modify it."""
    flow = Flow(steps, revision.branches)
    if row.route or kept:
        return _rest(flow, row.route, place, skips, kept)
    about = ("rest", steps is revision.after, place, tuple(skips or ()))
    return revision.once(about, lambda: _rest(flow, None, place, skips, None))


def _rest(
    flow: Flow, route: Route | None, place: int, skips: Sequence[int] | None, kept: Mapping[str, Any] | None
) -> list[Any]:
    """Return the steps from `place` on that are on the person's route and not skipped, without their keys."""
    found = []
    for index in range(place, len(flow.sequence)):
        key = step_keys.key_of(flow.sequence, index)
        if key in (skips or ()) or not flow.on_route(route, index):
            continue
        step = with_kept(flow.sequence[index], key, kept)
        found.append({name: value for name, value in step.items() if name != step_keys.KEY and value != ""})
    return found


def _begun(row: Any, revision: Revision) -> bool:
    """Return whether a part of the step was sent, or may have been."""
    return row.part > 0 or row.id in revision.in_flight


def _is_kept(row: Any, key: int) -> bool:
    return bool(row.kept) and row.kept["step"] == key


def _placed(row: Any, revision: Revision, place: int, skips: Sequence[int]) -> dict[str, Any]:
    """Return the columns of a person at `place`, as if they had just finished the last step they had."""
    facts = revision.facts.get(row.person_id, NOTHING_KNOWN)
    standing = LeadStatus.of(row, bool(row.has_email), facts, skips=skips)
    base = _arrived(row, revision)
    if place == 0 and LeadState.PENDING in (row.state, row.paused_from):
        found = next_step.first_place(revision.flow, standing, base)
    else:
        found = next_step.next_place(revision.flow, place, standing, base)
    columns = _columns(row, found) | {"kept": None}
    if row.id in revision.in_flight:  # the outcome of the action decides when they continue
        known = ("step", "part", "kept", "sender_id", "next_budget", "route", "step_due_at")
        columns = {name: columns[name] for name in known if name in columns}
    return columns


def _arrived(row: Any, revision: Revision) -> datetime:
    """Return when the wait before the person's next step began."""
    if row.step_due_at:
        return row.step_due_at - delay(revision.before[row.step])  # type: ignore[no-any-return]
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
    kept = ("step", "part", "sender_id", "route", "step_due_at", *(() if away else ("next_budget", "due_at")))
    return {name: columns[name] for name in kept if name in columns} | {"paused_from": place.state}


def preview_effect(revision: Revision, changes: Sequence[tuple[Any, Change]]) -> Effect:
    """Count the people of each kind of change, and list the changed steps."""
    counted: Counter[str] = Counter()
    for _, change in changes:
        counted["affected" if change.affected else "untouched"] += 1
        counted["placed"] += change.placed
        counted["kept"] += change.kept
    names = ("affected", "placed", "kept", "untouched")
    return Effect(revision.fixed, step_changes(revision), **{name: counted[name] for name in names})


def step_changes(revision: Revision) -> list[StepChange]:
    """Return the changed steps in order."""
    before, after = step_keys.keys(revision.before), step_keys.keys(revision.after)
    kept = [key for key in after if key in before]
    in_order = _longest_rise([before.index(key) for key in kept])
    found = []
    for place, key in enumerate(after):
        new = revision.after[place]
        if key not in before:
            found.append(StepChange(place, new["type"], "new"))
            continue
        old = revision.before[before.index(key)]
        if not same_texts(old, new):
            found.append(StepChange(place, new["type"], "text"))
        elif shares_of(old) != shares_of(new):
            found.append(StepChange(place, new["type"], "shares"))
        if delay(old) != delay(new):
            found.append(StepChange(place, new["type"], "wait"))
        if _others(old) != _others(new):
            found.append(StepChange(place, new["type"], "changed"))
        if before.index(key) not in in_order:
            found.append(StepChange(place, new["type"], "moved"))
    gone = [n for n, key in enumerate(before) if key not in after]
    found += [StepChange(n, revision.before[n]["type"], "removed") for n in gone]
    return sorted(found, key=lambda change: change.index)


def _others(step: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step's fields other than its texts, their shares and its wait."""
    known = ("message", "subject", "variants", "delay", step_keys.KEY)
    return {name: value for name, value in step.items() if name not in known and value not in ("", None)}


def _longest_rise(numbers: Sequence[int]) -> set[int]:
    """Return a longest increasing subsequence: these steps kept their order, so only the others were moved."""
    best: list[list[int]] = [[]]
    for number in numbers:
        lengths = [(len(one), one) for one in best if not one or one[-1] < number]
        best.append([*max(lengths)[1], number])
    return set(max((len(one), one) for one in best)[1])
