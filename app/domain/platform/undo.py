"""Undo: a job keeps what was there before an act, until the act is undone or becomes final when the time is over.

    REMOVED = Undoable("forget_removed", _restore, "Add these people to the list again.", settle=_forget)
    name = REMOVED.offer(workspace, {"leads": [3, 4]}, "people removed from Founders")  # in the act's transaction
    REMOVED.undo(workspace, name)

The function that restores gets what was kept. It skips, or refuses with Conflict, what has changed since. An act on one
thing, such as a decision about a company, can name its undo after that thing: only its latest act can be undone then.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from app.core import clock
from app.core.actor import actor
from app.core.crypto import random_base62
from app.core.db import change_rows, session
from app.core.errors import Conflict
from app.domain.platform import audit_log, jobs, locks
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

MINUTES = timedelta(minutes=10)
TOO_LATE = "There is nothing to undo, or it's too late to undo this."
T = TypeVar("T")


@dataclass(frozen=True)
class Undoable(Generic[T]):
    """One kind of act: its jobs, what restores and what settles it, and what to do instead when it's too late."""

    kind: str
    restore: Callable[[Workspace, dict[str, Any]], T]
    instead: str
    settle: Callable[[Workspace, dict[str, Any]], object] | None = None
    lasts: timedelta = MINUTES
    audit: str = "undo.done"

    def offer(self, workspace: Workspace, before: dict[str, Any], about: str, name: str = "") -> str:
        """Keep what was there before; return the name of the undo. Inside the transaction of the act."""
        if name and (former := jobs.waiting(workspace, self.kind, name)):
            session().delete(former)
            session().flush()
        name = name or random_base62(20)
        kept = before | {"by": actor.get().name, "about": about}
        jobs.add(workspace, self.kind, name, kept, after=self.lasts)
        return name

    def offered(self, workspace: Workspace, names: Iterable[str]) -> dict[str, dict[str, Any]]:
        """Return which of these undos are still possible, each with what was kept."""
        keys = {jobs.open_key(str(workspace.id), self.kind, name): name for name in names}
        there = (Job.open_key.in_(keys), Job.claimed_until.is_(None), Job.due_at > clock.now())
        rows = session().execute(sa.select(Job.open_key, Job.payload).where(*there))
        return {keys[key]: payload for key, payload in rows if key}

    def undo(self, workspace: Workspace, name: str, *, audited: bool = True, **of: Any) -> T:
        """Undo the act of that name, once; raise Conflict when it's too late, or the act was on another thing."""
        with locks.changing(workspace.id) as current:
            job = jobs.waiting(workspace, self.kind, name)
            now = clock.now()
            if job is None or (job.due_at or now) <= now or not of.items() <= job.payload.items():
                raise Conflict(TOO_LATE, recovery=self.instead)
            found = self.restore(workspace, job.payload)
            if audited:
                kept = job.payload
                audit_log.record(workspace, self.audit, kept.get("about", ""), before={"done by": kept.get("by", "")})
            current.delete(job)
            return found

    def end(self, workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
        """Make the act final as the job's handler, and forget what was kept: it may name people."""
        with locks.changing(workspace.id):
            if self.settle is not None:
                self.settle(workspace, payload)
            change_rows(sa.update(Job).where(Job.id == job.id).values(payload={}))
