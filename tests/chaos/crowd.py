"""Many senders on a slow network, and the processes that serve them, which tests kill and pause."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from flask import Flask

from app import create_app
from app.core import clock
from app.core.db import db, transaction
from app.domain.campaigns import campaigns
from app.domain.workspace import workspaces
from app.models.accounts import MAILBOX_LIMITS, Account, Channel
from app.models.workspaces import Workspace
from tests.bench.stock import PASSWORD
from tests.chaos import slow_network
from tests.chaos.slow_network import NAME
from tests.domain.outreach import a_campaign, email
from tests.support import processes
from tests.support.processes import Running

ROOT = Path(__file__).parents[2]
OF_A_CAMPAIGN = 47
MONDAY = datetime(2026, 3, 2, 10, tzinfo=UTC)


class Crowd:
    """A database with many mailboxes on the slow network, and the processes that serve them."""

    def __init__(self, url: str, folder: Path, engine: str, at: datetime = MONDAY) -> None:
        self.url, self.folder, self.engine = url, folder, engine
        self.log = folder / "acts.log"
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
                    people = [
                        {"publicId": f"p-{begin}-{n}", "email": f"ada@p{begin}-{n}.example"}
                        for n in range(len(some) * each)
                    ]
                    a_campaign(made, people, [email()], start=False, senders=some, name=f"Many from {begin}")

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
