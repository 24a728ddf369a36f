"""One campaign over Unipile's contract and real mail servers at once, and everything that goes wrong on both.

The servers' own logs decide.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from app.core.clock import Movable
from app.domain.campaign_leads import campaign_leads
from app.domain.ledger import recount
from app.domain.senders import accounts
from app.domain.senders.mailbox_logins import Servers
from app.models.accounts import AccountStatus
from app.models.ledger import ActionState
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    a_campaign,
    assert_counters_hold,
    email,
    everyone,
    ledger,
    message,
    the_account,
)
from tests.mail.daemons import HOST, INES, MAREK, PASSWORD, Daemons
from tests.mail.neighbours import Neighbours, delivered, residents, taken
from tests.mail.wire import Wire
from tests.providers.unipile.unipile_server import UnipileServer
from tests.support import networked
from tests.support.processes import free_port

SEQUENCE = [
    email("Dear {{first_name}}", "A question"),
    {**INVITE, "message": "Hello {{first_name}}"},
    message("Thank you, {{first_name}}.\n---\nOne question."),
    email("Once more", "", days=1),
    message("Still curious.", days=1),
]
PEOPLE = {  # what they do on the network, and by e-mail
    "accepts-ada": "writes-ada",
    "connected-rosa": "writes-rosa",
    "accepts-grace": "gone-grace",
    "connected-hedy": "gone-hedy",
    "accepts-alan": "away-alan",
    "replies-mary": "mary",
    "accepts-kurt": "kurt",
    "connected-emmy": "emmy",
    "ignores-max": "max",
    "connected-lise": "lise",
}

ANSWERED, GONE, SILENT = (("finished", "replied"), ("failed", "bounced"), ("finished", "no_reply"))
EXPECTED = {
    "writes-ada": ANSWERED,
    "writes-rosa": ANSWERED,
    "gone-grace": GONE,
    "gone-hedy": GONE,
    "away-alan": SILENT,
    "mary": ANSWERED,
    "kurt": SILENT,
    "emmy": SILENT,
    "max": ("awaiting_accept", "awaiting_accept"),
    "lise": SILENT,
}


@pytest.fixture
def daemons() -> Iterator[Daemons]:
    """The mail servers."""
    running = Daemons(free_port, *residents(PEOPLE.values()))
    yield running
    running.close()


@pytest.fixture
def wires(daemons: Daemons) -> Iterator[dict[str, Wire]]:
    """The wire of each mailbox to Postfix."""
    made = {who: Wire(daemons) for who in (INES, MAREK)}
    yield made
    for wire in made.values():
        wire.stop()


@pytest.fixture
def there(there: UnipileServer, clock: Movable) -> UnipileServer:
    """Unipile. Time begins now, because mail servers know no other."""
    clock.to(datetime.now(UTC).replace(microsecond=0))
    return there


@pytest.fixture
def live(there: UnipileServer, daemons: Daemons, wires: dict[str, Wire], monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with an account of Ines on the network, her mailbox and that of Marek."""
    monkeypatch.setenv("SSL_CERT_FILE", str(daemons.folder / "cert.pem"))
    made = networked.workspace(there)
    senders = [networked.ines(made)]
    for who, copies in ((INES, "ours"), (MAREK, "server")):
        places = (wires[who].port, daemons.ports["imap"])
        servers = Servers(HOST, HOST, who, PASSWORD, *places, copies=copies)
        senders.append(accounts.connect_mailbox(made, provider="smtp", address=who, servers=servers))
    for sender in senders:
        accounts.edit(made, sender.id, start="00:00", end="23:59", days=[1, 2, 3, 4, 5, 6, 7])
    return made


def profile(name: str, box: str) -> dict[str, str]:
    """A person as they are in the list."""
    return {"publicId": name, "firstName": name.split("-")[1].title(), "email": f"{box}@people.example"}


def assert_no_one_was_contacted_twice(there: UnipileServer, workspace: Workspace, daemons: Daemons) -> None:
    """By the servers' own books; and our ledger knows of everything that stands in them."""
    done = Counter((one.kind, one.person, one.text) for one in there.world.log if one.kind != "visit")
    assert [line for line, times in done.items() if times > 1] == []
    took = taken(daemons)
    assert max([*took.values(), *delivered(daemons).values()]) == 1
    actions = ledger(workspace)
    sent = {one.token for one in actions if one.kind == "email" and one.state == ActionState.SENT}
    unknown = {one.token for one in actions if one.kind == "email" and one.state == ActionState.UNKNOWN}
    assert sent <= set(took) <= sent | unknown
    kinds = Counter(one.kind for one in there.world.log)
    ours = Counter(one.kind for one in actions if one.state == ActionState.SENT)
    assert (ours["connection_request"], ours["message"]) == (kinds["invite"], kinds["message"])
    assert not [one for one in actions if one.state == ActionState.SENDING or one.check_at]


def test_trouble_of_every_kind_on_both_channels(
    live: Workspace, there: UnipileServer, daemons: Daemons, wires: dict[str, Wire], clock: Movable
) -> None:
    """Answers, bounces, an absence, a challenge, throttlings and lost answers: everyone is where they belong."""
    neighbours = Neighbours(daemons, clock.at)
    campaign = a_campaign(live, [profile(name, box) for name, box in PEOPLE.items()], SEQUENCE, senders=3)
    there.world.troubles.extend(["drop", "429", "", "drop", "challenge"])
    wires[INES].troubles.extend(["drop", "busy", *["drop"] * 4])  # the first e-mail of everyone whom she writes to
    wires[MAREK].troubles.extend(["drop", "lose", "busy", "drop", "drop"])

    def meanwhile() -> None:
        daemons.idle()
        neighbours.answer()
        daemons.idle()

    networked.pass_time(clock, live, 48, meanwhile)
    assert the_account(live).status == AccountStatus.CHALLENGED
    networked.sign_in_again(live, there)
    there.world.troubles.extend(["drop", "500", "lose"])
    networked.pass_time(clock, live, 48, meanwhile)

    # Ines' server keeps no copies itself, so that no one can tell of those who are silent: a human lets them go on.
    asked = {one.person.handle: one.id for one in everyone(campaign).values() if one.reason == "unknown_outcome"}
    assert {PEOPLE[name] for name in asked} == {"kurt", "max", "gone-hedy"}
    assert {action.person.handle for action in ledger(live) if action.state == ActionState.UNKNOWN} == set(asked)
    for person_id in asked.values():
        campaign_leads.resume(live, campaign.id, person_id)
    networked.pass_time(clock, live, 24 * 20, meanwhile)
    assert [*there.world.troubles, *wires[INES].troubles, *wires[MAREK].troubles] == []

    assert_no_one_was_contacted_twice(there, live, daemons)
    assert {PEOPLE[name]: (one.state, one.reason) for name, one in everyone(campaign).items()} == EXPECTED
    assert_counters_hold(campaign)
    assert list(recount.statistics()) == []
