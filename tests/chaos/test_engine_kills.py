"""kill -9, pauses past every lease, and a Postgres that dies: nothing is done twice, nothing is lost."""

import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core.db import db
from app.domain.installation import engine_processes
from app.models.campaigns import CampaignLead
from app.models.ledger import Action, ActionState
from tests.chaos.crashing_postgres import CrashingServer, crashing_postgres
from tests.chaos.crowd import Crowd
from tests.chaos.slow_network import asked, full
from tests.support import faults
from tests.support.processes import Running
from tests.support.size import sized
from tests.support.waiting import until

pytestmark = pytest.mark.postgres

ENGINES = ["embedded", "procrastinate"]
WORKERS, PAUSED_AT_ONCE = 3, 5
WORKSPACES = 3
PAUSE = 45  # seconds: past the lease of a turn, the seat's and a worker's heartbeat
LIKE_LIVE = {"SLOW_LISTENS": "2", "SLOW_ACTS": "1", "SLOW_LOSES": "0.02"}


class Trial:
    """A crowd whose workers are killed or paused at random moments and replaced."""

    def __init__(self, crowd: Crowd, chance: random.Random) -> None:
        self.crowd, self.chance = crowd, chance
        self.workers: list[Running] = []
        self.people = 0

    def begin(self, people: int, workers: int = WORKERS) -> None:
        """Every sender has one person to write to; reading its inbox and acting take seconds: most die in a turn."""
        senders = people // WORKSPACES
        self.people = senders * WORKSPACES
        self.crowd.settings = LIKE_LIVE
        self.crowd.prepare(senders, each=1, workspaces_of=WORKSPACES)
        self.workers = [self.crowd.worker() for _ in range(workers)]
        self.crowd.start()
        until(lambda: len(self.crowd.served()) > 3)

    def kill(self, times: int) -> int:
        """Kill a worker, and put another one in its place; return how many of them had the seat."""
        seated = 0
        for _ in range(times):
            threading.Event().wait(self.chance.uniform(0.2, 1.5))
            place = self.chance.randrange(len(self.workers))
            holder = self._seated()
            if holder is not None and self.crowd.engine == "embedded" and self.chance.random() < 0.5:
                place = holder  # the others only stand by
            seated += place == holder
            self.workers[place].signal(signal.SIGKILL)
            self.workers[place].close()
            self.workers[place] = self.crowd.worker()
        return seated

    def _seated(self) -> int | None:
        """The place of the one that works alone, with the embedded engine."""
        with self.crowd.app.app_context():
            active = {one.pid for one in engine_processes.every() if one.state == "active"}
            db.session.remove()
        return next((place for place, worker in enumerate(self.workers) if worker.pid in active), None)

    def pause(self, rounds: int) -> int:
        """Stop all workers but one for longer than any lease, and let them go on; return how many stops."""
        for _ in range(rounds):
            some = self.chance.sample(self.workers, PAUSED_AT_ONCE)
            for worker in some:
                threading.Event().wait(self.chance.uniform(0, 0.5))
                worker.signal(signal.SIGSTOP)
            threading.Event().wait(PAUSE)
            for worker in some:
                worker.signal(signal.SIGCONT)
                threading.Event().wait(self.chance.uniform(0, 0.5))
        return rounds * PAUSED_AT_ONCE

    def disturb(self, rounds: int) -> Counter[str]:
        """Let something befall the database or the clock while all work, and see that they go on; return what."""
        befell = Counter[str]()
        for number in range(rounds):
            name, disturbance = list(DISTURBANCES.items())[number % len(DISTURBANCES)]
            disturbance(self)
            befell[name] += 1
            self.go_on(len(self.crowd.served()) + 5)
        return befell

    def no_room(self) -> None:
        """The disk is full for some seconds."""
        full(self.crowd.log).touch()
        threading.Event().wait(self.chance.uniform(3, 8))
        full(self.crowd.log).unlink()

    def locked(self) -> None:
        """Another program holds the database for itself, longer than anyone waits for it."""
        with self.crowd.app.app_context(), faults.locked("action"):
            threading.Event().wait(self.chance.uniform(6, 12))

    def go_on(self, served: int) -> None:
        """Wait until so many senders were served."""
        until(lambda: len(self.crowd.served()) >= served, 240)

    def end(self) -> str:
        """Let one worker finish, an hour later, when outcomes are looked up; return what the ledger says."""
        for worker in self.workers:
            worker.close()
        self.crowd.jump(3600)
        self.crowd.settings = {"SLOW_LISTENS": "0"}
        with self.crowd.worker():
            until(lambda: self._open() == 0, 240 + self.people / 10)
        with self.crowd.app.app_context():
            actions = db.session.execute(sa.select(Action.state, Action.token)).all()
            db.session.remove()
        tokens = [line.split()[1] for line in self.crowd.log.read_text().splitlines()]
        assert len(tokens) == len(set(tokens)), "done twice"
        sent = {token for state, token in actions if state == ActionState.SENT}
        unknown = {token for state, token in actions if state == ActionState.UNKNOWN}
        assert set(tokens) <= sent | unknown, "lost"
        assert sent <= set(tokens), "recorded, and never done"
        assert len(sent | unknown) == self.people, "lost, or done under two names"
        looked_up = asked(self.crowd.log)
        doubted = len(set(looked_up.read_text().split())) if looked_up.exists() else 0
        return f"{len(tokens)} acts, {doubted} of them looked up, {dict(Counter(state for state, _ in actions))}"

    def _open(self) -> int:
        with self.crowd.app.app_context():
            settled = Action.state.in_([ActionState.SENT, ActionState.UNKNOWN])
            begun = sa.select(sa.func.count()).where(~settled)
            waiting = sa.select(sa.func.count()).where(
                CampaignLead.due_at.is_not(None), CampaignLead.state == "pending"
            )
            count = (db.session.scalar(begun) or 0) + (db.session.scalar(waiting) or 0)
            db.session.remove()
            return count


DISTURBANCES: dict[str, Callable[[Trial], None]] = {
    "no room": Trial.no_room,
    "locked": Trial.locked,
    "a day back": lambda trial: trial.crowd.jump(-86_400),
    "a day ahead": lambda trial: trial.crowd.jump(86_400),
}


@pytest.fixture
def trial(engine: str, url: str, tmp_path: Path, chance: random.Random) -> Iterator[Trial]:
    """A trial on one engine: the embedded one on SQLite, the other on Postgres."""
    if (engine == "procrastinate") != url.startswith("postgresql"):
        pytest.skip("This engine is tried on the other database.")
    made = Trial(Crowd(url, tmp_path, engine), chance)
    yield made
    for worker in made.workers:
        worker.close()
    made.crowd.close()


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_killed_at_random_moments_do_nothing_twice_and_lose_nothing(trial: Trial) -> None:
    """The network loses two answers of a hundred after it acted; every unknown outcome is visible."""
    kills = sized(15)
    trial.begin(people=12 * kills)
    seated = trial.kill(kills)
    sys.stdout.write(f"{kills} kills, {seated} of the one with the seat, {trial.end()}\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_paused_past_their_leases_write_and_send_nothing_stale(trial: Trial) -> None:
    """Others do their work meanwhile; when they come back they stop."""
    rounds = sized(1)
    trial.begin(people=rounds * 300, workers=PAUSED_AT_ONCE + 1)
    pauses = trial.pause(rounds)
    sys.stdout.write(f"{pauses} pauses, {trial.end()}\n")


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_go_on_after_a_full_disk_a_lock_and_a_clock_that_was_set(trial: Trial) -> None:
    """No worker ends, nothing is done twice, nothing is lost."""
    rounds = sized(len(DISTURBANCES))
    trial.begin(people=rounds * 45)
    befell = trial.disturb(rounds)
    assert [worker.alive for worker in trial.workers] == [True] * WORKERS
    sys.stdout.write(f"{dict(befell)}, {trial.end()}\n")


@pytest.fixture
def server() -> Iterator[tuple[CrashingServer, str]]:
    """A Postgres to be killed."""
    with crashing_postgres() as found:
        yield found


@pytest.mark.parametrize("engine", ENGINES)
def test_workers_go_on_when_postgres_was_killed(
    server: tuple[CrashingServer, str], engine: str, tmp_path: Path, chance: random.Random
) -> None:
    """And when all of their connections were cut. No worker ends, nothing is doubled or lost."""
    postgres, url = server
    crashes = sized(4)
    trial = Trial(Crowd(url, tmp_path, engine), chance)
    trial.begin(people=crashes * 60)
    for number in range(crashes):
        trial.go_on(len(trial.crowd.served()) + 5)
        threading.Event().wait(chance.uniform(0, 2))
        if number % 2:
            postgres.cut()
        else:
            postgres.crash()
    trial.go_on(trial.people * 9 // 10)
    assert [worker.alive for worker in trial.workers] == [True] * WORKERS
    sys.stdout.write(f"{crashes} crashes and cuts, {trial.end()}\n")
    trial.crowd.close()
