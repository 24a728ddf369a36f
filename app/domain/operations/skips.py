"""Skipping ahead in a sandbox workspace as background work: its clock moves on in strides, and tells how far it is."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.operations import sandbox_clock
from app.domain.platform import jobs
from app.models.jobs import Job, JobState
from app.models.workspaces import Workspace

KIND, KEY = "sandbox_skip", "clock"
STRIDE = timedelta(hours=6)
TURN_SECONDS = 5.0  # after which others have a turn


@dataclass(frozen=True)
class FastForward:
    """A skip under way, or the last one: from where to where the clock moves, and why it stopped if it did."""

    id: int
    since: datetime
    goal: datetime
    running: bool
    error: str

    def percent(self, at: datetime) -> int:
        """How far it is, of 100."""
        if not self.running:
            return 100
        return max(0, min(99, int(100 * (at - self.since) / (self.goal - self.since))))


def start(workspace: Workspace, hours: int) -> None:
    """The workspace's clock is on its way to so many hours later; everything due until then is done as it passes."""
    if not workspace.sandbox:
        raise Conflict("Only a sandbox workspace has a clock that can be moved.")
    if not 1 <= hours <= sandbox_clock.MOST_HOURS:
        raise InvalidRequest.of(("hours", f"Use a whole number from 1 to {sandbox_clock.MOST_HOURS}."))
    with transaction():
        if (found := latest(workspace)) and found.running:
            raise Conflict("The clock is already moving.", recovery="Wait until it stands still, then skip again.")
        since = workspace.now()
        payload = {"since": since.isoformat(), "goal": (since + timedelta(hours=hours)).isoformat()}
        jobs.add(workspace, KIND, KEY, payload)


def latest(workspace: Workspace) -> FastForward | None:
    """The last skip of this workspace, whether it still runs or not."""
    if not workspace.sandbox:
        return None
    query = sa.select(Job).where(Job.workspace_id == workspace.id, Job.kind == KIND).order_by(Job.id.desc()).limit(1)
    job = session().scalars(query.execution_options(populate_existing=True)).first()
    if job is None:
        return None
    since, goal = (datetime.fromisoformat(job.payload[name]) for name in ("since", "goal"))
    return FastForward(job.id, since, goal, job.state == JobState.OPEN, job.error)


@jobs.handler(KIND)
def _go_on(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """The clock is some strides further, or where it was to be."""
    goal = datetime.fromisoformat(payload["goal"])
    turn_ends = time.monotonic() + TURN_SECONDS
    while (rest := goal - workspace.now()) > timedelta(0):
        sandbox_clock.advance(workspace, min(rest, STRIDE) / timedelta(hours=1))
        session().refresh(workspace)
        jobs.renew_lease(job)
        if time.monotonic() > turn_ends and workspace.now() < goal:
            return jobs.RESCHEDULE
    return None
