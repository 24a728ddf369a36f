"""Look-ups of a live workspace: in the order of its services, until one knows; what fails leaves it to the next."""

from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask, jsonify
from flask.typing import ResponseReturnValue

from app import ports
from app.core.db import session, transaction
from app.core.errors import NotSupported
from app.domain.billing import credits
from app.domain.engine import manual_send, turns
from app.domain.engine.manual import compose
from app.domain.enrichment import enrichment, signals
from app.domain.platform import jobs, services
from app.domain.workspace import workspaces
from app.models.campaigns import LeadState
from app.models.conversations import Conversation, Message, MessageStatus
from app.models.ledger import Action
from app.models.people import Person
from app.models.signals import AddressCheck, ContactLookup, Enrichment
from app.models.workspaces import Workspace
from app.providers.apollo import Apollo
from app.providers.http import HttpClient
from app.providers.hunter import Hunter
from app.providers.pdl import PeopleDataLabs
from tests.conftest import PASSWORD
from tests.domain.outreach import a_campaign, a_list, email, only
from tests.providers.apollo_server import ApolloServer
from tests.providers.hunter_server import HunterServer
from tests.providers.pdl_server import PdlServer
from tests.support.movable import Movable

DEAD = "ada@engine.example can't receive email: the mailbox does not exist."
ADA = {"publicId": "ada", "firstName": "Ada", "lastName": "Lovelace", "companyName": "Engine"}


def down(path: str) -> ResponseReturnValue:
    """A server that is being looked after."""
    return "closed", 503


def busy(path: str) -> ResponseReturnValue:
    """A server that wants a rest."""
    return jsonify(message="slow down"), 429, {"retry-after": "40"}


@pytest.fixture
def world(app: Flask, clock: Movable) -> Iterator[SimpleNamespace]:
    """The servers of three services, and adapters that ask them."""
    found = SimpleNamespace(hunter=HunterServer(), pdl=PdlServer(), apollo=ApolloServer())
    client = HttpClient(allow_private=True)
    asks = [Hunter(client, found.hunter.url), PeopleDataLabs(client, found.pdl.url), Apollo(client, found.apollo.url)]
    ports.connect_services(asks)
    yield found
    for server in vars(found).values():
        server.stop()


def connected(workspace: Workspace, *names: str, budget: int | None = None) -> Workspace:
    """These services are connected, in this order."""
    for name in names:
        services.connect(workspace, name, {"api_key": "good"}, budget)
    return workspace


@pytest.fixture
def live(world: SimpleNamespace) -> Workspace:
    """A workspace that has connected all three, with everyone in the world known to no one."""
    made = workspaces.create("Live", "ada@live.example", PASSWORD)
    credits.grant(made, 1000, ref="tests")
    connected(made, "hunter", "pdl", "apollo")
    for server in vars(world).values():
        server.asked.clear()
    return made


def known(server: Any, address: str = "ada@engine.example", **more: Any) -> None:
    """The server knows Ada's address, however it writes it."""
    server.people.append(
        {
            "first_name": "Ada", "last_name": "Lovelace", "linkedin_url": "linkedin.com/in/ada", "score": 95,
            "email": address, "work_email": address, **more,
        }
    )  # fmt: skip


def looked_up(workspace: Workspace, what: str = "email", *people: dict[str, Any]) -> tuple[Enrichment, ContactLookup]:
    """What became of looking up one value of Ada's."""
    enrichment.start(workspace, a_list(workspace, people or [ADA]), what)
    jobs.run_due()
    runs = session().scalars(enrichment.page(workspace).execution_options(populate_existing=True))
    run = max(runs, key=lambda one: one.id)
    return run, session().scalars(enrichment.lookups(workspace, run.id)).one()


def asked(server: Any) -> list[str]:
    """The paths that were asked."""
    return [path for path, _ in server.asked]


def test_the_first_source_that_knows_answers(live: Workspace, world: SimpleNamespace) -> None:
    """The first that knows answers, the others are not asked; value, source, verdict and date stay."""
    known(world.hunter, status="valid")
    known(world.pdl, "other@engine.example")
    run, lookup = looked_up(live)
    assert (run.state, run.found, lookup.value, lookup.source) == ("finished", 1, "ada@engine.example", "Hunter")
    assert (lookup.verdict, lookup.verified_by, lookup.verified_at) == ("deliverable", "Hunter", live.now())
    assert asked(world.pdl) == asked(world.apollo) == []
    assert session().scalars(sa.select(Person.email)).one() == "ada@engine.example"
    hunter, pdl, _ = services.connected(live)
    assert services.use_today(live, hunter) == (1, 24_500)
    assert services.use_today(live, pdl) == (0, 0)


def test_the_next_is_asked_for_what_one_does_not_know(live: Workspace, world: SimpleNamespace) -> None:
    """In the order of the page; an address that no one vouched for is checked."""
    services.move(live, "apollo", 1)
    known(world.pdl)
    world.hunter.statuses["ada@engine.example"] = "accept_all"
    _, lookup = looked_up(live)
    assert (lookup.source, lookup.verdict, lookup.verified_by) == ("People Data Labs", "risky", "Hunter")
    assert asked(world.apollo) == ["/people/match"]
    assert asked(world.hunter) == ["/email-finder", "/email-verifier"]
    assert services.use_today(live, services.get(live, "apollo")) == (1, 0)


def test_an_address_without_a_mailbox_is_no_find(live: Workspace, world: SimpleNamespace) -> None:
    """The next service may know a better one; else nothing is paid for."""
    known(world.pdl, "old@engine.example")
    known(world.apollo, "new@engine.example", email_status="verified")
    world.hunter.statuses["old@engine.example"] = "invalid"
    _, lookup = looked_up(live)
    assert (lookup.value, lookup.source, lookup.verdict) == ("new@engine.example", "Apollo", "deliverable")
    world.apollo.people.clear()
    session().execute(sa.update(Person).values(email=""))
    session().commit()
    before = credits.balance(live)
    run, lookup = looked_up(live)
    assert (run.missed, lookup.state, lookup.value) == (1, "missed", "")
    assert credits.balance(live) == before


def test_numbers_come_from_those_that_have_them(live: Workspace, world: SimpleNamespace) -> None:
    """The others are not asked; what no one connected knows is refused, with what they do know."""
    known(world.pdl, mobile_phone="+15552000100")
    _, lookup = looked_up(live, "phone")
    assert (lookup.value, lookup.source, lookup.verdict) == ("+15552000100", "People Data Labs", "")
    assert asked(world.hunter) == asked(world.apollo) == []
    services.disconnect(live, "pdl")
    with pytest.raises(NotSupported, match="phone numbers"):
        enrichment.start(live, a_list(live, [ADA]), "phone")


def test_a_service_that_fails_leaves_it_to_the_next_and_when_all_fail_it_is_tried_again(
    live: Workspace, world: SimpleNamespace, clock: Movable
) -> None:
    """Its card says why. In the end the run has failed with the sentence of the first that cannot be reached."""
    world.hunter.wrong = down
    known(world.pdl)
    _, lookup = looked_up(live)
    assert (lookup.source, lookup.verdict) == ("People Data Labs", "")
    hunter = services.get(live, "hunter")
    session().refresh(hunter)
    assert "under maintenance" in hunter.failure
    for server in vars(world).values():
        server.wrong = down
    run, lookup = looked_up(live, "email", {**ADA, "publicId": "bo", "firstName": "Bo"})
    assert (run.state, lookup.state) == ("running", "waiting")
    for _ in range(2):
        clock.forward(minutes=6)
        jobs.run_due()
    session().refresh(run)
    assert run.state == "failed"
    assert run.error.startswith("Hunter is down")
    assert credits.balance(live).held == 0


def test_one_that_is_busy_is_waited_for(live: Workspace, world: SimpleNamespace, clock: Movable) -> None:
    """However often; the run says why it waits, and goes on."""
    world.hunter.wrong = busy
    run, _ = looked_up(live)
    for _ in range(4):
        assert (run.state, run.error) == ("running", "Hunter has reached its request limit for now.")
        clock.forward(seconds=41)
        jobs.run_due()
        session().refresh(run)
    world.hunter.wrong = lambda path: None
    known(world.hunter)
    clock.forward(seconds=41)
    jobs.run_due()
    session().refresh(run)
    assert (run.state, run.error, run.found) == ("finished", "", 1)


def test_a_budget_that_is_used_up_waits_for_tomorrow(live: Workspace, world: SimpleNamespace, clock: Movable) -> None:
    """No one else is asked instead who is not connected."""
    for name in ("pdl", "apollo"):
        services.disconnect(live, name)
    connected(live, "hunter", budget=24_500)
    known(world.hunter, status="valid")
    bob = {**ADA, "publicId": "bob"}
    enrichment.start(live, a_list(live, [ADA, bob]), "email")
    jobs.run_due()
    run = session().scalars(enrichment.page(live)).one()
    session().refresh(run)
    assert (run.state, run.found) == ("running", 1)
    assert "budget" in run.error
    clock.forward(hours=25)
    jobs.run_due()
    session().refresh(run)
    assert (run.state, run.found) == ("finished", 2)


def test_who_does_not_want_it_is_looked_up_nowhere(live: Workspace, world: SimpleNamespace) -> None:
    """Not even where they have not said so."""
    world.hunter.not_wanted = {"Ada"}
    known(world.pdl)
    run, _ = looked_up(live)
    assert (run.missed, asked(world.pdl)) == (1, [])


def test_signals_come_from_connected_services(live: Workspace, world: SimpleNamespace) -> None:
    """With their source; one that fails leaves it to the next, and a failure of all costs nothing."""
    world.pdl.wrong = down
    world.apollo.companies["engine.example"] = {"estimated_num_employees": 40}
    before = credits.balance(live)
    found = signals.look_up(live, "headcount", domain="engine.example")
    assert (found.found, found.credits, found.answer["current"]) == (True, 6, 40)
    assert signals.get(live, found.id).source == "Apollo"
    assert signals.look_up(live, "headcount", domain="engine.example").credits == 0
    missed = signals.look_up(live, "headcount", domain="unknown.example")
    assert (missed.found, missed.credits, missed.answer) == (False, 0, {})
    assert credits.balance(live).free == before.free - 6


def mailed(workspace: Workspace) -> list[str]:
    """Who got an e-mail."""
    return list(session().scalars(sa.select(Person.public_id).join(Action).where(Action.workspace_id == workspace.id)))


@pytest.fixture
def reaching(acme: Workspace, world: SimpleNamespace, clock: Movable) -> Workspace:
    """A live workspace whose mailbox is of the sandbox network, with Ada's address bought on this day."""
    with transaction():
        acme.sandbox = False
    connected(acme, "hunter")
    known(world.hunter, status="valid")
    looked_up(acme)
    world.hunter.asked.clear()
    return acme


def campaign(workspace: Workspace) -> Any:
    """E-mails to the people of the list that was looked up."""
    person = {**ADA, "email": "ada@engine.example"}
    return a_campaign(workspace, [person], [email()], senders=3, name="Mails")


def turn(workspace: Workspace, clock: Movable) -> None:
    """A few minutes of turns."""
    for _ in range(4):
        turns.run_due()
        clock.forward(minutes=15)


def test_an_old_bought_address_is_checked_before_a_mail(
    reaching: Workspace, world: SimpleNamespace, clock: Movable
) -> None:
    """Once; while it takes mail, the e-mail goes."""
    clock.forward(days=31)
    campaign(reaching)
    turn(reaching, clock)
    assert asked(world.hunter) == ["/email-verifier"]
    assert mailed(reaching) == ["ada"]
    lookup = session().scalars(sa.select(ContactLookup).execution_options(populate_existing=True)).one()
    assert (lookup.verdict, lookup.verified_by) == ("deliverable", "Hunter")
    assert lookup.verified_at is not None
    assert reaching.now() - lookup.verified_at < timedelta(hours=2)


def test_a_fresh_address_is_not_checked_but_an_old_one_is_also_before_a_mail_by_hand(
    reaching: Workspace, world: SimpleNamespace, clock: Movable
) -> None:
    """Whoever wrote it is told why it did not go."""
    clock.forward(days=29)
    campaign(reaching)
    turn(reaching, clock)
    assert (asked(world.hunter), mailed(reaching)) == ([], ["ada"])
    thread = session().scalars(sa.select(Conversation)).one()
    for status, became, error in (
        ("valid", MessageStatus.SENT, ""),
        ("invalid", MessageStatus.FAILED, DEAD),
    ):
        clock.forward(days=31)
        world.hunter.statuses["ada@engine.example"] = status
        world.hunter.asked.clear()
        made = compose.write(reaching, thread.id, "Are you still there?")
        manual_send.run_due()
        assert asked(world.hunter) == ["/email-verifier"]
        found = session().get_one(Message, made.id, populate_existing=True)
        assert (found.status, found.error) == (became, error)


def test_a_dead_address_is_not_written_to(reaching: Workspace, world: SimpleNamespace, clock: Movable) -> None:
    """The person leaves with the reason, the address gets no email again, what it cost is given back."""
    world.hunter.statuses["ada@engine.example"] = "invalid"
    clock.forward(days=31)
    free, made = credits.balance(reaching).free, campaign(reaching)
    turn(reaching, clock)
    person = only(made)
    assert (person.state, person.reason) == (LeadState.EXCLUDED, "undeliverable")
    assert person.error == DEAD
    assert mailed(reaching) == []
    assert session().scalars(sa.select(AddressCheck.verdict)).all() == ["undeliverable"]
    lookup = session().scalars(sa.select(ContactLookup).execution_options(populate_existing=True)).one()
    assert (lookup.verdict, lookup.refunded_at is not None) == ("undeliverable", True)
    assert credits.balance(reaching).free == free + 2
    assert asked(world.hunter) == ["/email-verifier"]


@pytest.mark.parametrize("trouble", [down, busy])
def test_a_check_that_cannot_be_made_holds_no_one_up(
    reaching: Workspace, world: SimpleNamespace, clock: Movable, trouble: Any
) -> None:
    """The e-mail goes as it would without a service that checks."""
    world.hunter.wrong = trouble
    clock.forward(days=31)
    campaign(reaching)
    turn(reaching, clock)
    assert mailed(reaching) == ["ada"]
