"""Many senders due at once and one that hangs: it alone waits, with any number of processes, on each engine."""

import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
from flask import Flask

from app import create_app
from app.core import clock
from app.core.db import db, end_read, transaction
from app.domain.campaigns import campaigns
from app.domain.operations import engine_processes
from app.domain.platform import jobs
from app.domain.workspace import workspaces
from app.models.accounts import MAILBOX_LIMITS, Account, Channel
from app.models.workspaces import Workspace
from tests.bench.stock import PASSWORD
from tests.chaos import slow_network
from tests.chaos.slow_network import HANGING, NAME
from tests.domain.outreach import ALWAYS, a_list, email
from tests.support import processes
from tests.support.processes import Running
from tests.support.waiting import until

pytestmark = pytest.mark.postgres

ROOT = Path(__file__).parents[2]
SENDERS, OF_A_CAMPAIGN = 94, 47
MONDAY = datetime(2026, 3, 2, 10, tzinfo=UTC)
WAYS = {"one embedded, one standing by": ("embedded", 2), "procrastinate, three workers": ("procrastinate", 3)}


class Crowd:
    """A database with many mailboxes on the slow network, and the processes that serve them."""

    def __init__(self, url: str, folder: Path, engine: str, at: datetime = MONDAY) -> None:
        self.url, self.folder, self.engine = url, folder, engine
        self.log, self.jobs = folder / "acts.log", folder / "jobs.log"
        self.shift = 0.0
        self.jump((at - datetime.now(UTC)).total_seconds())
        self.app: Flask = create_app(DATABASE_URL=url, SECRET_KEY=processes.SECRET, OVERTURE_INSTANCE=str(folder))
        slow_network.connect(self.log)
        self.workspace_ids: list[int] = []
        self.settings: dict[str, str] = {}

    def jump(self, seconds: float) -> None:
        """Set the clock, of running processes too."""
        self.shift += seconds
        slow_network.set_clock(self.log, self.shift)

    def prepare(self, senders: int, each: int = 2, workspaces_of: int = 1) -> None:
        """A campaign by e-mail in each workspace, ready to be started."""
        with self.app.app_context():
            for number in range(workspaces_of):
                made = workspaces.create(f"W{number}", f"w{number}@example.com", PASSWORD, sandbox=False)
                self.workspace_ids.append(made.id)
                ids = _mailboxes(made, senders)
                for begin in range(0, senders, OF_A_CAMPAIGN):
                    some = ids[begin : begin + OF_A_CAMPAIGN]
                    name = f"Many from {begin}"
                    people = [
                        {"publicId": f"p-{begin}-{n}", "email": f"ada@p{begin}-{n}.example"}
                        for n in range(len(some) * each)
                    ]
                    campaigns.create(
                        made,
                        name=name,
                        list_id=a_list(made, people, name),
                        account_ids=some,
                        sequence=[email()],
                        schedule=ALWAYS,
                    )

    def start(self) -> float:
        """Start every campaign; return when all of its people were enrolled, which makes the senders due."""
        with self.app.app_context():
            for workspace_id in self.workspace_ids:
                workspace = db.session.get_one(Workspace, workspace_id)
                for campaign in db.session.scalars(campaigns.page(workspace)).all():
                    campaigns.start(workspace, campaign.id)
        return time.time()

    def worker(self) -> Running:
        """A process that works on it."""
        env = processes.environment(
            self.url,
            self.folder,
            OVERTURE_ENGINE=self.engine,
            SLOW_JOBS=str(self.jobs),
            PYTHONPATH=str(ROOT),
            **self.settings,
        )
        command = (sys.executable, "-m", "tests.chaos.slow_network", str(self.log), "worker")
        return Running(env, *command)

    def served(self) -> dict[str, float]:
        """When each sender acted first."""
        first: dict[str, float] = {}
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            sender, _, at = line.split()
            first.setdefault(sender, float(at))
        return first

    def close(self) -> None:
        """Let go of the database."""
        with self.app.app_context():
            db.session.remove()
            db.engine.dispose()
        clock.use(None)


def _mailboxes(workspace: Workspace, count: int) -> list[int]:
    with transaction() as current:
        rows = [
            Account(
                workspace_id=workspace.id,
                channel=Channel.EMAIL,
                provider=NAME,
                provider_ref=f"slow-{workspace.id}-{number}",
                name=f"Mailbox {number}",
                address=f"m{number}@example.com",
                limits=dict(MAILBOX_LIMITS),
                paced=False,
                created_at=workspace.now(),
                polled_at=workspace.now(),
            )
            for number in range(count)
        ]
        current.add_all(rows)
        current.flush()
        return [row.id for row in rows]


@pytest.fixture
def crowd(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> Iterator[Crowd]:
    """The database of one engine: SQLite for the embedded one, Postgres for the other."""
    if (request.param == "procrastinate") != url.startswith("postgresql"):
        pytest.skip("This engine is tried on the other database.")
    made = Crowd(url, tmp_path, request.param)
    yield made
    made.close()


@pytest.mark.parametrize(("crowd", "count"), list(WAYS.values()), ids=list(WAYS), indirect=["crowd"])
def test_a_sender_that_hangs_alone_waits(crowd: Crowd, count: int) -> None:
    """Everyone else is served: the median within 5 seconds, the last within 15."""
    crowd.prepare(SENDERS)
    with ExitStack() as running:
        for _ in range(count):
            running.enter_context(crowd.worker())
        others = "standby" if crowd.engine == "embedded" else "active"
        with crowd.app.app_context():
            until(lambda: [one.state for one in engine_processes.every()] == ["active", *[others] * (count - 1)])
        began = crowd.start()
        until(lambda: len(crowd.served()) >= SENDERS - 1, 40)
        served = crowd.served()
    late = sorted(at - began for sender, at in served.items() if sender != HANGING)
    sys.stdout.write(f"median {statistics.median(late):.1f} s, last {late[-1]:.1f} s\n")
    assert HANGING not in served
    assert (statistics.median(late) <= 5, late[-1] <= 15) == (True, True)


@pytest.mark.parametrize("crowd", ["embedded", "procrastinate"], indirect=True)
def test_a_long_job_delays_no_job_of_another_workspace(crowd: Crowd) -> None:
    """Twenty jobs of a workspace that take 50 seconds: the other one's begins within 2 seconds."""
    crowd.prepare(1, workspaces_of=2)
    with crowd.worker(), crowd.app.app_context():
        jobs.KINDS["long"] = jobs.Kind(slow_network.long_job)
        one, other = (db.session.get_one(Workspace, workspace_id) for workspace_id in crowd.workspace_ids)
        with transaction():
            for number in range(20):
                jobs.add(one, "long", str(number), {"name": f"long-{number}", "seconds": 50})
        until(crowd.jobs.exists, 20)
        began = time.time()
        with transaction():
            jobs.add(other, "long", "quick", {"name": "quick", "seconds": 0})
        until(lambda: "quick" in crowd.jobs.read_text())
    begun = {line.split()[1]: float(line.split()[2]) for line in crowd.jobs.read_text().splitlines()}
    sys.stdout.write(f"begun after {begun['quick'] - began:.2f} s beside {len(begun) - 1} long ones\n")
    assert begun["quick"] - began <= 2


def states() -> list[str]:
    """How the processes of the engine stand now, not when it was asked first."""
    try:
        return [one.state for one in engine_processes.every()]
    finally:
        end_read()


def test_a_worker_that_stands_by_takes_over_within_a_lease(url: str, tmp_path: Path) -> None:
    """The active one is killed in the middle; everyone is served, nobody twice."""
    crowd = Crowd(url, tmp_path, "embedded")
    crowd.prepare(SENDERS)
    with crowd.worker() as first, crowd.app.app_context():
        until(lambda: states() == ["active"])
        with crowd.worker():
            until(lambda: states() == ["active", "standby"])
            crowd.start()
            until(lambda: len(crowd.served()) > 5)
            first.signal(9)
            killed = time.time()
            before = len(crowd.served())
            until(lambda: len(crowd.served()) > before + 20, 60)
            sys.stdout.write(f"went on after {time.time() - killed:.1f} s\n")
            until(lambda: len(crowd.served()) >= SENDERS - 40, 90)
    tokens = [line.split()[1] for line in crowd.log.read_text().splitlines()]
    assert len(tokens) == len(set(tokens))
    crowd.close()
