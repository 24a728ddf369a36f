"""TICKS: what runs how often. The rows say what is due; a tick looks, and at once again while it finds work."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from app.core import sqlite_analyze
from app.domain.autopilot import source_sync
from app.domain.billing import credits, stripe_checkout
from app.domain.engine import lifecycle, manual_send, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.notifications import alerts
from app.domain.platform import idempotency, jobs, rate_limits, request_log
from app.domain.webhooks import delivery_log, dispatcher

log = logging.getLogger("app.scheduler")
LONGEST_REST = 60.0
SILENCE = 120.0


@dataclass(frozen=True)
class Tick:
    """Something that is looked at every so many seconds. `run` says how much it found to do; `end` comes after all."""

    name: str
    run: Callable[[], int]
    seconds: float
    end: Callable[[], None] | None = None


TICKS = [
    Tick("turns", turns.run_due, 1),
    Tick("outgoing", manual_send.run_due, 1),
    Tick("deliveries", dispatcher.tick, 1, dispatcher.finish),
    Tick("jobs", jobs.run_due, 1),
    Tick("lifecycle", lifecycle.tick, 2),
    Tick("inbox", poll.poll_due, 15),
    Tick("reconcile", reconcile.run_due, 30),
    Tick("alerts", alerts.tick, 60),
    Tick("sources", source_sync.begin_due, 60),
    Tick("overdue subscriptions", stripe_checkout.ask_overdue, 3600),
    Tick("forgotten holds", credits.expire_due, 60),
    Tick("old deliveries", delivery_log.purge, 3600),
    Tick("request log", request_log.flush, 2, request_log.finish),
    Tick("old requests", request_log.purge, 3600),
    Tick("old answers", idempotency.purge, 3600),
    Tick("full buckets", rate_limits.purge, 3600),
    Tick("statistics", sqlite_analyze.analyze, 3600),
    Tick("growth", sqlite_analyze.analyze_if_grown, 5),
]


def run_once(app: Flask, tick: Tick) -> int:
    """Run the tick once in its own application context; return how much it did."""
    with app.app_context():
        return tick.run()


class Scheduler:
    """Runs every tick in its own thread, so that none delays another."""

    def __init__(self, app: Flask, ticks: Sequence[Tick] | None = None) -> None:
        self._app = app
        self._ticks = list(TICKS if ticks is None else ticks)
        self._stopping = threading.Event()
        self._looked = 0.0
        self._failures: dict[str, int] = {}
        self._rest_until: dict[str, float] = {}
        self._clockwork = BackgroundScheduler(
            timezone="UTC",
            executors={"default": ThreadPoolExecutor(max(len(self._ticks), 1))},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None},
        )
        for tick in self._ticks:
            self._clockwork.add_job(self._look, "interval", seconds=tick.seconds, args=[tick], id=tick.name)

    def start(self) -> None:
        """Start the ticks."""
        self._looked = time.monotonic()
        self._clockwork.start()

    def stop(self) -> None:
        """Stop the ticks and wait for those under way."""
        self._stopping.set()
        if self._clockwork.running:
            self._clockwork.shutdown(wait=True)
            for tick in self._ticks:
                if tick.end:
                    with self._app.app_context():
                        tick.end()

    @property
    def alive(self) -> bool:
        """Return whether the ticks run: all of them stand still only when something is badly wrong."""
        return self._clockwork.running and time.monotonic() - self._looked < SILENCE

    def _look(self, tick: Tick) -> None:
        self._looked = time.monotonic()
        if self._looked < self._rest_until.get(tick.name, 0):
            return
        try:
            while not self._stopping.is_set() and run_once(self._app, tick):
                pass
        except Exception:
            log.exception("A tick failed", extra={"fields": {"tick": tick.name, "restSeconds": self._rest(tick)}})
        else:
            self._failures.pop(tick.name, None)

    def _rest(self, tick: Tick) -> float:
        """Return the wait of a tick: longer after each failure, so that a lasting fault does not flood the log."""
        failures = self._failures[tick.name] = self._failures.get(tick.name, 0) + 1
        rest: float = min(tick.seconds * 2**failures, LONGEST_REST)
        self._rest_until[tick.name] = time.monotonic() + rest
        return rest
