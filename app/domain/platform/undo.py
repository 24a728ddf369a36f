"""Undo: a job keeps what was there before until it is taken back, or until the time is over and it becomes final.

    REMOVED = Undoable("forget_removed", _restore, "Add these people to the list again.", settle=_forget)
    name = REMOVED.offer(workspace, {"leads": [3, 4]}, "people removed from Founders")  # in the act's transaction
    REMOVED.undo(workspace, name)

What restores gets what was kept. It leaves alone, or refuses with Conflict, what has changed since.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

import sqlalchemy as sa

from app.core.actor import actor
from app.core.crypto import random_base62
from app.core.db import transaction
from app.core.errors import Conflict
from app.domain.platform import audit_log, jobs, locks
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

MINUTES = timedelta(minutes=10)
TOO_LATE = "It's too late to undo this."
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

    def offer(self, workspace: Workspace, before: dict[str, Any], about: str) -> str:
        """Keep what was there before; return the name of the undo. Inside the transaction of the act."""
        name = random_base62(20)
        kept = before | {"by": actor.get().name, "about": about}
        jobs.add(workspace, self.kind, name, kept, after=self.lasts)
        return name

    def undo(self, workspace: Workspace, name: str, *, audited: bool = True, **of: Any) -> T:
        """Take back what was done under that name, once; raise Conflict when it's too late, or was done to another."""
        with transaction() as current:
            locks.lock_workspaces([workspace.id])
            job = jobs.waiting(workspace, self.kind, name)
            if job is None or not of.items() <= job.payload.items():
                raise Conflict(TOO_LATE, recovery=self.instead)
            found = self.restore(workspace, job.payload)
            if audited:
                kept = job.payload
                audit_log.record(workspace, self.audit, kept.get("about", ""), before={"done by": kept.get("by", "")})
            current.delete(job)
            return found

    def end(self, workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
        """Make it final as the job's handler, and forget what was kept: it may name people."""
        with transaction() as current:
            locks.lock_workspaces([workspace.id])
            if self.settle is not None:
                self.settle(workspace, payload)
            emptied = sa.update(Job).where(Job.id == job.id).values(payload={})
            current.execute(emptied.execution_options(synchronize_session=False))
