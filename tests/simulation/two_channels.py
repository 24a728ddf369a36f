"""People who are written to on two channels and answer on the other one, moments before they would be written to."""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import sqlalchemy as sa

from app.core import clock as time
from app.core.clock import Movable
from app.core.db import end_read, session
from app.domain.engine import lifecycle
from app.domain.engine.other_inboxes import FRESH
from app.domain.senders import accounts
from app.domain.senders.mailbox_logins import Servers as Login
from app.models.campaigns import CampaignLead, LeadState
from app.models.people import Person
from tests.domain.outreach import INVITE, a_campaign, email, message
from tests.providers.mail.mailservers import Post, Servers
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked

SEQUENCE = [INVITE, message(), email(days=1), message("Still there?", days=1), email("Once more", "", days=1)]
HOURS = {"start": "00:00", "end": "23:59", "days": [1, 2, 3, 4, 5, 6, 7]}
OTHER = {"message": "mail", "email": "network"}
SOON = timedelta(minutes=3)  # before they would be written to
ANSWERS = 0.3  # of those who are about to be written to
GOES_AWAY, AWAY = 0.02, timedelta(minutes=25)  # how often the mailbox does at a look, and for how long at most


@dataclass(frozen=True)
class Reached:
    """One thing that a person got."""

    person: str
    by: str
    at: datetime


class Taken(list[tuple[str, str, bytes]]):
    """What the mail server took, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Reached] = []

    def append(self, mail: tuple[str, str, bytes]) -> None:
        """One more."""
        super().append(mail)
        self.log.append(Reached(mail[1].partition("@")[0], "mail", time.now()))


@dataclass
class TwoChannels:
    """A campaign over accounts of a network and a mailbox, and the people it writes to."""

    clock: Movable
    chance: random.Random
    there: UnipileServer
    answered: dict[str, tuple[datetime, str]] = field(default_factory=dict)  # when, and by what
    decided: set[tuple[str, int]] = field(default_factory=set)  # who made up their mind, before which step
    taken: Taken = field(default_factory=Taken)
    away_until: datetime | None = None
    times_away: int = 0

    def __post_init__(self) -> None:
        self.post = Post(taken=self.taken)
        self.servers = Servers(self.post)

    def close(self) -> None:
        """Nothing of it answers any more."""
        self.servers.close()
        self.there.stop()

    def begin(self, people: int, senders: int) -> None:
        """The campaign runs, at all hours."""
        self.live = networked.workspace(self.there)
        for number in range(senders):
            if number:
                self.there.world.account(f"Sender {number}", f"acc_{number}")
        for ref in self.there.world.accounts:
            made = accounts.connect_hosted(self.live, provider="unipile", ref=ref)
            self._at_all_hours(made.id, message=80)
        ports = (self.servers.smtp_port, self.servers.imap_port)
        login = Login("127.0.0.1", "127.0.0.1", self.post.username, self.post.password, *ports)
        box = accounts.connect_mailbox(self.live, provider="smtp", address="ines@acme.example", servers=login)
        self._at_all_hours(box.id, email=200)
        names = [f"connected-{number}" for number in range(people)]
        known = [{"publicId": name, "firstName": "Kim", "email": f"{name}@people.example"} for name in names]
        a_campaign(self.live, known, SEQUENCE, senders=senders + 1)

    def _at_all_hours(self, sender: int, **limits: int) -> None:
        accounts.get(self.live, sender).ramp_from = None
        session().commit()
        accounts.edit(self.live, sender, limits=limits, paced=False, **HOURS)

    def pass_time(self, days: float) -> None:
        """So much time passes, some seconds at a time; whoever is about to be written to may answer elsewhere first."""
        goal = time.now() + timedelta(days=days)
        while time.now() < goal:
            lifecycle.run_due()
            networked.work()
            self._mailbox_comes_and_goes()
            self._answer()
            self.clock.to(min(self._next(), goal))

    def _next(self) -> datetime:
        """A few seconds from now while someone is about to be written to, else a while before that."""
        due = sa.select(sa.func.min(CampaignLead.due_at)).where(CampaignLead.state == LeadState.ACTIVE)
        first = session().scalar(due)
        end_read()
        step = time.now() + timedelta(seconds=self.chance.randint(5, 60))
        return max(step, min(first - SOON, time.now() + timedelta(minutes=30))) if first else step

    def _mailbox_comes_and_goes(self) -> None:
        if self.away_until is None and self.chance.random() < GOES_AWAY:
            self.away_until, self.post.away = time.now() + AWAY * self.chance.random(), True
            self.times_away += 1
        elif self.away_until and time.now() >= self.away_until:
            self.away_until, self.post.away = None, False

    def _answer(self) -> None:
        now = time.now()
        waiting = session().execute(
            sa.select(Person.public_id, CampaignLead.next_budget, CampaignLead.step)
            .join(CampaignLead, CampaignLead.person_id == Person.id)
            .where(CampaignLead.state == LeadState.ACTIVE, CampaignLead.due_at <= now + SOON)
            .where(CampaignLead.next_budget.in_(OTHER))
        )
        heard = {(one.person, one.by) for one in self.reached()}
        for person, budget, step in waiting.all():
            by = OTHER[budget]
            if person in self.answered or (person, by) not in heard or (person, step) in self.decided:
                continue
            self.decided.add((person, step))
            if self.chance.random() > ANSWERS:
                continue
            self.answered[person] = (now, by)
            if by == "mail":
                self.post.arrives(f"{person}@people.example", "Yes, gladly. Call me.")
            else:
                account = next(one for one in self.there.world.log if one.person == person).account
                self.there.world.say(self.there.world.accounts[account], person, "Yes, gladly. Call me.")

    def reached(self) -> list[Reached]:
        """What people got, by the servers' own logs."""
        network = [Reached(one.person, "network", one.at) for one in self.there.world.log if one.kind == "message"]
        return [*network, *self.taken.log]

    def too_late(self) -> list[tuple[str, str, str, timedelta]]:
        """Who got something after their answer could have been read: how they answered, by what it came, how late."""
        return [
            (one.person, self.answered[one.person][1], one.by, one.at - self.answered[one.person][0])
            for one in self.reached()
            if one.person in self.answered and one.at > self.answered[one.person][0] + FRESH
        ]
