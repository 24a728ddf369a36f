"""The ordeal of campaigns over a network that does things late, with processes that are killed or suspended."""

import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta

import sqlalchemy as sa

from app.core.db import session
from app.domain.senders import accounts
from app.models.campaigns import Campaign, CampaignLead
from app.models.ledger import Action, ActionState
from tests.domain.outreach import a_campaign, assert_counters_hold
from tests.kills.network import BEGIN, REACHING, SEQUENCE, NetworkOrdeal
from tests.providers.unipile.unipile_world import Done
from tests.support import networked
from tests.support.processes import Running

INVITES, MESSAGES = 35, 80  # of one account a day
LATEST = 30 * 60  # seconds after the answer was lost
SUSPENDED = 0.3  # of the disturbances; the others are kills
ASLEEP = 3  # processes at most; the one that slept longest wakes first
AWAKE = 0.5  # seconds of real time beside the process that took over
HOURS = {"start": "00:00", "end": "23:59", "days": [1, 2, 3, 4, 5, 6, 7]}


@dataclass
class LateOrdeal(NetworkOrdeal):
    """Several accounts at a network that often answers nothing and does it up to half an hour later.

    A suspended process sleeps while others work, at least past every lease of the time that passes meanwhile, and
    goes on in the middle of its call when it wakes.
    """

    senders: int = 4
    sleeping: list[Running] = field(default_factory=list)
    people: int = 0

    def begin(self, people: int, others: str = "accepts") -> None:
        """A campaign of that many people runs over all accounts, at all hours; a half are connections already."""
        self.people = people
        for number in range(1, self.senders):
            self.there.world.account(f"Sender {number}", f"acc_{number}")
        with self.within():
            live = networked.workspace(self.there)
            for ref in self.there.world.accounts:
                made = accounts.connect_hosted(live, provider="unipile", ref=ref)
                made.ramp_from = None
                session().commit()
                accounts.edit(live, made.id, limits={"invite": INVITES, "message": MESSAGES}, paced=False, **HOURS)
            names = [f"{'connected' if number % 2 else others}-{number}" for number in range(people)]
            self.campaign, self.workspace = a_campaign(live, names, SEQUENCE, senders=self.senders).id, live.id

    def prepare(self, last: bool) -> None:
        """Something goes wrong for one of the next actions."""
        troubles = self.there.world.troubles
        if last:
            troubles.clear()
        else:
            late = f"late {self.chance.randint(1, LATEST)}"
            troubles.append(self.chance.choice(["", late, late, "drop", "lose", "500"]))

    def run(self, kills: int, days: float) -> Counter[str]:
        """So much time has passed, and so many processes died or slept on the way; how often after what."""
        env, ends, goal = self.environment(), Counter[str](), BEGIN + timedelta(days=days)
        command = (sys.executable, "-m", "tests.kills.reaching", str(self.clock))
        for _ in range(kills):
            self.prepare(last=False)
            process = Running(env, *command)
            if self.chance.random() < SUSPENDED:
                ends[f"slept after {self._kill(process, goal, signal.SIGSTOP, anywhere=0)}"] += 1
                self.sleeping.append(process)
            else:
                ends[f"killed after {self._kill(process, goal)}"] += 1
                process.close()
            if len(self.sleeping) > ASLEEP:
                self._wake(self.sleeping.pop(0), Running(env, *command))
        self.prepare(last=True)
        with Running(env, *command) as process:
            while self.sleeping:
                self._wake(self.sleeping.pop(0))
            self._wait_until(process, goal)
        return ends

    def _wake(self, process: Running, other: Running | None = None) -> None:
        """It goes on beside another process that works, and then dies."""
        process.signal(signal.SIGCONT)
        time.sleep(AWAKE)
        for one in (process, other):
            if one is not None:
                one.close()

    def stop(self) -> None:
        """See NetworkOrdeal."""
        for process in self.sleeping:
            process.close()
        super().stop()

    def books(self) -> "Books":
        """What is true once all has calmed down."""
        with self.within():
            own = Action.workspace_id == self.workspace
            actions = session().execute(
                sa.select(Action.kind, Action.state, Action.check_at, CampaignLead.state)
                .join(CampaignLead, CampaignLead.id == Action.campaign_lead_id)
                .where(own)
            )
            rows = actions.all()
            assert_counters_hold(session().get_one(Campaign, self.campaign))
            return Books(
                people=self.people,
                log=[one for one in self.there.world.log if one.kind in REACHING],
                sent=Counter(row[0] for row in rows if row[1] == ActionState.SENT),
                unknown=Counter(row[0] for row in rows if row[1] == ActionState.UNKNOWN),
                open=sum(row[2] is not None for row in rows),
            )


@dataclass(frozen=True)
class Books:
    """The network's log against the ledger."""

    people: int
    log: list[Done]
    sent: Counter[str]
    unknown: Counter[str]
    open: int

    def hold(self) -> None:
        """No one heard anything twice, no one was forgotten, and whatever is uncertain says so."""
        times = Counter((one.kind, one.person, one.text) for one in self.log)
        assert {line: count for line, count in times.items() if count > 1} == {}
        done = Counter(one.kind for one in self.log)
        for kind, at_network in (("connection_request", "invite"), ("message", "message")):
            assert self.sent[kind] <= done[at_network] <= self.sent[kind] + self.unknown[kind], kind
        invited, written = self.people - self.people // 2, 2 * self.people
        assert self.sent["connection_request"] + self.unknown["connection_request"] == invited
        assert self.sent["message"] + self.unknown["message"] <= written
        if not self.unknown:  # after an uncertain one a person waits for a member
            assert self.sent["message"] == written
        assert self.open == 0

    def __str__(self) -> str:
        """For whoever reads the run."""
        return f"{len(self.log)} done at LinkedIn, sent {dict(self.sent)}, uncertain {dict(self.unknown)}"
