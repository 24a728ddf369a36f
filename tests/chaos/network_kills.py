"""A campaign over a real network whose process is killed between a deed and its answer, and what must be true."""

import random
import signal
import sys
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core import clock
from app.core.db import db, session
from app.domain import accounts
from app.models.campaigns import Campaign
from app.models.ledger import Action, ActionState
from tests import networked, processes
from tests.chaos import reaching
from tests.domain.outreach import INVITE, a_campaign, assert_counters_hold, message
from tests.processes import Running
from tests.providers.unipile_server import UnipileServer
from tests.providers.unipile_world import Done, World

ROOT = Path(__file__).parents[2]
BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
SEQUENCE = [{**INVITE, "message": "Hello {{first_name}}"}, message("Thank you.\n---\nOne question.")]
REACHING = ("invite", "message")


@dataclass
class NetworkOrdeal:
    """One database, one campaign, the network in this process, and a process that works until it is killed."""

    url: str
    folder: Path
    chance: random.Random
    workspace: int = 0
    campaign: int = 0
    _near: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.clock = self.folder / "clock"
        reaching.show(self.clock, BEGIN)
        self.there = UnipileServer(World(lambda: reaching.shown(self.clock)))
        self.there.world.account()

    def application(self) -> Flask:
        """The application in this process, on the same time."""
        clock.use(lambda: reaching.shown(self.clock))
        return create_app(DATABASE_URL=self.url, SECRET_KEY=processes.SECRET, **self._settings())

    def _settings(self) -> dict[str, object]:
        folder = str(self.folder)
        return {"OVERTURE_INSTANCE": folder, "OVERTURE_LOG_LEVEL": "error", "OVERTURE_ALLOW_PRIVATE_NETWORK": True}

    def begin(self, people: int, others: str = "accepts") -> None:
        """A campaign of that many people runs, at all hours of the day; a half are connections already."""
        app = self.application()
        with app.app_context():
            live = networked.workspace(self.there)
            made = networked.ines(live)
            most = {"invite": 35, "message": 80}
            accounts.edit(live, made.id, start="00:00", end="23:59", days=[1, 2, 3, 4, 5, 6, 7], limits=most)
            names = [f"{'connected' if number % 2 else others}-{number}" for number in range(people)]
            self.campaign, self.workspace = a_campaign(live, names, SEQUENCE).id, live.id
        self._leave(app)

    def _leave(self, app: Flask) -> None:
        clock.use(None)
        with app.app_context():
            db.session.remove()
            db.engine.dispose()

    def run(self, kills: int, days: float) -> int:
        """So much time has passed, and the process died so often on the way; how often between deed and answer."""
        env = processes.environment(self.url, self.folder, PYTHONPATH=str(ROOT), OVERTURE_LOG_LEVEL="warning")
        env |= {"OVERTURE_ALLOW_PRIVATE_NETWORK": "1"}
        unheard, goal = 0, BEGIN + timedelta(days=days)
        for left in range(kills, -1, -1):
            with Running(env, sys.executable, "-m", "tests.chaos.reaching", str(self.clock)) as process:
                if not left:
                    self._wait_until(goal)
                else:
                    unheard += self._kill(process, goal)
        return unheard

    def _wait_until(self, goal: datetime) -> None:
        while reaching.shown(self.clock) < goal:
            self._near.wait(0.05)

    def _kill(self, process: Running, goal: datetime) -> int:
        """It dies before it hears of one of its next deeds, or somewhere else if none comes; 1 for the first."""
        dead, number = threading.Event(), self.chance.randint(1, 2)
        seen = 0

        def end() -> None:
            nonlocal seen
            seen += 1
            if seen == number:
                process.signal(signal.SIGKILL)
                process.ended()
                dead.set()

        self.there.before_answer = end
        while not dead.wait(0.05) and reaching.shown(self.clock) < goal:
            pass
        self.there.before_answer = lambda: None
        if not dead.is_set():
            process.signal(signal.SIGKILL)
        return int(dead.is_set())

    def verdict(self) -> "NetworkVerdict":
        """What is true once all has calmed down."""
        app = self.application()
        try:
            with app.app_context():
                actions = session().scalars(sa.select(Action).where(Action.workspace_id == self.workspace)).all()
                assert_counters_hold(session().get_one(Campaign, self.campaign))
                return NetworkVerdict(
                    log=[one for one in self.there.world.log if one.kind in REACHING],
                    sent=Counter(a.kind for a in actions if a.state == ActionState.SENT),
                    unknown=sum(action.state == ActionState.UNKNOWN for action in actions),
                    open=sum(action.check_at is not None for action in actions),
                )
        finally:
            self._leave(app)
            self.there.stop()


@dataclass(frozen=True)
class NetworkVerdict:
    """What is left after the ordeal."""

    log: list[Done]
    sent: Counter[str]
    unknown: int
    open: int

    def hold(self) -> None:
        """Nobody heard anything twice by the network's own log, and our ledger says what that says."""
        times = Counter((one.kind, one.person, one.text) for one in self.log)
        assert {line: count for line, count in times.items() if count > 1} == {}
        done = Counter(one.kind for one in self.log)
        assert (self.sent["connection_request"], self.sent["message"]) == (done["invite"], done["message"])
        assert (self.unknown, self.open) == (0, 0)
