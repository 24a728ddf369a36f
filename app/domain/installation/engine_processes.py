"""Engine processes: which are alive, which one is active, and how a process that stands by takes over.

One process at a time holds the seat. It renews its lease with every heartbeat; when it dies, or is paused for longer
than the lease, the next heartbeat of another process takes the seat.
"""

import os
import platform
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import change_rows, insert, session, transaction
from app.models.platform.jobs import EngineProcess, EngineSeat

BEAT = 3.0  # seconds between two heartbeats
LEASE = timedelta(seconds=15)
FORGOTTEN = timedelta(days=1)  # after which a dead process is not listed any more
SEAT = "engine"


@dataclass(frozen=True)
class Process:
    """A process as operators see it; `state` is active, standby or gone."""

    id: int
    command: str
    engine: str
    host: str
    pid: int
    state: str
    started_at: datetime
    seen_at: datetime


def join(command: str, engine: str) -> int:
    """Register this process; return its id."""
    now = clock.now()
    with transaction() as current:
        current.execute(sa.delete(EngineProcess).where(EngineProcess.seen_at < now - FORGOTTEN))
        current.execute(insert(EngineSeat).values(name=SEAT, until=now).on_conflict_do_nothing())
        process = EngineProcess(
            command=command, engine=engine, host=platform.node(), pid=os.getpid(), started_at=now, seen_at=now
        )
        current.add(process)
        current.flush()
        return process.id


def beat(process_id: int, dead: datetime | None = None, by_time: bool = True) -> bool | None:
    """Renew the heartbeat and the seat, or take a free seat; return whether this process has it.

    A seat is free when its lease has ended, if the time can be believed (`by_time`), and when its lease is still the
    one that the caller calls `dead`. None means that the process was paused for so long that it was forgotten.
    """
    now = clock.now()
    with transaction() as current:
        if not _changed(sa.update(EngineProcess).where(EngineProcess.id == process_id).values(seen_at=now)):
            return None
        free = sa.or_(
            EngineSeat.process_id == process_id,
            EngineSeat.process_id.is_(None),
            EngineSeat.until == dead,
            sa.and_(sa.literal(by_time), EngineSeat.until <= now),
        )
        if not current.scalar(sa.select(EngineSeat.name).where(EngineSeat.name == SEAT, free)):
            return False
        seat = sa.update(EngineSeat).where(EngineSeat.name == SEAT, free)
        return _changed(seat.values(process_id=process_id, until=now + LEASE))


def lease() -> datetime | None:
    """Return when the seat's lease ends, as its holder wrote it."""
    return session().scalar(sa.select(EngineSeat.until).where(EngineSeat.name == SEAT))


def leave(process_id: int) -> None:
    """Give up the seat and sign off."""
    with transaction() as current:
        mine = sa.update(EngineSeat).where(EngineSeat.process_id == process_id)
        current.execute(mine.values(process_id=None, until=clock.now()))
        current.execute(sa.delete(EngineProcess).where(EngineProcess.id == process_id))


def every() -> list[Process]:
    """Return the processes of this installation, those alive first."""
    now = clock.now()
    seat = session().execute(sa.select(EngineSeat.process_id, EngineSeat.until)).first()
    rows = session().scalars(sa.select(EngineProcess).order_by(EngineProcess.id)).all()
    found = [
        Process(row.id, row.command, row.engine, row.host, row.pid, _state(row, seat, now), row.started_at, row.seen_at)
        for row in rows
    ]
    return sorted(found, key=lambda one: ("active", "standby", "gone").index(one.state))


def idle() -> str:
    """Return a sentence on since when no process runs campaigns; '' while one does."""
    found = every()
    if any(one.state == "active" for one in found):
        return ""
    seen = max((one.seen_at for one in found), default=None)
    since = f"since {seen:%Y-%m-%d %H:%M} UTC" if seen else "yet"
    return f"No worker has run {since}, so nothing is sent or read. Start `overture worker`."


def sentence() -> str:
    """Return a sentence on which processes run the engine."""
    found = every()
    active = [f"{one.command} {one.pid} on {one.host}" for one in found if one.state == "active"]
    standing = sum(one.state == "standby" for one in found)
    if not active:
        return "No process is running campaigns right now, so nothing is sent."
    return f"Campaigns run in {', '.join(active)}" + (f"; {standing} standing by." if standing else ".")


def _state(row: EngineProcess, seat: Any, now: datetime) -> str:
    if abs(now - row.seen_at) > LEASE:  # a time in the future: the process died before the clock was set back
        return "gone"
    if row.engine != "embedded":
        return "active"  # all workers of a distributed engine are active, whoever holds the seat
    return "active" if seat and seat.process_id == row.id and seat.until > now else "standby"


def _changed(statement: sa.Update) -> bool:
    result: Any = change_rows(statement)
    return bool(result.rowcount)
