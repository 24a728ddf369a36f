"""A campaign over a real network whose process is killed between an action and its answer, and what must be true."""

import itertools
import math
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from app import create_app
from app.core import clock
from app.core.db import db, session
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.ledger import Action, ActionState
from tests.domain.outreach import INVITE, a_campaign, assert_counters_hold, message
from tests.kills import reaching
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import Done, World
from tests.support import networked, processes
from tests.support.processes import Running

ROOT = Path(__file__).parents[2]
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
SEQUENCE = [{**INVITE, "message": "Hello {{first_name}}"}, message("Thank you.\n---\nOne question.")]
REACHING = ("invite", "message")
ANYWHERE = 0.15  # of all kills come at some moment that has nothing to do with what happens


@dataclass
class NetworkOrdeal:
    """One database, one campaign, the network in this process, and a process that works until it is killed."""

    url: str
    folder: Path
    chance: random.Random
    workspace: int = 0
    campaign: int = 0
    farthest: int = 2  # of how many things that happen it dies at one
    _near: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.clock = self.folder / "clock"
        reaching.show(self.clock, BEGIN)
        self.there = UnipileServer(World(lambda: reaching.shown(self.clock)))
        self.there.world.account()

    @contextmanager
    def within(self) -> Iterator[None]:
        """The application in this process, on the same time."""
        settings = {"OVERTURE_INSTANCE": str(self.folder), "OVERTURE_LOG_LEVEL": "error"}
        app = create_app(
            DATABASE_URL=self.url, SECRET_KEY=processes.SECRET, OVERTURE_ALLOW_PRIVATE_NETWORK=True, **settings
        )
        clock.use(lambda: reaching.shown(self.clock))
        try:
            with app.app_context():
                yield
                db.session.remove()
                db.engine.dispose()
        finally:
            clock.use(None)

    def stop(self) -> None:
        """Nothing of it answers any more."""
        self.there.stop()

    def begin(self, people: int, others: str = "accepts") -> None:
        """A campaign of that many people runs, at all hours of the day; a half are connections already."""
        with self.within():
            live = networked.workspace(self.there)
            made = networked.ines(live)
            most = {"invite": 35, "message": 80}
            accounts.edit(live, made.id, start="00:00", end="23:59", days=[1, 2, 3, 4, 5, 6, 7], limits=most)
            names = [f"{'connected' if number % 2 else others}-{number}" for number in range(people)]
            self.campaign, self.workspace = a_campaign(live, names, SEQUENCE).id, live.id

    def environment(self) -> dict[str, str]:
        """The settings of the process."""
        env = processes.environment(self.url, self.folder, PYTHONPATH=str(ROOT), OVERTURE_LOG_LEVEL="warning")
        return env | {"OVERTURE_ALLOW_PRIVATE_NETWORK": "1"}

    def watch(self, happened: Callable[[str], None]) -> None:
        """It is called with what just happened outside, when the process has not heard of it."""
        self.there.before_answer = lambda: happened("action")

    def prepare(self, last: bool) -> None:
        """What happens while no process lives; nothing bad any more before the last one."""

    def tend(self) -> None:
        """What humans do while it lives."""

    def run(self, kills: int, days: float) -> Counter[str]:
        """So much time has passed, and the process died so often on the way; how often after what."""
        env, died, goal = self.environment(), Counter[str](), BEGIN + timedelta(days=days)
        for left in range(kills, -1, -1):
            self.prepare(last=not left)
            with Running(env, sys.executable, "-m", "tests.kills.reaching", str(self.clock)) as process:
                if not left:
                    self._wait_until(process, goal)
                else:
                    died[self._kill(process, goal)] += 1
        return died

    def _wait_until(self, process: Running, goal: datetime) -> None:
        while reaching.shown(self.clock) < goal:
            assert process.alive, process.output
            self.tend()
            self._near.wait(0.05)

    def _kill(self, process: Running, goal: datetime, how: int = signal.SIGKILL, anywhere: float = ANYWHERE) -> str:
        """It dies before it hears of one of its next actions, or anywhere; after what it died."""
        dead, after = threading.Event(), ""
        left = itertools.count(self.chance.randint(1, self.farthest) - 1, -1)

        def end(what: str) -> None:
            nonlocal after
            if next(left) == 0:
                after = what
                process.signal(how)
                if how == signal.SIGKILL:
                    process.ended()
                dead.set()

        self.watch(end)
        until = time.monotonic() + (self.chance.uniform(0, 1) if self.chance.random() < anywhere else math.inf)
        while not dead.wait(0.05) and reaching.shown(self.clock) < goal and time.monotonic() < until:
            assert process.alive or after, process.output
            self.tend()
        self.watch(lambda what: None)
        if not dead.is_set():
            process.signal(how)
        return after or "nothing"

    def verdict(self) -> "NetworkVerdict":
        """What is true once all has calmed down."""
        with self.within():
            actions = session().scalars(sa.select(Action).where(Action.workspace_id == self.workspace)).all()
            assert_counters_hold(session().get_one(Campaign, self.campaign))
            return NetworkVerdict(
                log=[one for one in self.there.world.log if one.kind in REACHING],
                sent=Counter(a.kind for a in actions if a.state == ActionState.SENT),
                unknown=sum(action.state == ActionState.UNKNOWN for action in actions),
                open=sum(action.check_at is not None for action in actions),
            )


@dataclass(frozen=True)
class NetworkVerdict:
    """What is left after the ordeal."""

    log: list[Done]
    sent: Counter[str]
    unknown: int
    open: int

    def hold(self) -> None:
        """No one heard anything twice by the network's own log, and our ledger says what that says."""
        times = Counter((one.kind, one.person, one.text) for one in self.log)
        assert {line: count for line, count in times.items() if count > 1} == {}
        done = Counter(one.kind for one in self.log)
        assert (self.sent["connection_request"], self.sent["message"]) == (done["invite"], done["message"])
        assert (self.unknown, self.open) == (0, 0)
