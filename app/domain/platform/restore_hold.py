"""Restore hold: a copy that was restored from a backup reaches nothing outside until a person releases it.

The original may have acted after the backup, and the copy cannot know. After the release it reads inboxes and looks up
open actions for a while before it contacts people.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

import sqlalchemy as sa

from app.core import clock
from app.core.db import fetch, transaction
from app.core.errors import Conflict
from app.domain.platform import audit_log
from app.models.platform.installation import Restore
from app.models.workspaces import Workspace

LISTEN = timedelta(minutes=15)  # what the original did last may become visible so late
_RESTORES: Any = Restore.__table__
_LATEST = (
    sa.select(_RESTORES.c.backup_at, _RESTORES.c.restored_at, _RESTORES.c.released_at)
    .order_by(_RESTORES.c.id.desc())
    .limit(1)
)
_FIRST = sa.select(sa.func.min(Workspace.id))


class Reach(StrEnum):
    """How far some work reaches: it stays inside, calls the outside, or contacts people."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    PEOPLE = "people"


class RestoredCopy(NamedTuple):
    """The latest restore of this installation."""

    backup_at: datetime
    restored_at: datetime
    released_at: datetime | None

    @property
    def held(self) -> bool:
        """Return whether nobody has released it yet."""
        return self.released_at is None

    def allows(self, reach: Reach, now: datetime) -> bool:
        """Return whether work of that reach may run now."""
        if reach == Reach.INSIDE:
            return True
        wait = LISTEN if reach == Reach.PEOPLE else timedelta(0)
        return self.released_at is not None and now >= self.released_at + wait


def copy() -> RestoredCopy | None:
    """Return the latest restore; None for an installation that is the original."""
    found = fetch(_LATEST)
    return RestoredCopy(*found[0]) if found else None


def is_held() -> bool:
    """Return whether this is a restored copy that nobody has released."""
    known = copy()
    return known is not None and known.held


def may_run(reach: Reach) -> bool:
    """Return whether work of that reach may run now, on hold or not. The engine calls this before each task."""
    if reach == Reach.INSIDE:
        return True
    known = copy()
    return known is None or known.allows(reach, clock.now())


def refuse_to_contact() -> RestoredCopy | None:
    """Refuse to begin an action for a person while the copy is held; return the restore that it comes from, if any."""
    known = copy()
    if known and not known.allows(Reach.PEOPLE, clock.now()):
        raise Conflict(sentence(known), "Allow sending with `overture release`, or wait until inboxes have been read.")
    return known


def sentence(known: RestoredCopy) -> str:
    """Return what pages, the doctor and refusals say of a restored copy."""
    made = f"This server was restored from a backup of {known.backup_at:%Y-%m-%d %H:%M} UTC."
    return f"{made} {'Nothing is sent until you allow it.' if known.held else 'It is reading inboxes first.'}"


def first_workspace() -> int | None:
    """Return the workspace whose owners answer for the whole installation: its oldest."""
    ((first,),) = fetch(_FIRST)
    return first  # type: ignore[no-any-return]


def enter(backup_at: datetime, at: datetime) -> dict[str, Any]:
    """Return the row that puts a copy restored at `at` on hold."""
    return {"backup_at": backup_at, "restored_at": at, "released_at": None, "released_by": ""}


def release(by: str) -> datetime | None:
    """Release the copy; return from when on it contacts people, None when nothing was held."""
    at = clock.now()
    with transaction() as current:
        waiting = sa.update(_RESTORES).where(_RESTORES.c.released_at.is_(None))
        released: Any = current.execute(waiting.values(released_at=at, released_by=by))
        first = first_workspace()
        if released.rowcount and first is not None:
            audit_log.record(first, "workspace.released", by)
    return at + LISTEN if released.rowcount else None
