"""State machines as tables: pages ask `allows`, verbs call `move`, a test walks every state and move."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from app.core.errors import Conflict


@dataclass(frozen=True)
class Move:
    """A move from some states to another, and the error in all other states (`{state}` is filled in)."""

    sources: frozenset[str]
    target: str
    refusal: str
    recovery: str | None = None


def move(sources: Iterable[str], target: str, refusal: str, recovery: str | None = None) -> Move:
    """Return a row of a machine's table."""
    return Move(frozenset(str(source) for source in sources), str(target), refusal, recovery)


@dataclass(frozen=True)
class Machine:
    """The legal moves of one status column."""

    column: str
    states: type[StrEnum]
    moves: Mapping[str, Move] = field(default_factory=dict)

    def allows(self, thing: Any, name: str) -> bool:
        """Return whether the move is allowed now."""
        return getattr(thing, self.column) in self.moves[name].sources

    def move(self, thing: Any, name: str) -> None:
        """Put `thing` into the move's target state, or raise Conflict with the reason."""
        step = self.moves[name]
        state = getattr(thing, self.column)
        if state not in step.sources:
            raise Conflict(step.refusal.format(state=state), recovery=step.recovery)
        setattr(thing, self.column, step.target)
