"""Branches: where a sequence splits in two and joins again, and which side a person is on. Pure.

The sequence stays one list. A branch `{"at": i, "otherwise": j, "join": k, "when": condition}` gives the steps i to j-1
to those for whom the condition holds and j to k-1 to all others; both go on at k. A branch may lie within one side of
another, which comes before it in the list of branches.

A person's route is what was decided for them on the way: `{"splits": {"3": {"side", "at"}}, "passed": {"5": {"at"}}}`,
by the name of the split (a sequence with branches keeps its order) and the keys of steps whose condition did not hold.
A split is named by its index; of several at one index the inner ones are `3.1` and `3.2`.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from app.domain.rules.sequences import conditions
from app.domain.rules.sequences.conditions import When
from app.domain.rules.sequences.step_keys import key_of

WITHDRAW_AFTER = {"value": 21, "unit": "days"}  # the network blocks a new invitation for about as long
WHEN, OTHERWISE = "when", "otherwise"
Route = Mapping[str, Any]
Branch = Mapping[str, Any]
Step = Mapping[str, Any]


class Flow(NamedTuple):
    """The steps of a campaign and its branches."""

    sequence: Sequence[Step]
    branches: Sequence[Branch] = ()

    @classmethod
    def of(cls, campaign: Any) -> "Flow":
        """Return the flow of a campaign row."""
        return cls(campaign.sequence, campaign.branches or ())

    def splits(self) -> list[tuple[str, Branch]]:
        """Return the branches with the names of their splits."""
        starts = [one["at"] for one in self.branches]
        inner = (starts[:number].count(at) for number, at in enumerate(starts))
        names = (f"{at}.{depth}" if depth else f"{at}" for at, depth in zip(starts, inner, strict=True))
        return list(zip(names, self.branches, strict=True))

    def around(self, index: int) -> list[tuple[str, Branch]]:
        """Return the branches that a step belongs to with the names of their splits, the outermost first."""
        return [(name, one) for name, one in self.splits() if one["at"] <= index < one["join"]] if self.branches else []

    def asked_at(self, index: int) -> list[When]:
        """Return the conditions on which a step depends: those of its branches, and its own."""
        own = self.sequence[index].get("when")
        return [*(one["when"] for _, one in self.around(index)), *([own] if own else [])]

    def whens(self) -> list[When]:
        """Return every condition."""
        return [*(one["when"] for one in self.branches), *(one["when"] for one in self.sequence if one.get("when"))]

    def looked_up(self) -> frozenset[str]:
        """Return what has to be looked up of a person to know their next step."""
        return conditions.looked_up(self.whens())

    def on_route(self, route: Route | None, index: int) -> bool:
        """Return whether a person on that route gets to the step, as far as it is decided."""
        if any(side_of(route, name) not in ("", side_at(branch, index)) for name, branch in self.around(index)):
            return False
        return str(key_of(self.sequence, index)) not in (route or {}).get("passed", ())

    def before(self, route: Route | None, index: int) -> Iterator[int]:
        """Yield the earlier steps on that route."""
        return (earlier for earlier in range(index) if self.on_route(route, earlier))

    def withdraw_after(self, route: Route | None) -> timedelta:
        """Return how long the invitation of a person on that route may stay open."""
        invitations = (n for n, step in enumerate(self.sequence) if step["type"] == "connection_request")
        mine = next((self.sequence[n] for n in invitations if self.on_route(route, n)), {})
        return conditions.length(mine.get("withdrawAfter") or WITHDRAW_AFTER)

    def begins(self, route: Route | None) -> int:
        """Return the first step that a person on that route could get."""
        return next((n for n in range(len(self.sequence)) if self.on_route(route, n)), len(self.sequence))


def side_at(branch: Branch, index: int) -> str:
    """Return which side of the branch a step is on."""
    return WHEN if index < branch["otherwise"] else OTHERWISE


def side_within(outer: Branch, branch: Branch) -> str:
    """Return which side of the outer branch the other one lies in; '' when it does not lie in one."""
    for side, start, end in ((WHEN, outer["at"], outer["otherwise"]), (OTHERWISE, outer["otherwise"], outer["join"])):
        if start <= branch["at"] and branch["join"] <= end:
            return side
    return ""


def drawn(branches: Sequence[Branch]) -> Iterator[tuple[str, int, int]]:
    """Yield each branch's opening, middle and close in the order of the steps, as (which of the three, place, branch).

    `branch` is its number in the list.
    """
    around: list[int] = []
    halfway: set[int] = set()
    for number, branch in [*enumerate(branches), (len(branches), None)]:
        while around:
            last = around[-1]
            side = side_within(branches[last], branch) if branch else ""
            if side != WHEN and last not in halfway:
                halfway.add(last)
                yield "middle", branches[last]["otherwise"], last
            if side:
                break
            yield "close", branches[last]["join"], around.pop()
        if branch:
            yield "open", branch["at"], number
            around.append(number)


def side_of(route: Route | None, split: str) -> str:
    """Return the side that was taken at a split; '' while it is not decided."""
    taken = (route or {}).get("splits", {}).get(split)
    return taken["side"] if taken else ""


def entered(branch: Branch, side: str, index: int) -> int:
    """Return the next step at or after `index` for a person on that side."""
    if side == OTHERWISE:
        return max(index, int(branch["otherwise"]))
    return index if index < branch["otherwise"] else int(branch["join"])


def decided(route: Route | None, split: str, side: str, moment: datetime) -> Route:
    """Return the route with the side taken at a split."""
    return _with(route, "splits", split, {"side": side, "at": moment.isoformat()})


def passed(route: Route | None, key: int, moment: datetime) -> Route:
    """Return the route with the step of that key passed over."""
    return _with(route, "passed", str(key), {"at": moment.isoformat()})


def _with(route: Route | None, part: str, name: str, entry: Mapping[str, str]) -> Route:
    known = route or {}
    return {**known, part: {**known.get(part, {}), name: entry}}
