"""Validate conditions and branches: their shape, and what people on each path of a sequence get."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from app.core import text
from app.domain.rules.schedules import places
from app.domain.rules.sequences import branches as rules
from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.branches import WITHDRAW_AFTER, Flow
from app.domain.rules.sequences.conditions import KINDS, SENDERS, SIGNALS, UNITS, When
from app.domain.rules.step_kinds import STEPS, TASK_TYPES
from app.models.accounts import Channel

MAX_BRANCHES, MAX_DEPTH, MAX_CONDITIONS, LONGEST_VALUE = 10, 3, 5, 200
LONGEST_WAIT, LONGEST_OPEN = timedelta(days=90), 90
NEEDS_INVITATION = "Add a connection request before this message. Only connections can be messaged."
NOT_ACCEPTED = "People on this path have not accepted, so they can't be messaged. Use an email or an InMail."
INVITED_TWICE = "A person can get only one connection request. Remove one."
NO_SUBJECT = "Add a subject to the first email."
NO_SUBJECT_BEFORE = "Add a subject. Some people get this email without an earlier one that has a subject."
Add = Callable[[str, str], None]


def check_when(raw: Mapping[str, Any] | None, path: str, add: Add) -> When | None:
    """Return a condition as it is stored; None without one, or with a problem."""
    if not raw:
        return None
    if raw.get("all") is None:
        return _condition(raw, path, add)
    if {name for name, value in raw.items() if value not in (None, False)} != {"all"}:
        add(path, "Use either a single condition or `all`.")
        return None
    if not 1 <= len(raw["all"]) <= MAX_CONDITIONS:
        add(f"{path}.all", f"Use 1 to {MAX_CONDITIONS} conditions.")
        return None
    found = [_condition(one, f"{path}.all[{number}]", add) for number, one in enumerate(raw["all"])]
    sound = [one for one in found if one]
    if len(sound) < len(found):
        return None
    return sound[0] if len(sound) == 1 else {"all": sound}


def _condition(raw: Mapping[str, Any], path: str, add: Add) -> dict[str, Any] | None:
    kind = KINDS.get(raw.get("is") or "")
    if kind is None:
        add(f"{path}.is", "Use one of " + ", ".join(KINDS) + ".")
        return None
    wrong: list[tuple[str, str]] = []
    found: dict[str, Any] = {"is": raw["is"]}
    takes = {kind.takes, "equals"} if raw["is"] == "custom_field" else {kind.takes}
    for name in ("within", "value", "name", "equals", "kind"):
        given = raw.get(name)
        if name in takes and (given is not None or name != "equals"):
            found[name] = (
                _within(given, path, wrong) if name == "within" else _word(raw["is"], name, given, path, wrong)
            )
        elif given is not None:
            wrong.append((f"{path}.{name}", f"A condition with {raw['is']} can't have {name}."))
    if raw.get("not"):
        found["not"] = True
    for problem in wrong:
        add(*problem)
    return None if wrong else found


def _word(kind: str, name: str, given: Any, path: str, wrong: list[tuple[str, str]]) -> str:
    said = text.squeeze(str(given or ""))
    allowed: Iterable[str] = SIGNALS if kind == "signal" else SENDERS if kind == "sender" else ()
    if allowed and said not in allowed:
        wrong.append((f"{path}.{name}", "Use one of " + ", ".join(allowed) + "."))
    elif not 1 <= len(said) <= LONGEST_VALUE:
        wrong.append((f"{path}.{name}", f"Use 1 to {LONGEST_VALUE} characters."))
    elif kind == "country" and not places.is_country(said):
        wrong.append((f"{path}.{name}", f"Unknown country “{said}”. Use a name such as Germany."))
    return said


def _within(given: Any, path: str, wrong: list[tuple[str, str]]) -> dict[str, Any]:
    value, unit = (given or {}).get("value"), (given or {}).get("unit")
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else 0
    if unit not in UNITS:
        wrong.append((f"{path}.within.unit", "Use hours or days."))
    elif not timedelta(hours=1) / UNITS[unit] <= number <= LONGEST_WAIT / UNITS[unit]:
        wrong.append((f"{path}.within.value", f"Use 1 hour to {LONGEST_WAIT.days} days."))
    return {"value": int(number) if number == int(number) else number, "unit": unit}


def check_withdraw_after(raw: Mapping[str, Any] | None, kind: str, path: str, add: Add) -> dict[str, Any]:
    """Return how long an invitation stays open, as a part of the step."""
    if raw is None:
        return {}
    if kind != "connection_request":
        add(path, "Only a connection request can be withdrawn.")
        return {}
    days = _whole_days(raw, path, add)
    return {"withdrawAfter": days} if days else {}


def check_task(raw: Mapping[str, Any], path: str, add: Add) -> dict[str, Any]:
    """Return what a member does in a step of that type, and when the sequence goes on without it."""
    kind, wait = raw.get("taskType"), raw.get("continueAfter")
    if raw.get("type") != "task":
        for name in ("taskType", "continueAfter"):
            if raw.get(name) is not None:
                add(f"{path}.{name}", "Only a task has this field.")
        return {}
    if kind not in TASK_TYPES:
        add(f"{path}.taskType", f"Use one of {', '.join(TASK_TYPES)}.")
    days = _whole_days(wait, f"{path}.continueAfter", add) if wait else None
    return {"taskType": kind, **({"continueAfter": days} if days else {})}


def _whole_days(raw: Mapping[str, Any], path: str, add: Add) -> dict[str, Any] | None:
    value, unit = raw.get("value"), raw.get("unit")
    if unit != "days":
        add(f"{path}.unit", "Use days.")
    if (
        not isinstance(value, int | float)
        or isinstance(value, bool)
        or value != int(value)
        or not 1 <= value <= LONGEST_OPEN
    ):
        add(f"{path}.value", f"Use a whole number from 1 to {LONGEST_OPEN}.")
        return None
    return {"value": int(value), "unit": "days"}


def check_branches(raw: Sequence[Mapping[str, Any]] | None, steps: int, add: Add) -> list[dict[str, Any]]:
    """Return the branches as they are stored, outer ones before those within them; [] with a problem."""
    found: list[dict[str, Any]] = []
    sound = True

    def wrong(path: str, sentence: str) -> None:
        nonlocal sound
        sound = False
        add(path, sentence)

    if len(raw or ()) > MAX_BRANCHES:
        wrong("branches", f"Use at most {MAX_BRANCHES} branches.")
        return []
    # of two that begin at one step, the one that joins later is around the other
    for number, one in sorted(enumerate(raw or ()), key=lambda it: (it[1].get("at") or 0, -(it[1].get("join") or 0))):
        path = f"branches[{number}]"
        places = [one.get(name) for name in ("at", "otherwise", "join")]
        at, otherwise, join = (place if isinstance(place, int) else -1 for place in places)
        if not all(0 <= place <= steps for place in (at, otherwise, join)):
            wrong(path, "Set `at`, `otherwise` and `join` to positions in the sequence.")
            continue
        if not at <= otherwise <= join or at == join:
            wrong(f"{path}.otherwise", "Use `at` ≤ `otherwise` ≤ `join`, with a step in at least one of the two paths.")
        around = [outer for outer in found if outer["at"] < join and at < outer["join"]]
        if at < join and not all(rules.side_within(outer, one) for outer in around):
            wrong(f"{path}.at", "Branches can't overlap. Put one after the other, or inside one path of the other.")
        elif len(around) >= MAX_DEPTH:
            wrong(f"{path}.at", f"Nest branches at most {MAX_DEPTH} deep.")
        when = check_when(one.get("when"), f"{path}.when", wrong)
        if not one.get("when"):
            wrong(f"{path}.when", "Choose who takes the first path.")
        found.append({"at": at, "otherwise": otherwise, "join": join, "when": when})
    return found if sound else []


class _State(NamedTuple):
    """What may be true of people who get to a step."""

    invited: bool = False
    connected: bool = False
    declined: int = 0  # how many of the branches around have taken them to the side for people who did not accept
    titled: bool = False  # had an email with a subject
    open_for: timedelta = conditions.length(WITHDRAW_AFTER)


def check_paths(flow: Flow, add: Add) -> None:
    """Check what people on each path get; each problem is told once, at its step."""
    _Paths(flow, add).walk()


class _Paths:
    """The sequence as everyone walks it, with everything that may be true at each step."""

    def __init__(self, flow: Flow, add: Add) -> None:
        self.flow, self.add = flow, add

    def walk(self) -> None:
        states, reached = {_State()}, 0
        entered: list[set[_State]] = []  # of each branch around, what may be true of people who get to it
        first: list[set[_State]] = []  # and of those who have been through its first side
        for what, place, number in rules.drawn(self.flow.branches):
            for index in range(reached, place):
                states = self._step(index, states)
            reached, branch = place, self.flow.branches[number]
            if what == "open":
                self._asked(branch["when"], states, f"branches[{number}].when")
                entered.append(states)
                states = {_narrowed(state, branch["when"], True, len(entered)) for state in states}
            elif what == "middle":
                first.append(states)
                states = {_narrowed(state, branch["when"], False, len(entered)) for state in entered[-1]}
            else:
                ended = first.pop() | states
                states = {one._replace(declined=0) if one.declined == len(entered) else one for one in ended}
                entered.pop()
        for index in range(reached, len(self.flow.sequence)):
            states = self._step(index, states)

    def _step(self, index: int, states: set[_State]) -> set[_State]:
        step, path = self.flow.sequence[index], f"sequence[{index}]"
        kind, when = STEPS[step["type"]], step.get("when")
        if when:
            self._asked(when, states, f"{path}.when")
        theirs = {_narrowed(state, when, True, 1) for state in states} if when else states
        if kind.needs_connection:
            if any(state.declined and not state.connected for state in theirs):
                self.add(f"{path}.type", NOT_ACCEPTED)
            elif any(not (state.invited or state.connected) for state in theirs):
                self.add(f"{path}.type", NEEDS_INVITATION)
        if kind.name == "connection_request":
            if any(state.invited for state in theirs):
                self.add(f"{path}.type", INVITED_TWICE)
            open_for = conditions.length(step.get("withdrawAfter") or WITHDRAW_AFTER)
            return {state._replace(invited=True, open_for=open_for) for state in states}
        if kind.channel == Channel.EMAIL:
            if not step.get("subject") and any(not state.titled for state in theirs):
                first = not any(one["type"] == "email" for one in self.flow.sequence[:index])
                self.add(f"{path}.subject", NO_SUBJECT if first else NO_SUBJECT_BEFORE)
            return {state._replace(titled=state.titled or not when) for state in states}
        return states

    def _asked(self, when: When, states: set[_State], path: str) -> None:
        """Check that an acceptance that is waited for can come."""
        wait = conditions.waits(when)
        if wait is None:
            return
        invited = [state for state in states if state.invited]
        if not invited:
            self.add(path, "Add a connection request before asking whether it was accepted.")
        elif conditions.length(wait) > (shortest := min(state.open_for for state in invited)):
            self.add(path, f"The connection request is withdrawn after {shortest.days} days. Use a shorter wait.")


def _narrowed(state: _State, when: When, holds: bool, depth: int) -> _State:
    """Return what is true of the people for whom it holds, or does not, in so many branches."""
    told = conditions.implies_connection(when, holds=holds)
    if told:
        return state._replace(connected=True, declined=0)
    if told is False:
        waited = depth if conditions.waits(when) is not None else 0
        return state._replace(connected=False, declined=state.declined or waited)
    return state


def sends_from(flow: Flow, index: int, kind: str) -> bool:
    """Return whether all people who get the step have a sender of that kind."""
    if conditions.implies_sender(flow.sequence[index].get("when"), kind):
        return True
    return any(
        conditions.implies_sender(branch["when"], kind, holds=rules.side_at(branch, index) == rules.WHEN)
        for _, branch in flow.around(index)
    )
