"""A running campaign whose processes are killed, again and again, and what must be true of it afterwards."""

import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from flask import Flask

from app import create_app
from app.core import clock
from app.core.db import db, end_read, session
from app.domain.engine.outbound import begin
from app.domain.installation import doctor
from app.domain.installation.sandbox import sandbox_clock
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.domain.workspace import workspaces
from app.models.campaigns import CampaignStats
from app.models.ledger import Action, ActionState
from app.providers.sandbox.store import SandboxAct
from tests.bench.stock import PASSWORD, profile
from tests.domain.outreach import a_campaign
from tests.kills import victim
from tests.support import processes
from tests.support.movable import Movable
from tests.support.processes import Running

ROOT = Path(__file__).parents[2]
SEQUENCE: list[dict[str, Any]] = [
    {"type": "view_profile"},
    {"type": "connection_request", "delay": {"value": 1, "unit": "hours"}, "message": "Hello {{first_name}}"},
    {"type": "message", "delay": {"value": 1, "unit": "hours"}, "message": "Thank you.\n---\nOne question."},
    {
        "type": "email",
        "delay": {"value": 1, "unit": "days"},
        "subject": "A question",
        "message": "Hello {{first_name}}",
    },
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Still curious."},
]
OPEN = {"days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59", "timezone": "UTC", "holidays": False}


@dataclass
class Ordeal:
    """One database, one campaign, and the processes that work on it until they are killed."""

    url: str
    folder: Path
    chance: random.Random
    workspace: int = 0
    campaign: int = 0
    senders: Sequence[int] = ()  # of the workspace, in the order in which they were connected

    @property
    def log(self) -> Path:
        """Where the network wrote down what it was asked twice."""
        return self.folder / "doubles.log"

    def application(self) -> Flask:
        """The application in this process, with the same watched network."""
        settings = {"OVERTURE_INSTANCE": str(self.folder), "OVERTURE_LOG_LEVEL": "error"}
        app = create_app(DATABASE_URL=self.url, SECRET_KEY=processes.SECRET, **settings)
        victim.watch(self.log)
        return app

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work on the database in this process; afterwards no connection is open."""
        with self.application().app_context():
            try:
                yield
            finally:
                db.session.remove()
                db.engine.dispose()

    def begin(self, people: int, senders: int = 2, **given: Any) -> None:
        """A campaign of that many people and senders runs, at all hours of the day; `given` is what differs."""
        with self.inside():
            workspace = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True, seed=3)
            session().execute(
                sa.text("UPDATE account SET work_start='00:00', work_end='23:59', work_days='[1,2,3,4,5,6,7]'")
            )
            session().commit()
            self.senders = [one.id for one in accounts.every(workspace)]
            everyone = [profile(number) for number in range(people)]
            steps, hours = given.pop("sequence", SEQUENCE), given.pop("schedule", OPEN)
            draft = a_campaign(workspace, everyone, steps, senders=senders, schedule=hours, **given)
            self.workspace, self.campaign = workspace.id, draft.id

    def kill(self, times: int) -> Counter[str]:
        """Processes are killed so many times while they work; which."""
        killed: Counter[str] = Counter()
        with ExitStack() as living:
            alive: dict[str, Running] = {}
            for _ in range(times):
                for name in ("serve", "advance"):
                    if name not in alive:
                        alive[name] = living.enter_context(self.start(name))
                time.sleep(self.chance.uniform(0.05, 1.5))
                for name in self.chance.choice([["serve"], ["advance"], ["advance"], ["serve", "advance"]]):
                    process = alive.pop(name)
                    process.signal(signal.SIGKILL)
                    assert process.ended() == -signal.SIGKILL, f"{name} ended by itself: {process.output}"
                    killed[name] += 1
        return killed

    def start(self, name: str) -> Running:
        """A process that serves, or one that moves the clock."""
        env = processes.environment(self.url, self.folder, PYTHONPATH=str(ROOT), OVERTURE_LOG_LEVEL="warning")
        number = processes.free_port() if name == "serve" else self.workspace
        command = [sys.executable, "-m", "tests.kills.victim", name, str(number), str(self.log)]
        return Running(env, *command)

    def verdict(self, days: int) -> "Verdict":
        """What is true once all has calmed down: the quarantine is over, and the campaign went on for a while."""
        calm = Movable(datetime.now(UTC) + timedelta(minutes=30))
        clock.use(calm)
        try:
            with self.inside():
                interrupted = self._count(ActionState.SENDING)
                for _ in range(days * 2):
                    sandbox_clock.advance(workspaces.get(self.workspace), 12)
                    jobs.run_due()
                    calm.forward(minutes=10)
                return self._look(interrupted)
        finally:
            clock.use(None)

    @staticmethod
    def _count(state: ActionState) -> int:
        count: int = session().scalar(sa.select(sa.func.count()).where(Action.state == state)) or 0
        end_read()
        return count

    def _look(self, interrupted: int) -> "Verdict":
        states = {_asked_as(row): row.state for row in session().scalars(sa.select(Action))}
        effective = sa.select(SandboxAct).where(SandboxAct.token.not_like("try|%"))
        acts = session().scalars(effective).all()
        logged = {(act.account_id, act.token) for act in acts}
        harmless = {(act.account_id, act.token) for act in acts if act.kind in victim.HARMLESS}
        sent = {token for token, state in states.items() if state == ActionState.SENT}
        unknown = {token for token, state in states.items() if state == ActionState.UNKNOWN}
        stats = session().get_one(CampaignStats, self.campaign)
        return Verdict(
            acts=len(acts),
            doubled=self.log.read_text().splitlines() if self.log.exists() else [],
            sent_but_not_done=sorted(sent - logged),
            done_but_not_sent=sorted(logged - sent - unknown - harmless),
            unknown=len(unknown),
            interrupted=interrupted,
            unsettled=self._count(ActionState.SENDING),
            findings=[finding.sentence for finding in doctor.examine(self.folder) if not finding.well],
            ended=stats.leads - stats.pending - stats.active - stats.awaiting_accept - stats.paused,
            people=stats.leads,
        )


def _asked_as(row: Action) -> tuple[int, str]:
    """The sender and the token with which the network was asked: an invitation of a former sender has another now."""
    if row.part >= 0:
        return row.sender_id, row.token
    return row.sender_id, begin.idempotency_token(row.workspace_id, row.campaign_lead_id or 0, row.step, 0)


@dataclass(frozen=True)
class Verdict:
    """What is left after the ordeal."""

    acts: int
    doubled: list[str]
    sent_but_not_done: list[tuple[int, str]]
    done_but_not_sent: list[tuple[int, str]]
    unknown: int
    interrupted: int  # begun when the last process died, and looked up afterwards
    unsettled: int
    findings: list[str]
    ended: int
    people: int

    def hold(self) -> None:
        """Nothing was done twice, nothing is lost, and every number is right."""
        assert self.acts > 0
        assert self.doubled == []
        assert self.sent_but_not_done == []
        assert self.done_but_not_sent == []
        assert self.unsettled == 0
        assert self.findings == []
