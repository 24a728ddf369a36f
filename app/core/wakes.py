"""Tell the engine what became due, in the transaction that made it so.

A wake is a hint: the rows are the truth, and an engine that missed one finds the unit at its next look.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from app.core import clock
from app.core.db import Committing, until_commit


class Unit(NamedTuple):
    """A piece of work that waits: its kind and key, and its workspace where units of one workspace share a limit."""

    kind: str
    key: int
    workspace_id: int = 0


class Engine(Protocol):
    """Receives the units that became due."""

    def announce(self, woken: Sequence[Unit]) -> None:
        """Take note inside the transaction that made these units due."""

    def committed(self, woken: Sequence[Unit]) -> None:
        """Take note that the transaction was committed."""


_engine: Engine | None = None


def use(engine: Engine | None) -> None:
    """Send wakes to this engine; None in a process without an engine, whose units another process finds."""
    global _engine
    _engine = engine


def wake(kind: str, key: int, at: datetime, workspace_id: int = 0) -> None:
    """Say that the unit is due at `at`. Inside the transaction that makes it due."""
    if _engine is not None and at <= clock.now():
        until_commit(_Woken).units.add(Unit(kind, key, workspace_id))


class _Woken(Committing):
    """The units that a transaction makes due."""

    def __init__(self) -> None:
        self.units: set[Unit] = set()

    def before_commit(self) -> None:
        if _engine is not None:
            _engine.announce(sorted(self.units))

    def after_commit(self) -> None:
        if _engine is not None:
            _engine.committed(sorted(self.units))
