"""Sources that are read: to their end, every day, in the face of everything, and who is where afterwards."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, NotFound
from app.domain.autopilot import play_people, setup_state, source_sync, sources
from app.domain.installation.doctor_checks import remote
from app.domain.leads import leads, lists
from app.domain.people.exclusions import never_contact
from app.domain.workspace import workspaces
from app.models.autopilot import SourceConnection
from app.models.leads import Lead, LeadList
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.providers import stripe
from app.providers.http import HttpClient
from app.providers.posthog import PostHog
from app.providers.stripe import Stripe
from tests.conftest import PASSWORD
from tests.domain.autopilot.steering import work
from tests.providers.posthog_server import Event, PostHogServer
from tests.providers.stripe_server import StripeServer
from tests.support.movable import Movable

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
A_DAY = timedelta(days=1, minutes=1)


@pytest.fixture
def shop(acme: Workspace) -> Iterator[StripeServer]:
    """The payments of a live workspace."""
    server = StripeServer()
    ports.payments.connect(Stripe(HttpClient(allow_private=True), server.url))
    yield server
    server.stop()


@pytest.fixture
def site(acme: Workspace) -> Iterator[PostHogServer]:
    """The visitors of a live workspace."""
    server = PostHogServer()
    ports.analytics.connect(PostHog(HttpClient(allow_private=True), server.url))
    yield server
    server.stop()


@pytest.fixture
def real(acme: Workspace, clock: Movable) -> Workspace:
    """A workspace that reaches real people."""
    return workspaces.create("Real", "rita@real.example", PASSWORD)


def tomorrow(clock: Movable) -> None:
    """A day later, everything due is done."""
    clock.forward(days=1, minutes=1)
    for found in source_sync.due(100):
        source_sync.run(found.key)
    work()


def source(workspace: Workspace, kind: str) -> SourceConnection:
    """The source as it is in the database."""
    found = getattr(sources.get(workspace), kind)
    end_read()
    assert found
    return found


def listed(workspace: Workspace, name: str) -> list[Lead]:
    """Who is in the list of that name."""
    query = sa.select(Lead).join(LeadList, LeadList.id == Lead.list_id).order_by(Lead.id)
    query = query.where(LeadList.workspace_id == workspace.id, LeadList.name == name)
    return list(session().scalars(query.execution_options(populate_existing=True)))


def addresses(workspace: Workspace, name: str) -> list[str]:
    """Their addresses, in order."""
    return sorted(one.email for one in listed(workspace, name))


def visit(email: str, page: str, at: datetime = NOW, **known: str) -> Event:
    """Someone looked at a page."""
    return Event(email, f"https://acme.example/{page}", at, known)


def test_visitors_and_former_customers_become_lists_without_duplicates(
    real: Workspace, site: PostHogServer, shop: StripeServer, clock: Movable
) -> None:
    """Visitors and former customers are lists, customers are left out; every day again, and no one twice."""
    site.events = [visit("eve@tools.example", "pricing", name="Eve Moss"), visit("ada@engine.example", "docs")]
    shop.subscription(shop.customer("ada@engine.example", name="Ada Lovelace"))
    ended = int(datetime(2025, 11, 5, tzinfo=UTC).timestamp())
    shop.subscription(shop.customer("bo@left.example", name="Bo Li"), "canceled", ended_at=ended)
    found = sources.connect_payments(real, "rk_live_good").payments
    assert found
    assert (found.former_customers, found.test, found.stage) == (1, False, "")
    sources.connect_analytics(real, "phx_good")
    work()
    (eve,) = listed(real, "Site visitors")
    assert (eve.name, eve.email, eve.company_name) == ("Eve Moss", "eve@tools.example", "tools.example")
    assert eve.custom_fields == {"visited_page": "pricing", "visited_on": "2026-03-02"}
    (bo,) = listed(real, "Former customers")
    assert (bo.name, bo.custom_fields) == ("Bo Li", {"ended": "November", "ended_on": "2025-11-05"})
    assert sources.customers_left_out(real) == 1
    site.events.append(visit("eve@tools.example", "customers", NOW + timedelta(hours=5)))
    site.events.append(visit("new@tools.example", "", NOW + timedelta(hours=6)))
    tomorrow(clock)
    assert addresses(real, "Site visitors") == ["eve@tools.example", "new@tools.example"]
    assert listed(real, "Site visitors")[0].custom_fields["visited_page"] == "customers"
    assert addresses(real, "Former customers") == ["bo@left.example"]
    assert source(real, "analytics").refreshed_at == NOW + A_DAY
    # Plays find them there, with the page they read as a true word.
    wanted = ports.PeopleQuery({"titles": ["CEO"]}, "site_visitors")
    first, _ = sorted(play_people.search(real, "site_visitors").find(wanted, 10).people, key=lambda one: one.email)
    assert (first.email, first.company_domain, first.public_id) == ("eve@tools.example", "tools.example", "")
    assert (play_people.handle(first), dict(first.facts)) == ("eve@tools.example", {"visited_page": "customers"})


def test_before_anyone_came_no_one_is_found_least_of_all_someone_invented(real: Workspace, site: PostHogServer) -> None:
    sources.connect_analytics(real, "phx_good")
    for angle in ("site_visitors", "former_customers"):
        assert play_people.search(real, angle).count(ports.PeopleQuery({"titles": ["CEO"]}, angle)) == 0
        assert play_people.search(real, angle).name != "sandbox"


def test_who_stops_being_a_customer_may_be_contacted_again(real: Workspace, shop: StripeServer, clock: Movable) -> None:
    """And is a former one; whoever comes back is none any more. What someone added by hand stays."""
    never_contact.add(real, ["byhand@x.example"])
    ada = shop.subscription(shop.customer("ada@engine.example"))
    shop.subscription(shop.customer("byhand@x.example"))
    sources.connect_payments(real, "rk_live_good")
    blocked = {row.value for row in session().scalars(never_contact.page(real))}
    assert blocked == {"byhand@x.example", "x.example", "ada@engine.example", "engine.example"}
    ada.update(status="canceled", ended_at=int(NOW.timestamp()))
    shop.subscriptions.pop()
    tomorrow(clock)
    assert {row.value for row in session().scalars(never_contact.page(real))} == {"byhand@x.example"}
    assert addresses(real, "Former customers") == ["ada@engine.example"]
    shop.subscription("cus_0001")
    tomorrow(clock)
    assert addresses(real, "Former customers") == []
    assert source(real, "payments").former_customers == 0
    # An entry of the source would come back while it is connected; added by hand as well, it is no longer the source's.
    entry = session().scalars(never_contact.page(real, "ada@")).one()
    with pytest.raises(Conflict, match="payments source"):
        never_contact.remove(real, entry.id)
    never_contact.add(real, ["ada@engine.example"])
    never_contact.remove(real, entry.id)
    sources.disconnect(real, "payments")
    never_contact.remove(real, session().scalars(never_contact.page(real, "engine.example")).one().id)


def test_a_person_who_was_erased_is_not_named_again(real: Workspace, shop: StripeServer, clock: Movable) -> None:
    """Neither on the never-contact list nor in one of people."""
    shop.subscription(shop.customer("ada@gmail.com"), "canceled")
    shop.subscription(shop.customer("bo@gmail.com"))
    sources.connect_payments(real, "rk_live_good")
    with transaction():
        never_contact.add_erased(real, [], ["bo@gmail.com"])
        for lead in listed(real, "Former customers"):
            never_contact.add_erased(real, [], [lead.email])
            leads.detach([lead])
    tomorrow(clock)
    assert addresses(real, "Former customers") == []
    assert {row.kind for row in session().scalars(never_contact.page(real))} == {"erased"}


def test_our_own_people_and_those_of_companies_that_pay_are_no_visitors(
    real: Workspace, site: PostHogServer, shop: StripeServer
) -> None:
    """Not where the address is one that anyone can have. Known people stay who they are."""
    with transaction():
        setup_state.locked(real).website = "https://www.real.example/"
    known = lists.create_list(real, "Known")
    profile = {"profileUrl": "https://network.example/in/eve-moss", "email": "eve@tools.example"}
    leads.add(real, known.id, [profile])
    never_contact.add(real, ["never@x.example"])
    shop.subscription(shop.customer("boss@engine.example"))
    shop.subscription(shop.customer("private@gmail.com"))
    sources.connect_payments(real, "rk_live_good")
    who = [
        "ada@engine.example",
        "other@gmail.com",
        "private@gmail.com",
        "eve@tools.example",
        "rita@real.example",
        "never@x.example",
        "No Address@",
        "odd@@x.example",
    ]
    site.events = [visit(one, "pricing") for one in who]
    sources.connect_analytics(real, "phx_good")
    work()
    eve, other = sorted(listed(real, "Site visitors"), key=lambda one: one.email)
    assert (other.email, other.company_name) == ("other@gmail.com", "")
    assert (eve.public_id, eve.profile_url) == ("eve-moss", profile["profileUrl"])


def test_a_crash_loses_at_most_a_page(
    real: Workspace, shop: StripeServer, monkeypatch: pytest.MonkeyPatch, clock: Movable
) -> None:
    """What is left is read by the job, from there on; who connected it did not wait for all."""
    for number in range(7):
        shop.subscription(shop.customer(f"p{number}@x{number}.example"), "canceled")
    monkeypatch.setattr(source_sync, "AT_ONCE", 0)
    monkeypatch.setattr(stripe, "PAGE", 2)
    found = sources.connect_payments(real, "rk_live_good").payments
    assert found
    assert (found.former_customers, found.stage) == (None, "former")
    shop.left = 1
    work()
    waiting = source(real, "payments")
    assert (waiting.read, waiting.stage) == (2, "former")
    assert "patience" in waiting.failure or "limit" in waiting.failure
    shop.left, shop.asked = 100, []
    clock.forward(minutes=10)
    work()
    done = source(real, "payments")
    assert (done.former_customers, done.failure, done.stage) == (7, "", "")
    assert len(shop.asked) == 3


def test_a_key_that_was_revoked_says_so_and_nothing_else_stops(
    real: Workspace, site: PostHogServer, shop: StripeServer, clock: Movable
) -> None:
    """The list stays; the next day it is tried again, and a new key heals it. The doctor tries keys, or says it too."""
    site.events = [visit("eve@tools.example", "pricing")]
    sources.connect_analytics(real, "phx_good")
    sources.connect_payments(real, "rk_live_good")
    work()
    look = remote.CALLS["sources"][1]
    assert list(look(True)) == []
    key = site.keys.pop("phx_good")
    assert list(look(False)) == []
    (problem,) = look(True)
    assert "analytics source" in problem[0]
    tomorrow(clock)
    assert len(list(look(False))) == 1
    assert list(remote.CALLS["shop"][1](True)) == []
    failed = source(real, "analytics")
    assert "This key was deleted in PostHog. Create a new key." in failed.failure
    assert (failed.stage, failed.failed_at) == ("", NOW + A_DAY)
    assert addresses(real, "Site visitors") == ["eve@tools.example"]
    site.keys["phx_good"] = key
    tomorrow(clock)
    assert source(real, "analytics").failure == ""


def test_an_outage_is_waited_for_then_named(real: Workspace, site: PostHogServer, clock: Movable) -> None:
    """Three tries, then the sentence, then the next day."""
    sources.connect_analytics(real, "phx_good")
    site.wrong = lambda path: ("maintenance", 503)
    work()
    assert source(real, "analytics").stage == "visitors"
    for _ in range(3):
        clock.forward(minutes=6)
        work()
    failed = source(real, "analytics")
    assert ("503" in failed.failure, failed.stage) == (True, "")
    assert session().scalars(sa.select(Job.state).where(Job.kind == source_sync.KIND)).all() == ["failed"]
    site.wrong = lambda path: None
    source_sync.refresh(real, "analytics")
    work()
    assert source(real, "analytics").failure == ""


def test_a_source_is_read_at_once_when_asked_for_unless_it_is_read_already(acme: Workspace, rival: Workspace) -> None:
    """A stranger's is not touched; one that is gone or connected anew is not read on; a key that is lost says so."""
    with pytest.raises(NotFound):
        source_sync.refresh(acme, "analytics")
    sources.connect_analytics(acme, "phx_one")
    sources.connect_analytics(acme, "phx_two")
    sources.disconnect(acme, "analytics")
    work()
    assert not listed(acme, "Site visitors")
    assert session().scalars(sa.select(Job.state).where(Job.kind == source_sync.KIND)).all() == ["done", "done"]
    sources.connect_analytics(acme, "phx_key")
    with pytest.raises(Conflict):
        source_sync.refresh(acme, "analytics")
    work()
    before = source(acme, "analytics").run
    source_sync.refresh(acme, "analytics")
    work()
    assert source(acme, "analytics").run == before + 1
    assert listed(acme, "Site visitors")
    assert not listed(rival, "Site visitors")
    with pytest.raises(NotFound):
        source_sync.refresh(rival, "analytics")
    with transaction() as current:
        current.scalars(sa.select(SourceConnection)).one().sealed = b"something else"
    source_sync.refresh(acme, "analytics")
    work()
    assert "Connect the source again" in source(acme, "analytics").failure
