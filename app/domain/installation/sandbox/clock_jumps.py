"""What waits after the time was set back: it would wait until the time before comes again.

What means a day and an hour to a person (the next step, a scheduled answer, a task) stays; what was counted from the
moment of then is counted from now. Everything here only makes the engine look earlier: it decides again by its rules.
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
APART = timedelta(minutes=2)  # by which the clocks of two machines may differ without being a jump
AT_ONCE = 500
LONGEST_OFFSET = 100 * 366 * 86_400  # seconds
FURTHEST = timedelta(days=731)  # nothing counted from now waits for longer


def back_since_last_seen() -> float:
    """Return by how many seconds the time was set back while no process was there to notice it."""
    last = session().scalar(sa.select(sa.func.max(EngineProcess.seen_at)))
    back = last - clock.now() if last else timedelta(0)
    return back.total_seconds() if back > APART else 0.0


def bring_forward(seconds: float) -> int:
    """Let what was counted from before the jump wait no longer than it had to; return how many rows changed."""
    back, changed = timedelta(seconds=seconds), 0
    for model, names in COUNTED:
        for name in names:
            changed += _bring_forward(model, model.__table__.c[name], back)
    with transaction() as current:  # an inbox that was read in the future was not read now
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
    """Return a time years ahead of every workspace's clock, which only a wrong clock sets."""
    offset = Workspace.clock_offset
    latest = session().scalar(sa.select(sa.func.max(offset)).where(offset.between(0, LONGEST_OFFSET))) or 0
    return clock.now() + timedelta(seconds=latest) + FURTHEST


def out_of_reach() -> dict[Any, int]:
    """Return by column how many rows wait for such a time."""
    late, columns = furthest(), [model.__table__.c[name] for model, names in FROM_NOW for name in names]
    counts = {one: session().scalar(sa.select(sa.func.count()).where(one > late)) or 0 for one in columns}
    return {column: count for column, count in counts.items() if count}


def bring_within_reach() -> dict[Any, int]:
    """Have what waits for such a time looked at now; return what it was."""
    found = out_of_reach()
    with transaction() as current:
        for column in found:
            current.execute(sa.update(column.table).where(column > furthest()).values({column.name: clock.now()}))
    return found


def free_leases() -> None:
    """Free what a process had that died before the time was set back; those alive ended their work by now."""
    for model in LEASED:
        table = model.__table__
        stuck = sa.update(table).where(table.c.claimed_until > clock.now() + LONGEST_LEASE)
        with transaction() as current:
            current.execute(stuck.values(claimed_until=None))
