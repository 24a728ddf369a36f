"""Tell the engine what became due, in the transaction that made it so.

A wake is a hint: the rows are the truth, and an engine that missed one finds the unit at its next look.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from sqlalchemy.orm import Session

from app.core import clock
from app.core.db import session


class Unit(NamedTuple):
    """What waits: a kind of unit, and the key of one; its workspace where units of one workspace share something."""

    kind: str
    key: int
    workspace_id: int = 0


class Engine(Protocol):
    """What is told of units that became due."""

    def announce(self, woken: Sequence[Unit]) -> None:
        """Take note inside the transaction that made these units due."""

    def committed(self, woken: Sequence[Unit]) -> None:
        """Take note that the transaction was committed."""


_WOKEN, _ANNOUNCED = "woken", "announced"  # what a session has to tell, and what it has told but not committed
_engine: Engine | None = None


def use(engine: Engine | None) -> None:
    """Let this engine be told; None for a process without one, whose rows another process finds."""
    global _engine
    _engine = engine


def wake(kind: str, key: int, at: datetime, workspace_id: int = 0) -> None:
    """Say that the unit is due at `at`. Inside the transaction that makes it due."""
    if _engine is not None and at <= clock.now():
        session().info.setdefault(_WOKEN, set()).add(Unit(kind, key, workspace_id))


def announce(current: Session) -> None:
    """Announce what was woken. Before the commit."""
    woken = current.info.pop(_WOKEN, None)
    if woken and _engine is not None:
        current.info[_ANNOUNCED] = sorted(woken)
        _engine.announce(current.info[_ANNOUNCED])


def committed(current: Session) -> None:
    """Hand over what was announced. After the commit."""
    told = current.info.pop(_ANNOUNCED, None)
    if told and _engine is not None:
        _engine.committed(told)


def forget(current: Session) -> None:
    """Drop what was woken. After a rollback."""
    current.info.pop(_WOKEN, None)
    current.info.pop(_ANNOUNCED, None)
