"""UNITS: all kinds of background work, as one table. A unit is a kind and a key; the kind has `due` and `run`.

`due(most, busy)` reads from the rows which keys are due, the first of each workspace before the second of any.
`run(key)` claims the row, works, and returns how much it did. No unit waits for another one's network calls. Nothing is
due in a restored copy that may not act yet.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from app.core.claims import Busy, Due
from app.domain.autopilot import source_sync
from app.domain.autopilot.monitors import reading
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.enrichment.crm import reading as crm_reading
from app.domain.enrichment.crm import writing as crm_writing
from app.domain.notifications import alerts
from app.domain.platform import jobs, restore_hold
from app.domain.platform.restore_hold import Reach
from app.domain.webhooks import dispatcher


@dataclass(frozen=True)
class UnitKind:
    """A kind of unit: how to find what is due, how to run one, and how many may run at once in a process.

    `every` is the longest time in seconds before a due one is noticed without a wake. `queue` is one of QUEUES.
    Units with the same `lock` and key never run at the same time.
    """

    name: str
    due: Callable[[int, Busy], list[Due]]
    run: Callable[[int], int]
    slots: int
    every: float
    queue: str
    lock: str
    at_once: int = 0  # the most of one workspace on all machines, with a distributed engine; 0: no limit
    reach: Reach = Reach.OUTSIDE


def _look_up(sender_id: int) -> int:
    return reconcile.run(sender_id) + len(manual_send.look_up(sender_id))


def held(kind: UnitKind) -> UnitKind:
    """Return the kind so that nothing is due or runs while the restore hold forbids work of its reach."""

    def due(most: int, busy: Busy) -> list[Due]:
        return kind.due(most, busy) if restore_hold.may_run(kind.reach) else []

    def run(key: int) -> int:
        return kind.run(key) if restore_hold.may_run(kind.reach) else 0

    return replace(kind, due=due, run=run)


_UNITS = [
    UnitKind("turn", turns.due, turns.run, 64, 1, "turns", "sender", reach=Reach.PEOPLE),
    UnitKind("message", manual_send.due, manual_send.run, 8, 1, "turns", "sender", reach=Reach.PEOPLE),
    UnitKind("inbox", poll.due, poll.run, 16, 5, "turns", "inbox"),
    UnitKind("lookup", reconcile.due, _look_up, 4, 15, "turns", "lookup"),
    UnitKind("mail", partial(jobs.due, urgent=True), jobs.run, 4, 1, "jobs", "job"),
    UnitKind("job", partial(jobs.due, urgent=False), jobs.run, 8, 1, "jobs", "job", at_once=3),
    UnitKind("campaign", lifecycle.due, lifecycle.run_one, 2, 2, "jobs", "campaign"),
    UnitKind("source", source_sync.due, source_sync.run, 1, 60, "jobs", "source"),
    UnitKind("monitor", reading.due, reading.run, 2, 30, "jobs", "monitor"),
    UnitKind("crm_in", crm_reading.due, crm_reading.run, 2, 5, "jobs", "crm_in"),
    UnitKind("crm_out", crm_writing.due, crm_writing.run, 2, 5, "jobs", "crm_out"),
    UnitKind("alert", alerts.due, alerts.run, 1, 60, "jobs", "alert"),
    UnitKind("delivery", dispatcher.due, dispatcher.run, 32, 1, "deliveries", "delivery"),
]
UNITS = [held(kind) for kind in _UNITS]
BY_NAME = {kind.name: kind for kind in UNITS}
