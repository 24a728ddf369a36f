"""Fast-forward a sandbox workspace through the same engine that runs in real time."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import defer_fsync, fetch, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot.monitors import reading
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.installation.sandbox import first_days
from app.domain.platform import jobs
from app.domain.senders import provider_credentials
from app.models.accounts import Account, AccountStatus
from app.models.platform.jobs import Job, JobState
from app.models.workspaces import Workspace

MOST_HOURS = 24 * 90
KIND, KEY = "sandbox_skip", "clock"
STRIDE = timedelta(hours=6)
TURN_SECONDS = 5.0  # after which others have a turn
# A watched fast-forward: the most hours, the stride, and the shortest real time per stride (a week takes about 15 s).
WATCHED_HOURS, WATCHED_STRIDE, PACE = 24 * 14, timedelta(hours=12), timedelta(seconds=1)
_ACCOUNTS: Any = Account.__table__
_WORKSPACES: Any = Workspace.__table__
_SECONDS = sa.bindparam("seconds", type_=sa.BigInteger())
_MOVE = (
    sa.update(_WORKSPACES)
    .where(_WORKSPACES.c.id == sa.bindparam("of"))
    .values(clock_offset=sa.case((_WORKSPACES.c.clock_offset > _SECONDS, _WORKSPACES.c.clock_offset), else_=_SECONDS))
    .returning(_WORKSPACES.c.clock_offset)
)
_CONNECTED = sa.select(_ACCOUNTS).where(
    _ACCOUNTS.c.workspace_id == sa.bindparam("workspace"),
    _ACCOUNTS.c.status == AccountStatus.CONNECTED,
    _ACCOUNTS.c.provider == "sandbox",
)


def advance(workspace: Workspace, hours: float) -> datetime:
    """Fast-forward the workspace by `hours`; everything due on the way happens at its own time."""
    if not workspace.sandbox:
        raise Conflict("You can only fast-forward sandbox workspaces.")
    if not 0 < hours <= MOST_HOURS:
        raise InvalidRequest.of(("hours", f"Use a number above 0, up to {MOST_HOURS}."))
    goal = workspace.now() + timedelta(hours=hours)
    lifecycle.run(workspace)  # locks the campaigns first if the workspace may not contact anyone
    journey = FastForwardRun(workspace)
    with defer_fsync():  # safe: a power cut loses our intents and the sandbox network's acts together
        _keep_forecasts(workspace)
        journey.work()
        while (moment := journey.next_moment()) is not None and moment <= goal:
            journey.work(moment)
        journey.work(goal)
        while lifecycle.run(workspace):
            journey.work()
    journey.move_to(goal)  # this write commits everything before it to the disk
    return goal


def _keep_forecasts(workspace: Workspace) -> None:
    """Make the queued forecasts now, as they describe the moment before the clock moves."""
    for job_id in session().scalars(jobs.open_jobs(workspace.id, kept_forecasts.KIND).with_only_columns(Job.id)).all():
        jobs.run(job_id)


class FastForwardRun:
    """A fast-forward of one workspace. Each sender's next turn is cached until the sender acts."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.workspace_id = workspace.id
        self.offset = workspace.clock_offset
        self.network = ports.sender("sandbox")
        self.expected: dict[int, datetime | None] = {}
        self.senders: Sequence[Any] = ()
        self.timer: datetime | None = None
        self.letter: datetime | None = None
        self.monitor: datetime | None = None
        self._look()

    def now(self) -> datetime:
        """Return the time on the workspace's clock."""
        return clock.now() + timedelta(seconds=self.offset)

    def _look(self) -> None:
        """Reload when each sender's turn, the next timer, manual message and monitor are due."""
        self.senders = fetch(_CONNECTED, workspace=self.workspace_id)
        self.timer = lifecycle.next_moment(self.workspace_id)
        self.letter = manual_send.next_moment(self.workspace_id)
        self.monitor = reading.next_moment(self.workspace_id)

    def _expects(self, account: Any) -> datetime | None:
        if account.id not in self.expected:
            reference = provider_credentials.to_account_ref(account, self.now())
            self.expected[account.id] = self.network.next_inbound(reference, account.inbound_cursor)
        return self.expected[account.id]

    def next_moment(self) -> datetime | None:
        """Return the next time after now at which anything happens in the workspace."""
        at = self.now()
        moments = [self.timer, self.letter, self.monitor, *(account.turn_at for account in self.senders)]
        moments += [self._expects(account) for account in self.senders]
        return min((moment for moment in moments if moment is not None and moment > at), default=None)

    def move_to(self, moment: datetime) -> None:
        """Set the workspace's clock to `moment`, unless it is later already."""
        seconds = ceil((moment - clock.now()).total_seconds())
        with transaction():
            ((self.offset,),) = fetch(_MOVE, of=self.workspace_id, seconds=seconds)

    def work(self, moment: datetime | None = None) -> None:
        """Do what is due at that time until nothing is: one thing may make another due."""
        while self._work(moment):
            self._look()

    def _work(self, moment: datetime | None) -> bool:
        at = max(moment, self.now()) if moment else self.now()
        heard = [account for account in self.senders if (comes := self._expects(account)) and comes <= at]
        acting = [account.id for account in self.senders if account.turn_at and account.turn_at <= at]
        timed = self.timer is not None and self.timer <= at
        later = moment is not None and moment > self.now()
        written = self.letter is not None and self.letter <= at
        watched = self.monitor is not None and self.monitor <= at
        if not (heard or acting or timed or later or written or watched):
            return False
        for account_id in [*(account.id for account in heard), *acting]:
            self.expected.pop(account_id, None)
        begun = None
        with transaction(many_small=True):
            if moment and later:
                self.move_to(moment)
            if acting and not heard:
                begun = turns.begin_round(self.workspace_id, self.now())
        poll.poll(heard, self.now())
        turned = turns.finish_round(begun) + reconcile.run_due() if begun else 0
        if ended := lifecycle.run(self.workspace) if timed or heard else 0:
            _keep_forecasts(self.workspace)
        sent = manual_send.run_all_of(self.workspace) | manual_send.look_up() if written else set()
        for account_id in sent:
            self.expected.pop(account_id, None)
        looked = reading.run_all_of(self.workspace) if watched else 0
        return bool(heard or turned or ended or sent or looked)


@dataclass(frozen=True)
class FastForward:
    """The running or last fast-forward: from when to when the clock moves, and why it stopped early, if it did."""

    id: int
    since: datetime
    goal: datetime
    running: bool
    error: str
    watched: bool = False
    stopped: bool = False

    def percent(self, at: datetime) -> int:
        """Return the progress in percent."""
        if not self.running:
            return 100
        return max(0, min(99, int(100 * (at - self.since) / (self.goal - self.since))))


def start_skip(workspace: Workspace, hours: int, *, watched: bool = False) -> None:
    """Start fast-forwarding the workspace's clock by so many hours in the background.

    A `watched` one goes step by step, and ends early at the first reply or when drafts wait for a decision.
    """
    if not workspace.sandbox:
        raise Conflict("You can only fast-forward sandbox workspaces.")
    if not 1 <= hours <= MOST_HOURS:
        raise InvalidRequest.of(("hours", f"Use a whole number from 1 to {MOST_HOURS}."))
    with transaction():
        if (found := latest_skip(workspace)) and found.running:
            raise Conflict("Time is already being fast-forwarded.", recovery="Wait a moment, then try again.")
        since = workspace.now()
        payload = {"since": since.isoformat(), "goal": (since + timedelta(hours=hours)).isoformat()}
        jobs.add(workspace, KIND, KEY, {**payload, "watched": True} if watched else payload)


def stop_skip(workspace: Workspace) -> None:
    """End a fast-forward where it is; nothing happens when none is under way."""
    with transaction():
        found = latest_skip(workspace)
        if found and found.running:
            job = session().get_one(Job, found.id, with_for_update=True, populate_existing=True)
            job.payload = {**job.payload, "goal": workspace.now().isoformat(), "stopped": True}


def latest_skip(workspace: Workspace) -> FastForward | None:
    """Return the workspace's last fast-forward, running or not."""
    if not workspace.sandbox:
        return None
    query = sa.select(Job).where(Job.workspace_id == workspace.id, Job.kind == KIND).order_by(Job.id.desc()).limit(1)
    job = session().scalars(query.execution_options(populate_existing=True)).first()
    if job is None:
        return None
    since, goal = (datetime.fromisoformat(job.payload[name]) for name in ("since", "goal"))
    watched, stopped = (bool(job.payload.get(name)) for name in ("watched", "stopped"))
    return FastForward(job.id, since, goal, job.state == JobState.OPEN, job.error, watched, stopped)


def continue_forward(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Continue the fast-forward by some strides, or end it."""
    goal = datetime.fromisoformat(payload["goal"])
    turn_ends = time.monotonic() + TURN_SECONDS
    watched = payload.get("watched", False)
    while (rest := goal - workspace.now()) > timedelta(0):
        if watched and first_days.is_over(workspace):
            return None
        begun = time.monotonic()
        advance(workspace, min(rest, WATCHED_STRIDE if watched else STRIDE) / timedelta(hours=1))
        session().refresh(workspace)
        jobs.renew_lease(job)
        if watched:
            return max(PACE - timedelta(seconds=time.monotonic() - begun), timedelta(0))
        if time.monotonic() > turn_ends and workspace.now() < goal:
            return jobs.RESCHEDULE
    return None
