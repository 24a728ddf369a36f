"""T4 and T5 with procrastinate: what a live turn costs a worker, and how much more several workers do."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core import migrations
from tests.bench.engine_stock import MIDNIGHT, Size, fill
from tests.bench.measure import TICKS, Report, Target, in_turn, processor_seconds
from tests.chaos.slow_network import NAME
from tests.chaos.test_many_senders import Crowd, until
from tests.databases import empty_postgres
from tests.support.templates import Templates

NOW = MIDNIGHT + timedelta(hours=16)  # moments of a day are drawn from all of it: by now each has several
TONIGHT = MIDNIGHT + timedelta(hours=20)
EVERYONE_IS_DUE = sa.text(
    "UPDATE account SET provider = :name, turn_at = :at, polled_at = :later, free_at = NULL, claimed_until = NULL"
)


class Office:
    """Many senders of many workspaces, and workers that serve them on a network of some speed."""

    def __init__(self, url: str, folder: Path, senders: int) -> None:
        self.senders = senders
        self._crowd = Crowd(url, folder, "procrastinate", NOW)
        self._engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        fill(url, Size(senders // 10))
        self.processor = self.busy = 0.0

    def serve(self, workers: int, act: float) -> float:
        """Senders a second, from the moment at which all are due until each has acted."""
        self._crowd.log.unlink(missing_ok=True)
        self._crowd.settings = {"SLOW_LISTENS": "0", "SLOW_HANGS": "0", "SLOW_ACTS": str(act)}
        with self._engine.connect() as connection:  # no one is due before everyone is
            connection.execute(EVERYONE_IS_DUE, {"name": NAME, "at": None, "later": TONIGHT})
        with ExitStack() as running:
            processes = [running.enter_context(self._crowd.worker()) for _ in range(workers)]

            def spent() -> float:
                return sum(processor_seconds(each.pid) for each in processes)

            before, machine = spent(), _machine()
            began = time.time()
            with self._engine.connect() as connection:
                due = {"name": NAME, "at": NOW - timedelta(hours=1), "later": TONIGHT}
                connection.execute(EVERYONE_IS_DUE, due)
            until(lambda: len(self._crowd.served()) >= self.senders, 300)
            took = max(self._crowd.served().values()) - began
            self.processor = (spent() - before) * 1000 / self.senders
            idle, whole = (now - then for now, then in zip(_machine(), machine, strict=True))
            self.busy = 1 - idle / whole
            for process in processes:
                process.signal()
            for process in processes:  # a dead one's jobs would wait until they were missed
                process.ended()
        return self.senders / took

    def close(self) -> None:
        """Let go of the database."""
        self._crowd.close()


def _machine() -> tuple[float, float]:
    """The seconds in which the processors had nothing to do, and all of them."""
    times = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (times[3] + times[4]) / TICKS, sum(times) / TICKS


@pytest.fixture
def office(tmp_path: Path, quick: bool, templates: Templates) -> Iterator[Office]:
    """A thousand senders on Postgres."""
    with empty_postgres(templates) as url:
        migrations.upgrade(url)
        made = Office(url, tmp_path, 100 if quick else 1000)
        yield made
        made.close()


def test_turns_with_procrastinate(office: Office, report: Report, rounds: int) -> None:
    """All due in the same second, on a network that does nothing, for one worker."""
    taken: list[float] = []

    def turn() -> float:
        taken.append(office.senders / office.serve(1, act=0))
        return office.processor

    figures = in_turn(min(rounds, 3), worker=turn)
    targets = [
        Target("ms of processor time a turn", figures["worker"], most=12),
        Target(f"seconds until {office.senders:,} senders due at once were served", max(taken), most=30),
    ]
    title = f"a live turn with procrastinate, {office.senders:,} senders"
    report.add("T4", title, figures, "ms of processor time", targets)


def test_more_workers(office: Office, report: Report, rounds: int) -> None:
    """A call takes 50 ms. More workers do more, as far as there are processors for them."""
    busy: dict[int, list[float]] = {1: [], 2: [], 4: []}

    def serve(workers: int) -> float:
        done = office.serve(workers, act=0.05)
        busy[workers].append(office.busy)
        return done

    figures = in_turn(min(rounds, 3), one=lambda: serve(1), two=lambda: serve(2), four=lambda: serve(4))
    targets = []
    for workers, name, least in ((2, "two", 1.7), (4, "four", 2.5)):
        times, share = figures[name] / figures["one"], min(busy[workers])
        if times < least:
            targets.append(Target(f"{times:.2f} times with {workers} workers; share of busy processors", share, 0.85))
        else:
            targets.append(Target(f"times as many with {workers} workers", times, least))
    report.add("T5", f"{office.senders:,} senders due at once, a call takes 50 ms", figures, "turns/s", targets)
