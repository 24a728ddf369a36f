"""Moving the clock of a sandbox workspace forward, through exactly the engine that runs in real time."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from app import ports
from app.core import clock
from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain import inbox, lifecycle, reconcile, turns
from app.models.accounts import Account, AccountStatus
from app.models.workspaces import Workspace

MOST_HOURS = 24 * 90


def advance(workspace: Workspace, hours: float) -> datetime:
    """It is `hours` later in the workspace, and everything that fell due on the way has happened at its own moment."""
    if not workspace.sandbox:
        raise Conflict("Only a sandbox workspace has a clock that can be moved.")
    if not 0 < hours <= MOST_HOURS:
        raise InvalidRequest.of(("hours", f"Use a number above 0 and up to {MOST_HOURS}."))
    goal = workspace.now() + timedelta(hours=hours)
    work(workspace)
    while (moment := _next_moment(workspace)) is not None and moment <= goal:
        _move_to(workspace, moment)
        work(workspace)
    _move_to(workspace, goal)
    work(workspace)
    return workspace.now()


def work(workspace: Workspace) -> int:
    """Everything that is due in the workspace at its present moment has happened; the number of things."""
    done = 0
    while True:
        some = reconcile.run_due() + lifecycle.run(workspace) + _read_inbox(workspace) + turns.run_workspace(workspace)
        done += some
        if not some:
            return done


def _connected(workspace: Workspace) -> list[Account]:
    query = sa.select(Account).where(
        Account.workspace_id == workspace.id, Account.status == AccountStatus.CONNECTED, Account.provider == "sandbox"
    )
    return list(session().scalars(query.execution_options(populate_existing=True)))


def _read_inbox(workspace: Workspace) -> int:
    """What has come in by now is taken in; the number of senders for whom something came."""
    at = workspace.now()
    due = []
    for account in _connected(workspace):
        moment = ports.sender("sandbox").next_inbound(inbox.reference(account, at), account.inbound_cursor)
        if moment is not None and moment <= at:
            due.append(account)
    inbox.read(due, at)
    return len(due)


def _next_moment(workspace: Workspace) -> datetime | None:
    """The earliest moment after now at which anything happens in the workspace."""
    at = workspace.now()
    moments = [lifecycle.next_moment(workspace)]
    for account in _connected(workspace):
        moments.append(account.turn_at)
        moments.append(ports.sender("sandbox").next_inbound(inbox.reference(account, at), account.inbound_cursor))
    ahead = [moment for moment in moments if moment is not None and moment > at]
    return min(ahead, default=None)


def _move_to(workspace: Workspace, moment: datetime) -> None:
    """The workspace's clock stands at `moment`, or later if it was moved further meanwhile."""
    seconds = (moment - clock.now()).total_seconds()
    with transaction() as current:
        fresh = current.get_one(Workspace, workspace.id, populate_existing=True, with_for_update=True)
        fresh.clock_offset = max(fresh.clock_offset, int(seconds) + 1)
