"""After the clock is set back: rows due at times computed before the jump would wait too long, so make them due sooner.

Times chosen for a person (the next step, a scheduled answer, a task) stay. Times computed as an interval from the old
clock are computed from the new one. This only makes the engine check earlier; its rules still decide.
"""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import session, transaction
from app.models.accounts import Account
from app.models.autopilot import SourceConnection
from app.models.crm import CrmFlow
from app.models.ledger import Action
from app.models.monitors import Monitor
from app.models.platform.jobs import EngineProcess, EngineSeat, Job
from app.models.webhooks import Delivery, Webhook
from app.models.workspaces import Workspace

COUNTED = [
    (Account, ("turn_at", "free_at")),
    (Action, ("check_at",)),
    (CrmFlow, ("due_at",)),
    (Delivery, ("due_at",)),
    (Job, ("due_at",)),
    (Monitor, ("due_at",)),
    (SourceConnection, ("due_at",)),
    (Webhook, ("probe_at",)),
]
FROM_NOW = [*COUNTED, (Account, ("polled_at",)), (EngineSeat, ("until",))]  # set again at every look
NAMES = {name for _, names in FROM_NOW for name in names}
LEASED: dict[Any, str] = {
    Account: "senders",
    CrmFlow: "CRM syncs",
    Delivery: "deliveries",
    Job: "jobs",
    Monitor: "monitors",
}
LONGEST_LEASE = timedelta(hours=1)
APART = timedelta(minutes=2)  # a smaller difference is that of two machines' clocks, not a jump
AT_ONCE = 500
LONGEST_OFFSET = 100 * 366 * 86_400  # seconds
FURTHEST = timedelta(days=731)  # nothing counted from now waits for longer


def back_since_last_seen() -> float:
    """Return by how many seconds the clock was set back while no process ran that could notice it."""
    last = session().scalar(sa.select(sa.func.max(EngineProcess.seen_at)))
    back = last - clock.now() if last else timedelta(0)
    return back.total_seconds() if back > APART else 0.0


def bring_forward(seconds: float) -> int:
    """Move times computed from the old clock back by the jump, but not before now; return how many rows changed."""
    back, changed = timedelta(seconds=seconds), 0
    for model, names in COUNTED:
        for name in names:
            changed += _bring_forward(model, model.__table__.c[name], back)
    with transaction() as current:  # an inbox marked as read in the future counts as unread
        current.execute(sa.update(Account).where(Account.polled_at > clock.now()).values(polled_at=None))
    return changed


def _bring_forward(model: Any, column: Any, back: timedelta) -> int:
    now, after, changed = clock.now(), 0, 0
    table = model.__table__
    set_new = (
        sa.update(table)
        .where(table.c.id == sa.bindparam("key"), column == sa.bindparam("old", type_=column.type))
        .values({column: sa.bindparam("new", type_=column.type)})
    )
    while True:
        with transaction() as current:
            late = sa.select(table.c.id, column.label("moment")).where(column > now, table.c.id > after)
            rows = current.execute(late.order_by(table.c.id).limit(AT_ONCE)).all()
            if not rows:
                return changed
            current.connection().execute(
                set_new, [{"key": row.id, "old": row.moment, "new": _earlier(row.moment, back, now)} for row in rows]
            )
        after, changed = rows[-1].id, changed + len(rows)


def _earlier(moment: datetime, back: timedelta, now: datetime) -> datetime:
    return max(moment - back, now)


def furthest() -> datetime:
    """Return a time years ahead of every workspace's clock; a row can only be due after it if a clock was wrong."""
    offset = Workspace.clock_offset
    latest = session().scalar(sa.select(sa.func.max(offset)).where(offset.between(0, LONGEST_OFFSET))) or 0
    return clock.now() + timedelta(seconds=latest) + FURTHEST


def out_of_reach() -> dict[Any, int]:
    """Return, by column, how many rows are due after `furthest`."""
    late, columns = furthest(), [model.__table__.c[name] for model, names in FROM_NOW for name in names]
    counts = {one: session().scalar(sa.select(sa.func.count()).where(one > late)) or 0 for one in columns}
    return {column: count for column, count in counts.items() if count}


def bring_within_reach() -> dict[Any, int]:
    """Make the rows that are due after `furthest` due now; return how many, by column."""
    found = out_of_reach()
    with transaction() as current:
        for column in found:
            current.execute(sa.update(column.table).where(column > furthest()).values({column.name: clock.now()}))
    return found


def free_leases() -> None:
    """Free claims of processes that died before the clock was set back; live processes have ended theirs by now."""
    for model in LEASED:
        table = model.__table__
        stuck = sa.update(table).where(table.c.claimed_until > clock.now() + LONGEST_LEASE)
        with transaction() as current:
            current.execute(stuck.values(claimed_until=None))
