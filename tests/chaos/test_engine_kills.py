"""kill -9, and pauses past every lease, of random workers on each engine: nothing is done twice, nothing is lost."""

import random
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core.db import db
from app.models.campaigns import CampaignLead
from app.models.ledger import Action, ActionState
from tests.chaos.test_many_senders import Crowd, until
from tests.processes import Running

WORKERS = 3
PAUSE = 45  # seconds: past the lease of a turn, the seat's and a worker's heartbeat


class Trial:
    """A crowd whose workers are killed or paused at random moments and replaced."""

    def __init__(self, crowd: Crowd, chance: random.Random) -> None:
        self.crowd, self.chance = crowd, chance
        self.workers: list[Running] = []

    def begin(self, senders: int) -> None:
        """Every sender has something to send, and reading its inbox takes some seconds: most die in a turn."""
        self.crowd.settings = {"SLOW_LISTENS": "3", "SLOW_HANGS": "3", "SLOW_LOSES": "0.02"}
        self.crowd.prepare(senders, each=1, workspaces_of=3)
        self.workers = [self.crowd.worker() for _ in range(WORKERS)]
        self.crowd.start()
        until(lambda: len(self.crowd.served()) > 3)

    def kill(self, times: int) -> None:
        """Kill a random worker, and put another one in its place."""
        for _ in range(times):
            threading.Event().wait(self.chance.uniform(0.2, 2.0))
            place = self.chance.randrange(len(self.workers))
            self.workers[place].signal(signal.SIGKILL)
            self.workers[place].close()
            self.workers[place] = self.crowd.worker()

    def pause(self, rounds: int) -> None:
        """Stop a random worker for longer than any lease, and let it go on."""
        for _ in range(rounds):
            worker = self.chance.choice(self.workers)
            worker.signal(signal.SIGSTOP)
            threading.Event().wait(PAUSE)
            worker.signal(signal.SIGCONT)
            threading.Event().wait(2)

    def end(self) -> tuple[Counter[str], int]:
        """Let one worker finish, an hour later, when outcomes are looked up; return the ledger states and the acts."""
        for worker in self.workers:
            worker.close()
        self.crowd.shift += 3600
        self.crowd.settings = {"SLOW_LISTENS": "0", "SLOW_HANGS": "0"}
        with self.crowd.worker():
            until(lambda: self._open() == 0, 240)
        with self.crowd.app.app_context():
            actions = db.session.execute(sa.select(Action.state, Action.token)).all()
            db.session.remove()
        tokens = [line.split()[1] for line in self.crowd.log.read_text().splitlines()]
        assert len(tokens) == len(set(tokens)), "done twice"
        sent = {token for state, token in actions if state == ActionState.SENT}
        unknown = {token for state, token in actions if state == ActionState.UNKNOWN}
        assert set(tokens) <= sent | unknown, "lost"
        assert sent <= set(tokens), "recorded, and never done"
        return Counter(state for state, _ in actions), len(tokens)

    def _open(self) -> int:
        with self.crowd.app.app_context():
            begun = sa.select(sa.func.count()).where(Action.state == ActionState.SENDING)
            waiting = sa.select(sa.func.count()).where(
                CampaignLead.due_at.is_not(None), CampaignLead.state == "pending"
            )
            count = (db.session.scalar(begun) or 0) + (db.session.scalar(waiting) or 0)
            db.session.remove()
            return count


@pytest.fixture
def trial(engine: str, url: str, tmp_path: Path, chance: random.Random) -> Trial:
    """A trial on one engine."""
    if engine == "procrastinate" and not url.startswith("postgresql"):
        pytest.skip("Procrastinate needs Postgres.")
    return Trial(Crowd(url, tmp_path, engine), chance)


@pytest.mark.parametrize("engine", ["embedded", "procrastinate"])
def test_workers_killed_at_random_moments_do_nothing_twice_and_lose_nothing(trial: Trial, kills: int) -> None:
    """The network loses two answers of a hundred after it acted; every unknown outcome is visible."""
    trial.begin(senders=max(60, kills * 6))
    began = time.monotonic()
    trial.kill(kills)
    states, acts = trial.end()
    took = time.monotonic() - began
    sys.stdout.write(f"{kills} kills in {took:.0f} s, {acts} acts, {dict(states)}\n")
    trial.crowd.close()


@pytest.mark.parametrize("engine", ["embedded", "procrastinate"])
def test_a_worker_paused_past_its_lease_writes_and_sends_nothing_stale(trial: Trial, kills: int) -> None:
    """Others do its work meanwhile; when it comes back it stops."""
    rounds = max(2, kills // 10)
    trial.begin(senders=max(60, rounds * 100))
    trial.pause(rounds)
    states, acts = trial.end()
    sys.stdout.write(f"{rounds} pauses, {acts} acts, {dict(states)}\n")
    trial.crowd.close()
