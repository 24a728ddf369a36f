"""Tell the engine which units became due, in the transaction that made them due.

A wake is only a hint: an engine that misses it finds the unit in the tables at its next look.
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
        """Handle the units inside the transaction that makes them due."""

    def committed(self, woken: Sequence[Unit]) -> None:
        """Handle the units after the commit of that transaction."""


_engine: Engine | None = None


def use(engine: Engine | None) -> None:
    """Send wakes to this engine; None in a process without an engine, whose units another process finds."""
    global _engine
    _engine = engine


def wake(kind: str, key: int, at: datetime, workspace_id: int = 0) -> None:
    """Announce that the unit is due at `at`. Call it inside the transaction that makes the unit due."""
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
