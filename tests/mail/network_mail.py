"""The ordeal of a campaign over the network and real mail servers at once, with troubles on both."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa

from app.core.db import session
from app.domain.operations import doctor
from app.domain.senders import accounts
from app.domain.senders.mailbox_logins import Servers
from app.models.accounts import Account, AccountStatus
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.ledger import Action, ActionState
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, assert_counters_hold, email, message, the_account
from tests.kills.network import BEGIN, REACHING, NetworkOrdeal
from tests.mail.daemons import HOST, INES, MAREK, PASSWORD, Daemons
from tests.mail.neighbours import Neighbours, delivered, taken
from tests.mail.wire import Wire
from tests.providers.unipile.unipile_world import Done
from tests.support import networked

SEQUENCE = [
    {**INVITE, "message": "Hello {{first_name}}"},
    email("Dear {{first_name}}", "A question"),
    message("Thank you.\n---\nOne question."),
    email("Once more", "", days=1),
    message("Still curious.", days=1),
]
ON_THE_NETWORK = ("accepts", "connected", "accepts", "connected", "replies", "ignores", "connected")
BY_MAIL = ("silent", "writes", "silent", "gone", "silent", "away", "silent", "silent")
TROUBLES = ("", "", "", "", "drop", "lose", "429", "500", "challenge")
TROUBLES_OF_MAIL = ("", "", "", "", "drop", "lose", "busy")


def mailboxes(people: int) -> list[str]:
    """The names of so many mailboxes."""
    return [f"{BY_MAIL[number % len(BY_MAIL)]}-{number}" for number in range(people)]


@dataclass
class MixedOrdeal(NetworkOrdeal):
    """The network and the wires to Postfix in this process, and a process that works until it is killed."""

    farthest: int = 9
    daemons: Daemons = field(kw_only=True)
    challenges: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.wires = {who: Wire(self.daemons) for who in (INES, MAREK)}
        self._thread = threading.Thread(target=self._answer, daemon=True)

    def begin(self, people: int, others: str = "accepts") -> None:
        """A campaign of that many people runs at all hours, over an account and two mailboxes."""
        boxes = mailboxes(people)
        self.neighbours = Neighbours(self.daemons, BEGIN)
        names = [f"{ON_THE_NETWORK[number % len(ON_THE_NETWORK)]}-{number}" for number in range(people)]
        known = [
            {"publicId": name, "firstName": name.title(), "email": f"{box}@people.example"}
            for name, box in zip(names, boxes, strict=True)
        ]
        with self.within():
            live = networked.workspace(self.there)
            always = {"start": "00:00", "end": "23:59", "days": [1, 2, 3, 4, 5, 6, 7]}
            accounts.edit(live, networked.ines(live).id, limits={"invite": 35, "message": 80}, **always)
            for who, copies in ((INES, "ours"), (MAREK, "server")):
                places = (self.wires[who].port, self.daemons.ports["imap"])
                servers = Servers(HOST, HOST, who, PASSWORD, *places, copies=copies)
                box = accounts.connect_mailbox(live, provider="smtp", address=who, servers=servers)
                box.ramp_from = None
                session().commit()
                accounts.edit(live, box.id, limits={"email": 200}, **always)
            self.campaign, self.workspace = a_campaign(live, known, SEQUENCE, senders=3).id, live.id
        self._thread.start()

    def stop(self) -> None:
        """See NetworkOrdeal."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        for wire in self.wires.values():
            wire.stop()
        super().stop()

    def _answer(self) -> None:
        while not self._over.wait(0.1):
            self.neighbours.answer()

    def watch(self, happened: Callable[[str], None]) -> None:
        """See NetworkOrdeal."""
        super().watch(happened)
        for wire in self.wires.values():
            wire.moment = happened

    def prepare(self, last: bool) -> None:
        """Something goes wrong for one of the next actions."""
        self.daemons.idle()
        all_troubles = [self.there.world.troubles, *(wire.troubles for wire in self.wires.values())]
        for troubles, choice in zip(all_troubles, (TROUBLES, TROUBLES_OF_MAIL, TROUBLES_OF_MAIL), strict=True):
            if last:
                troubles.clear()
            else:
                troubles.append(self.chance.choice(choice))

    def tend(self) -> None:
        """Someone does what the network asks for, once the account's page says so."""
        if self.there.world.accounts["acc_ines"].status == "running":
            return
        with self.within():
            live = session().get_one(Workspace, self.workspace)
            if the_account(live).status == AccountStatus.CHALLENGED:
                networked.sign_in_again(live, self.there)
                session().execute(sa.update(Account).values(ramp_from=None))  # there is no time to begin gently
                session().commit()
                self.challenges += 1

    def books(self) -> "Books":
        """What the servers and the ledger say once all has calmed down."""
        self.daemons.idle()
        with self.within():
            people = session().scalars(sa.select(CampaignLead).where(CampaignLead.campaign_id == self.campaign)).all()
            actions = session().scalars(sa.select(Action).where(Action.workspace_id == self.workspace)).all()
            assert_counters_hold(session().get_one(Campaign, self.campaign))
            mails = [(one.token, one.state) for one in actions if one.kind == "email"]
            boxes = dict(session().execute(sa.select(Person.id, Person.email)).all())
            return Books(
                network=[one for one in self.there.world.log if one.kind in REACHING],
                taken=taken(self.daemons),
                delivered=delivered(self.daemons),
                sent={token for token, state in mails if state == ActionState.SENT},
                unknown={token for token, state in mails if state == ActionState.UNKNOWN},
                done=Counter(one.kind for one in actions if one.state == ActionState.SENT),
                doubtful=Counter(one.kind for one in actions if one.state == ActionState.UNKNOWN),
                open=[one.token for one in actions if one.check_at or one.state == ActionState.SENDING],
                people={boxes[one.person_id].partition("@")[0]: (one.state, one.reason, one.replied) for one in people},
                shown=sum(one.reason == "unknown_outcome" for one in people),
                answered=self.neighbours.answer(),
                findings=[finding.sentence for finding in doctor.examine(self.folder) if not finding.well],
            )


@dataclass(frozen=True)
class Books:
    """What is left after the ordeal, by the servers' own books and by ours. People are named by their mailboxes."""

    network: list[Done]
    taken: Counter[str]  # by Postfix, each token
    delivered: Counter[tuple[str, str]]  # into a mailbox, each token
    sent: set[str]
    unknown: set[str]
    done: Counter[str]
    doubtful: Counter[str]
    open: list[str]
    people: dict[str, tuple[str, str, bool]]
    shown: int
    answered: set[str]
    findings: list[str]

    def __str__(self) -> str:
        states = Counter(f"{state} {reason}".strip() for state, reason, _ in self.people.values())
        network = Counter(one.kind for one in self.network)
        return (
            f"the network did {dict(network)}; Postfix took {self.taken.total()} e-mails; our ledger: {dict(self.done)}"
            f" sent, {dict(self.doubtful)} unknown, {len(self.open)} open; people: {dict(states)}"
        )

    def hold(self) -> None:
        """No one heard anything twice, nothing is lost, whatever is not known is shown, every number is right."""
        times = Counter((one.kind, one.person, one.text) for one in self.network)
        assert {line: count for line, count in times.items() if count > 1} == {}
        assert {token: count for token, count in self.taken.items() if count > 1} == {}
        assert {place: count for place, count in self.delivered.items() if count > 1} == {}
        assert self.sent - set(self.taken) == set()
        assert set(self.taken) - self.sent - self.unknown == set()
        did = Counter(one.kind for one in self.network)
        assert (self.done["connection_request"], self.done["message"]) == (did["invite"], did["message"])
        assert set(self.doubtful) <= {"email"}
        assert self.open == []
        assert self.findings == []
        self._hold_people()

    def _hold_people(self) -> None:
        assert {box for box, (_, reason, _) in self.people.items() if reason == "in_flight"} == set()
        assert {box for box in self.answered if not self.people[box][2]} == set()
        reached = {box for box, (state, _, _) in self.people.items() if state != LeadState.PENDING}
        gone = {box for box in reached if box.startswith("gone-")}
        assert {box for box in gone if self.people[box][:2] != (LeadState.FAILED, "bounced")} == set()
