"""Moving the clock of a sandbox workspace forward, through exactly the engine that runs in real time."""

from datetime import datetime, timedelta
from math import ceil
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import rows, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain import inbox, lifecycle, reconcile, turns
from app.models.accounts import Account, AccountStatus
from app.models.workspaces import Workspace

MOST_HOURS = 24 * 90
_ACCOUNTS: Any = Account.__table__
_CONNECTED = sa.select(_ACCOUNTS).where(
    _ACCOUNTS.c.workspace_id == sa.bindparam("workspace"),
    _ACCOUNTS.c.status == AccountStatus.CONNECTED,
    _ACCOUNTS.c.provider == "sandbox",
)


def advance(workspace: Workspace, hours: float) -> datetime:
    """It is `hours` later in the workspace, and everything that fell due on the way has happened at its own moment."""
    if not workspace.sandbox:
        raise Conflict("Only a sandbox workspace has a clock that can be moved.")
    if not 0 < hours <= MOST_HOURS:
        raise InvalidRequest.of(("hours", f"Use a number above 0 and up to {MOST_HOURS}."))
    goal = workspace.now() + timedelta(hours=hours)
    journey = Journey(workspace)
    journey.settle()
    while (moment := journey.next_moment()) is not None and moment <= goal:
        journey.move_to(moment)
        while journey.work():  # one thing may make another due at the same moment
            pass
    journey.move_to(goal)
    journey.settle()
    return workspace.now()


class Journey:
    """A workspace on its way through time. What each sender expects next is remembered until the sender acts."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.network = ports.sender("sandbox")
        self.expected: dict[int, datetime | None] = {}

    def next_moment(self) -> datetime | None:
        """The earliest moment after now at which anything happens in the workspace."""
        at = self.workspace.now()
        moments = [lifecycle.next_moment(self.workspace)]
        for account in rows(_CONNECTED, workspace=self.workspace.id):
            moments += [account.turn_at, self._expects(account, at)]
        return min((moment for moment in moments if moment is not None and moment > at), default=None)

    def _expects(self, account: Any, at: datetime) -> datetime | None:
        if account.id not in self.expected:
            reference = inbox.reference(account, at)
            self.expected[account.id] = self.network.next_inbound(reference, account.inbound_cursor)
        return self.expected[account.id]

    def move_to(self, moment: datetime) -> None:
        """The workspace's clock stands at `moment`, or later if it was moved further meanwhile."""
        seconds = (moment - clock.now()).total_seconds()
        with transaction() as current:
            fresh = current.get_one(Workspace, self.workspace.id, populate_existing=True, with_for_update=True)
            fresh.clock_offset = max(fresh.clock_offset, ceil(seconds))

    def work(self) -> int:
        """What is due at the present moment has happened; the number of things."""
        at = self.workspace.now()
        senders = rows(_CONNECTED, workspace=self.workspace.id)
        heard = [account for account in senders if (moment := self._expects(account, at)) and moment <= at]
        inbox.read(heard, at)
        for account in heard:
            self.expected.pop(account.id, None)
        acting = [account.id for account in senders if account.turn_at and account.turn_at <= at]
        done = len(heard)
        if acting or heard:
            done += turns.run_workspace(self.workspace) + reconcile.run_due()
            for account_id in acting:
                self.expected.pop(account_id, None)
        timer = lifecycle.next_moment(self.workspace)
        if heard or (timer is not None and timer <= at):
            done += lifecycle.run(self.workspace)
        return done

    def settle(self) -> None:
        """Nothing more is due at the present moment."""
        while self.work() + lifecycle.run(self.workspace):
            pass
