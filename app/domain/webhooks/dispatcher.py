"""The dispatcher: claim an endpoint's deliveries in batches, call in parallel, record outcomes in batches.

Calls wait in lanes, one per endpoint. A lane starts with two calls at a time, gets more while it answers
quickly and fewer when it fails, so that a dead endpoint only slows down its own deliveries.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from app.core import claims, clock
from app.core.db import change_rows, end_read, in_list, transaction
from app.domain.webhooks import retries, signed_request
from app.domain.webhooks.retries import Outcome
from app.domain.webhooks.signed_request import Endpoint, SignedDelivery
from app.models.webhooks import Delivery

CALLS = 96  # at once, in this process
CALLS_OF_A_LANE, CALLS_AT_FIRST, FEWEST_USEFUL = 64, 2, 8
QUICK = 1000  # milliseconds; a lane that takes longer gets no more calls at once
BATCH, MOST_HELD, HELD_OF_A_LANE, RUNNING_LOW = 256, 4096, 32, 64
FIRST = 2000  # of the deliveries due first, so many are searched for endpoints
LONGEST_RUN = 10.0  # seconds after which an endpoint's lane is given back, to go on at once if more waits
LEASE, CALL = timedelta(seconds=60), timedelta(seconds=20)  # nothing is begun that may outlast its lease
GATHERED, PATIENCE = 128, 0.05  # outcomes that are recorded together, and the seconds one waits for others


@dataclass(slots=True)
class Lane:
    """The deliveries for one endpoint, and how many of them may be sent at once."""

    parcels: deque[SignedDelivery] = field(default_factory=deque)
    callers: int = 0
    allowance: int = CALLS_AT_FIRST
    silent: int = 0  # calls in a row without any answer
    pace: float = 0.0  # milliseconds an answer takes of late

    @property
    def full(self) -> bool:
        """Return whether the lane has enough work for a while."""
        return len(self.parcels) >= (BATCH if self.allowance > CALLS_AT_FIRST else HELD_OF_A_LANE)

    def learn(self, outcome: Outcome) -> None:
        """Adjust the lane's concurrency: quick answers raise it, failures and slowness lower it."""
        self.silent = self.silent + 1 if outcome.status is None else 0
        if not outcome.good:
            self.allowance = CALLS_AT_FIRST if outcome.status is None else max(CALLS_AT_FIRST, self.allowance // 2)
        else:
            self.pace += (outcome.milliseconds - self.pace) / 8
            better = outcome.milliseconds <= QUICK and self.allowance < self._useful
            self.allowance = self.allowance + 1 if better else max(CALLS_AT_FIRST, self.allowance - 1)

    @property
    def _useful(self) -> int:
        """Return the useful number of parallel calls: one process can do about two thousand a second."""
        return max(FEWEST_USEFUL, min(int(2 * self.pace) + 1, CALLS_OF_A_LANE))


# What earlier runs learned of each lane, so that a quick endpoint need not earn its calls anew.
Learned = dict[signed_request.Lane, tuple[int, float]]
_learned: Learned = {}
MOST_LEARNED = 10_000


class Dispatcher:
    """Deliveries in hand: those of one endpoint, or of all."""

    def __init__(self, only: int | None = None, learned: Learned = _learned) -> None:
        self._only = only
        self._learned = learned
        self._threads = ThreadPoolExecutor(CALLS, thread_name_prefix="delivery")
        self._lock = threading.Lock()
        self._lanes: dict[signed_request.Lane, Lane] = {}
        self._held: dict[int, SignedDelivery] = {}
        self._targets: dict[int, Endpoint] = {}
        self._done: list[Outcome] = []
        self._given_back: list[int] = []
        self._back = threading.Event()
        self._calling = 0
        self._crowded = False

    @property
    def idle(self) -> bool:
        """Return whether no delivery is queued, in flight or unrecorded."""
        return not (self._held or self._calling or self._done or self._given_back)

    def turn(self, limit: int = BATCH) -> int:
        """Claim and send due deliveries and record the outcomes; return how many of both."""
        end_read()
        claimed = self._claim(limit)
        end_read()
        self._call()
        done, given_back = self._gather()
        if done:
            retries.record_result(done)
        _release(given_back)
        return claimed + len(done)

    def finish(self) -> None:
        """Wait for calls in flight and record them; release what is only queued."""
        with self._lock:
            for lane in self._lanes.values():
                self._give_back(lane)
        while not self.idle:
            self.turn(0)
        self._threads.shutdown()
        self._remember()

    def _claim(self, limit: int) -> int:
        with self._lock:
            limit = min(limit, MOST_HELD - len(self._held))
            busy = {parcel.target.webhook_id for lane in self._lanes.values() if lane.full for parcel in lane.parcels}
            holding = {parcel.target.webhook_id for parcel in self._held.values()}
        ids, until = [], clock.now() + LEASE
        if limit > 0:
            where: list[sa.ColumnElement[bool]] = [Delivery.webhook_id.not_in(busy)] if busy else []
            if self._only is not None:
                where.append(Delivery.webhook_id == self._only)
            ids = claims.claim(Delivery, Delivery.due_at, clock.now(), limit=limit, lease=LEASE, where=where)
        if not ids and not holding:
            return 0
        rows = signed_request.load_claimed(ids) if ids else []
        self._targets = signed_request.load_endpoints(holding | {row.webhook_id for row in rows}, self._targets)
        packed = [
            signed_request.build(row, self._targets[row.webhook_id], until)
            for row in rows
            if row.webhook_id in self._targets
        ]
        with self._lock:
            self._drop_stale()
            surplus = self._hold(packed)
        _release(surplus)
        return len(ids)

    def _drop_stale(self) -> None:
        """Release queued deliveries of webhooks that were changed, switched off or deleted."""
        for lane in self._lanes.values():
            stale = [one for one in lane.parcels if one.target is not self._targets.get(one.target.webhook_id)]
            for parcel in stale:
                self._given_back.append(parcel.delivery_id)
                del self._held[parcel.delivery_id]
            if stale:
                lane.parcels = deque(parcel for parcel in lane.parcels if parcel.delivery_id in self._held)

    def _hold(self, packed: Iterable[SignedDelivery]) -> list[int]:
        """Queue the deliveries in their lanes; return the ids of those that do not fit."""
        surplus = []
        for parcel in packed:
            lane = self._lanes.get(parcel.target.lane) or self._lane(parcel.target.lane)
            if held := self._held.get(parcel.delivery_id):
                held.until = parcel.until
            elif lane.full:
                surplus.append(parcel.delivery_id)
            else:
                self._put(lane, parcel)
        return surplus

    def _lane(self, name: signed_request.Lane) -> Lane:
        allowance, pace = self._learned.get(name, (CALLS_AT_FIRST, 0.0))
        self._lanes[name] = Lane(allowance=allowance, pace=pace)
        return self._lanes[name]

    def _remember(self) -> None:
        if len(self._learned) > MOST_LEARNED:
            self._learned.clear()
        self._learned.update({name: (lane.allowance, lane.pace) for name, lane in self._lanes.items()})

    def _put(self, lane: Lane, parcel: SignedDelivery) -> None:
        self._held[parcel.delivery_id] = parcel
        lane.parcels.append(parcel)

    def _give_back(self, lane: Lane) -> None:
        """Release the lane's queued deliveries for other workers."""
        for parcel in lane.parcels:
            self._given_back.append(parcel.delivery_id)
            del self._held[parcel.delivery_id]
        lane.parcels.clear()

    def _call(self) -> None:
        """Start callers for every lane that may have more, first for the lanes with the fewest."""
        with self._lock:
            for name in [name for name, lane in self._lanes.items() if not lane.parcels and not lane.callers]:
                if len(self._lanes) > CALLS:
                    del self._lanes[name]
            waiting = [lane for lane in self._lanes.values() if lane.parcels]
            while waiting and self._calling < CALLS:
                waiting = [lane for lane in waiting if lane.callers < min(lane.allowance, len(lane.parcels))]
                for lane in sorted(waiting, key=lambda lane: lane.callers)[: CALLS - self._calling]:
                    lane.callers += 1
                    self._calling += 1
                    self._threads.submit(self._caller, lane)
            self._crowded = any(not lane.callers for lane in waiting)

    def _caller(self, lane: Lane) -> None:
        """Send one lane's deliveries in order, until another lane needs the thread more."""
        while parcel := self._next(lane):
            outcome = signed_request.send(parcel)
            with self._lock:
                lane.learn(outcome)
                self._done.append(outcome)
                if lane.silent >= retries.REST_AFTER:
                    self._give_back(lane)  # the endpoint is unreachable, and the webhook will rest
                if len(self._done) >= GATHERED:
                    self._back.set()

    def _next(self, lane: Lane) -> SignedDelivery | None:
        with self._lock:
            while lane.parcels and lane.callers <= lane.allowance and not (self._crowded and lane.callers > 1):
                parcel = lane.parcels.popleft()
                del self._held[parcel.delivery_id]
                if len(self._held) == RUNNING_LOW:
                    self._back.set()
                if parcel.until - clock.now() >= CALL:
                    return parcel
            lane.callers -= 1
            self._calling -= 1
            if not self._calling:
                self._back.set()
            return None

    def _gather(self) -> tuple[list[Outcome], list[int]]:
        if self._calling:
            self._back.wait(PATIENCE)
        self._back.clear()
        with self._lock:
            done, self._done = self._done, []
            given_back, self._given_back = self._given_back, []
        return done, given_back


_DELIVERIES: Any = Delivery.__table__
_MOMENT = _DELIVERIES.c.due_at.type
_REAL = sa.bindparam("real", type_=_MOMENT)
_FIRST = (
    claims.leave_out_busy(
        sa.select(_DELIVERIES.c.webhook_id, _DELIVERIES.c.workspace_id, _DELIVERIES.c.due_at).where(
            _DELIVERIES.c.due_at <= _REAL,
            claims.is_free(_DELIVERIES.c.claimed_until, _REAL),
        ),
        _DELIVERIES.c.webhook_id,
        _DELIVERIES.c.workspace_id,
    )
    .order_by(_DELIVERIES.c.due_at)
    .limit(FIRST)
    .subquery("first")
)
_DUE = (
    sa.select(_FIRST.c.webhook_id.label("key"), _FIRST.c.workspace_id)
    .group_by(_FIRST.c.webhook_id, _FIRST.c.workspace_id)
    .order_by(sa.func.min(_FIRST.c.due_at))
    .limit(sa.bindparam("most", type_=sa.Integer()))
)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return endpoints with deliveries that are due, among the deliveries that are due first."""
    return claims.due_units(_DUE, most, busy, real=clock.now())


def run(webhook_id: int) -> int:
    """Deliver what is due to one endpoint, for some seconds; return how many attempts were started or recorded."""
    return _work(Dispatcher(webhook_id), time.monotonic() + LONGEST_RUN)


def deliver_due(limit: int = 100_000) -> int:
    """Deliver everything that is due; return how many attempts were started or recorded."""
    return _work(Dispatcher(), math.inf, limit)


def _work(mine: Dispatcher, until: float, limit: int = 100_000) -> int:
    count = 0
    try:
        while count < limit and time.monotonic() < until:
            moved = mine.turn(min(BATCH, limit - count))
            count += moved
            if not moved and mine.idle:
                break
    finally:
        mine.finish()
    return count


def _release(ids: list[int]) -> None:
    """Release the claims, so that any worker can take these deliveries."""
    if ids:
        with transaction():
            change_rows(sa.update(Delivery).where(in_list(Delivery.id, ids)).values(claimed_until=None))
