"""One day of an installation: every unit that falls due, minute by minute, in one process more than there are cores.

One of them always waits for Postgres. The clock stands still within a minute; whatever it makes due is run until
nothing is left. Deliveries, jobs and upkeep are part of it, procrastinate and the network are not.
"""

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core import clock
from app.core.claims import NONE_BUSY
from app.core.db import disconnect
from app.engines.units import BY_NAME, UNITS
from app.engines.upkeep import UPKEEP
from app.serve import freeze_gc
from tests.bench.engine_stock import connect_nothing
from tests.support.movable import Movable
from tests.support.processes import SECRET

AT_ONCE = 5  # units that a process is given at a time: few, so that no process waits long for the last
MOST = 2000
_here: dict[str, Any] = {}  # of a process: its application and its clock


def application(url: str, folder: Path, at: datetime) -> tuple[Flask, Movable]:
    """The application of one process, on a network that does nothing, with a clock that stands."""
    settings = {"OVERTURE_INSTANCE": str(folder), "OVERTURE_LOG_LEVEL": "error", "OVERTURE_BACKUP": "off"}
    app = create_app(DATABASE_URL=url, SECRET_KEY=SECRET, **settings)
    connect_nothing()
    movable = Movable(at)
    clock.use(movable)
    freeze_gc()
    return app, movable


def _prepare(url: str, folder: Path, at: datetime) -> None:
    _here["app"], _here["clock"] = application(url, folder, at)


def _run(kind: str, at: datetime, keys: list[int]) -> tuple[int, float]:
    """Run these units; return how many did something, and the processor time."""
    _here["clock"].to(at)
    began, did = time.process_time(), 0
    for key in keys:
        with _here["app"].app_context():
            did += bool(BY_NAME[kind].run(key))
    return did, time.process_time() - began


class Day:
    """The day that begins at a moment. What was run and what it cost is counted by kind of unit."""

    def __init__(self, url: str, folder: Path, begins: datetime, tell: Callable[[str], object]) -> None:
        self._url, self._folder, self._begins, self._tell = url, folder, begins, tell
        self.units: Counter[str] = Counter()
        self.processor: Counter[str] = Counter()
        self.looks = 0.0

    def run(self) -> float:
        """Let it pass; return how many seconds it took."""
        began = time.monotonic()
        app, movable = application(self._url, self._folder, self._begins)
        given = (self._url, self._folder, self._begins)
        context = multiprocessing.get_context("spawn")
        many = (os.cpu_count() or 1) + 1
        with ProcessPoolExecutor(many, mp_context=context, initializer=_prepare, initargs=given) as processes:
            for minute in range(24 * 60):
                movable.to(self._begins + timedelta(minutes=minute))
                while self._pass(app, movable.at, processes):
                    pass
                if minute % 60 == 0:
                    self._keep_up(app)
                    self._tell(f"      {movable.at:%H:%M} after {time.monotonic() - began:,.0f} s: {dict(self.units)}")
        with app.app_context():
            disconnect()
        clock.use(None)
        return time.monotonic() - began

    def _pass(self, app: Flask, at: datetime, processes: ProcessPoolExecutor) -> int:
        """Run once what is due of each kind; return how much did something."""
        found = [(name, processes.submit(_run, name, at, keys)) for name, keys in self._due(app)]
        did = 0
        for name, running in found:
            some, spent = running.result()
            did += some
            self.units[name] += some
            self.processor[name] += spent
        return did

    def _due(self, app: Flask) -> Iterator[tuple[str, list[int]]]:
        for kind in UNITS:
            began = time.monotonic()
            with app.app_context():
                keys = [due.key for due in kind.due(MOST, NONE_BUSY)]
            self.looks += time.monotonic() - began
            for first in range(0, len(keys), AT_ONCE):
                yield kind.name, keys[first : first + AT_ONCE]

    @staticmethod
    def _keep_up(app: Flask) -> None:
        for task in UPKEEP:
            with app.app_context():
                task.run()


def slowest(url: str) -> list[tuple[float, float, int, str]]:
    """The longest and the mean milliseconds, the calls and the text of the slowest statements."""
    return _ask(
        url,
        "SELECT max_exec_time, mean_exec_time, calls, query FROM pg_stat_statements"
        " WHERE query NOT ILIKE 'copy%' AND query NOT ILIKE 'vacuum%' ORDER BY max_exec_time DESC LIMIT 15",
    )


def begin_to_count(url: str) -> None:
    """Count statements and the use of indexes from now."""
    _ask(url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    _ask(url, "SELECT CAST(pg_stat_statements_reset() AS text), CAST(pg_stat_reset() AS text)")


def _ask(url: str, query: str) -> list[Any]:
    engine = sa.create_engine(url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        answer = connection.execute(sa.text(query))
        return [tuple(row) for row in answer] if answer.returns_rows else []
