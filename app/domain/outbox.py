"""Deliveries on their way: claimed a batch at a time, many calls at once, their outcomes recorded a batch at a time.

Calls wait in lanes, one per workspace and host. A lane begins with two at a time, gets more while it answers quickly
and falls back when it fails, so that a dead endpoint holds up nobody but itself.
"""

import base64
import hmac
import logging
import threading
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from app import ports
from app.core import clock, queue
from app.core.db import db, in_batches, leave_database, session, transaction
from app.domain import outcomes, webhooks
from app.domain.outcomes import Outcome
from app.models.webhooks import Delivery, DeliveryState, Event, Webhook

log = logging.getLogger("app.outbox")
CALLS = 96  # at once, in this process
CALLS_OF_A_LANE, CALLS_AT_FIRST = 64, 2
QUICK = 1000  # milliseconds; a lane that takes longer gets no more calls at once
BATCH, MOST_HELD, HELD_OF_A_LANE = 256, 4096, 32
LEASE, CALL = timedelta(seconds=60), timedelta(seconds=20)  # nothing is begun that may outlast its lease
GATHERED, PATIENCE = 64, 0.05  # outcomes that are recorded together, and the seconds one waits for others

Lane_ = tuple[int, str]


@dataclass(slots=True)
class Parcel:
    """A delivery with all that sending it takes."""

    delivery_id: int
    webhook_id: int
    lane: Lane_
    url: str
    ref: str
    body: str
    keys: list[bytes]
    until: datetime


@dataclass(slots=True)
class Lane:
    """The parcels for one host, and how many of them may be on their way at once."""

    parcels: deque[Parcel] = field(default_factory=deque)
    callers: int = 0
    allowance: int = CALLS_AT_FIRST
    silent: int = 0  # calls in a row without any answer

    @property
    def full(self) -> bool:
        """Whether it has enough to do for a while."""
        return len(self.parcels) >= max(4 * self.allowance, HELD_OF_A_LANE)

    def learn(self, outcome: Outcome) -> None:
        """Quick answers earn more calls at once, failures and slowness cost them."""
        self.silent = self.silent + 1 if outcome.status is None else 0
        if not outcome.good:
            self.allowance = CALLS_AT_FIRST if outcome.status is None else max(CALLS_AT_FIRST, self.allowance // 2)
        elif outcome.milliseconds <= QUICK:
            self.allowance = min(self.allowance + 1, CALLS_OF_A_LANE)
        else:
            self.allowance = max(CALLS_AT_FIRST, self.allowance - 1)


class Outbox:
    """The deliveries of one database that this process has in hand."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(CALLS, thread_name_prefix="delivery")
        self._lock = threading.Lock()
        self._lanes: dict[Lane_, Lane] = {}
        self._held: dict[int, Parcel] = {}
        self._done: list[Outcome] = []
        self._given_back: list[int] = []
        self._back = threading.Event()
        self._calling = 0
        self._crowded = False

    @property
    def idle(self) -> bool:
        """Whether nothing is in hand, on its way or unrecorded."""
        return not (self._held or self._calling or self._done or self._given_back)

    def turn(self, limit: int = BATCH) -> int:
        """Due deliveries are claimed and sent, and what came back is recorded; how many of both."""
        claimed = self._claim(limit)
        self._call()
        leave_database()
        done, given_back = self._gather()
        if done:
            outcomes.record(done)
        _release(given_back)
        return claimed + len(done)

    def _claim(self, limit: int) -> int:
        with self._lock:
            limit = min(limit, MOST_HELD - len(self._held))
            busy = {parcel.webhook_id for lane in self._lanes.values() if lane.full for parcel in lane.parcels}
        if limit <= 0:
            return 0
        others = (Delivery.webhook_id.not_in(busy),) if busy else ()
        ids = queue.claim(Delivery, Delivery.due_at, clock.now(), limit=limit, lease=LEASE, where=others)
        if ids:
            _release(self._hold(_parcels(ids)))
        return len(ids)

    def _hold(self, parcels: Iterable[Parcel]) -> list[int]:
        """The parcels are in their lanes; those that do not fit are returned."""
        surplus = []
        with self._lock:
            for parcel in list(parcels):
                lane = self._lanes.setdefault(parcel.lane, Lane())
                if held := self._held.get(parcel.delivery_id):
                    held.until = parcel.until
                elif lane.full:
                    surplus.append(parcel.delivery_id)
                else:
                    self._held[parcel.delivery_id] = parcel
                    lane.parcels.append(parcel)
        return surplus

    def _call(self) -> None:
        """Callers for every lane that may have more, first for those that have the fewest."""
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
        """Sends parcels of one lane, one after the other, until others need the thread more."""
        while parcel := self._next(lane):
            outcome = _send(parcel)
            with self._lock:
                lane.learn(outcome)
                self._done.append(outcome)
                if lane.silent >= outcomes.REST_AFTER:
                    self._give_back(lane)
                if len(self._done) >= GATHERED:
                    self._back.set()

    def _give_back(self, lane: Lane) -> None:
        """Nobody is there: what the lane holds is left to the webhook's rest."""
        self._given_back += [parcel.delivery_id for parcel in lane.parcels]
        for parcel in lane.parcels:
            del self._held[parcel.delivery_id]
        lane.parcels.clear()

    def _next(self, lane: Lane) -> Parcel | None:
        with self._lock:
            while lane.parcels and lane.callers <= lane.allowance and not (self._crowded and lane.callers > 1):
                parcel = lane.parcels.popleft()
                del self._held[parcel.delivery_id]
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


_outboxes: WeakKeyDictionary[sa.Engine, Outbox] = WeakKeyDictionary()
_making = threading.Lock()


def outbox() -> Outbox:
    """The outbox of the database in use."""
    with _making:
        return _outboxes.setdefault(db.engine, Outbox())


def tick() -> int:
    """One look at what is due; more than 0 while there is anything to do."""
    mine = outbox()
    return mine.turn() or int(not mine.idle)


def deliver_due(limit: int = 100_000) -> int:
    """Everything that is due has been tried, and what came of it is recorded; how many tries were begun or ended."""
    mine, count = outbox(), 0
    while True:
        moved = mine.turn(min(BATCH, limit - count)) if count < limit else mine.turn(0)
        count += moved
        if not moved and mine.idle:
            return count


def finish() -> None:
    """What is on its way has come back and is recorded; what was only in hand comes up again after its lease."""
    mine = outbox()
    while not mine.idle:
        mine.turn(0)


def _parcels(ids: list[int]) -> Iterable[Parcel]:
    """The claimed deliveries, in the order of their ids' list, with the secrets opened once per webhook."""
    query = (
        sa.select(
            Delivery.id,
            Delivery.claimed_until,
            Delivery.test_ref,
            Delivery.test_body,
            Event.ref,
            Event.body,
            Webhook.id.label("webhook_id"),
            Webhook.workspace_id,
            Webhook.url,
            Webhook.secret,
            Webhook.former_secret,
            Webhook.former_until,
        )
        .join(Webhook, Webhook.id == Delivery.webhook_id)
        .outerjoin(Event, Event.id == Delivery.event_id)
        .where(Delivery.state == DeliveryState.PENDING)
    )
    rows = {row.id: row for some in in_batches(ids) for row in session().execute(query.where(Delivery.id.in_(some)))}
    keys: dict[int, list[bytes]] = {}
    for row in (rows[delivery_id] for delivery_id in ids if delivery_id in rows):
        if row.webhook_id not in keys:
            keys[row.webhook_id] = _keys(row)
        yield Parcel(
            delivery_id=row.id,
            webhook_id=row.webhook_id,
            lane=(row.workspace_id, urlsplit(row.url).netloc),
            url=row.url,
            ref=row.ref or row.test_ref,
            body=row.body or row.test_body,
            keys=keys[row.webhook_id],
            until=row.claimed_until,
        )


def _release(ids: list[int]) -> None:
    """Others may claim these, and so may we when their lane has room."""
    for some in in_batches(ids):
        with transaction() as current:
            freed = sa.update(Delivery).where(Delivery.id.in_(some)).values(claimed_until=None)
            current.execute(freed, execution_options={"synchronize_session": False})


def _keys(row: Any) -> list[bytes]:
    """The secret's bytes, and the former one's while it still counts."""
    sealed = [row.secret]
    if row.former_secret and row.former_until > clock.now():
        sealed.append(row.former_secret)
    secrets = [webhooks.unseal(one, row.webhook_id, row.workspace_id) for one in sealed]
    return [base64.b64decode(secret.removeprefix("whsec_")) for secret in secrets]


def sign(keys: Iterable[bytes], ref: str, timestamp: int, body: str) -> str:
    """The `webhook-signature` header of Standard Webhooks: one signature per key."""
    message = f"{ref}.{timestamp}.{body}".encode()
    return " ".join("v1," + base64.b64encode(hmac.digest(key, message, "sha256")).decode() for key in keys)


def _send(parcel: Parcel) -> Outcome:
    """One call. Signed at the moment it is made, over the same bytes every time."""
    at = clock.now()
    timestamp = int(at.timestamp())
    headers = {
        "content-type": "application/json",
        "webhook-id": parcel.ref,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(parcel.keys, parcel.ref, timestamp, parcel.body),
    }
    written = "\n".join(f"{name}: {value}" for name, value in headers.items())
    begun = time.monotonic()
    try:
        answer = ports.courier().post(parcel.url, headers, parcel.body.encode())
    except Exception as problem:
        sentence = problem.sentence if isinstance(problem, ports.ProviderError) else "It could not be sent."
        if not isinstance(problem, ports.ProviderError):
            log.exception("A delivery could not be tried", extra={"fields": {"delivery": parcel.delivery_id}})
        took = int((time.monotonic() - begun) * 1000)
        return Outcome(parcel.delivery_id, parcel.webhook_id, at, written, took, error=sentence)
    return Outcome(
        parcel.delivery_id,
        parcel.webhook_id,
        at,
        written,
        answer.milliseconds,
        status=answer.status,
        response=answer.head,
        retry_after=answer.retry_after,
    )
