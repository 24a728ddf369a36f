"""Services that answer anything at all: what is understood comes back, and everything else is said in a sentence."""

import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app.core import clock
from app.ports import (
    AccountRef,
    Activity,
    ActivityKind,
    ContactQuestion,
    Credentials,
    CrmChange,
    Fill,
    NewContact,
    PeopleQuery,
    PersonRef,
    Refused,
    SenderAction,
    SignalQuestion,
)
from app.providers import model_switch
from app.providers.apollo import Apollo
from app.providers.crm import HubSpot, Pipedrive
from app.providers.hunter import Hunter
from app.providers.meetings import CalCom, Calendly
from app.providers.pdl import PeopleDataLabs
from app.providers.posthog import PostHog
from app.providers.public_signals import Public, PublicSignals
from app.providers.public_signals.web import HOSTS, Pace
from app.providers.stripe import Stripe
from app.providers.stripe.billing import StripeSeller
from app.providers.unipile import UnipileNetwork, UnipileNetworkSearch, UnipileService, UnipileSignIn, hosted_sign_in
from tests.attack.lying import SEED, TIMES, Lying, Verdict
from tests.providers.apollo_server import ApolloServer
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.providers.crm.pipedrive_server import PipedriveServer
from tests.providers.hunter_server import HunterServer
from tests.providers.pdl_server import PdlServer
from tests.providers.posthog_server import Event, PostHogServer
from tests.providers.public_signals.public_server import SOURCES, PublicWeb
from tests.providers.public_signals.test_public_signals import BOARDS, asking, everything, site
from tests.providers.scripted_model import Character, ScriptedModel
from tests.providers.stripe_server import SECRET, StripeServer, event, signature
from tests.providers.test_data_services import ROWS, a_person
from tests.providers.unipile.test_network_search import CLASSIC, Searches, classic
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World
from tests.support import booked

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = ContactQuestion("email", "ada", "Ada", "Lovelace", "Engine", "engine.example", "https://linkedin.com/in/ada-1")
PHONE = replace(ADA, kind="phone")
Calls = list[Callable[[], object]]
Way = Callable[[Lying, ExitStack], Calls]


def stopped(server: Any, stack: ExitStack) -> Any:
    stack.callback(server.stop)
    return server


def hunter(client: Lying, stack: ExitStack) -> Calls:
    server, opens = stopped(HunterServer(), stack), Credentials("hunter", {"api_key": "good"})
    server.people = [{"first_name": "Ada", "email": "ada@engine.example", "score": 95, "status": "valid"}]
    asked = Hunter(client, server.url)
    return [
        lambda: asked.check(opens),
        lambda: asked.find_contact(opens, ADA),
        lambda: asked.verify(opens, "ada@engine.example"),
    ]


def pdl(client: Lying, stack: ExitStack) -> Calls:
    server, opens = stopped(PdlServer(), stack), Credentials("pdl", {"api_key": "good"})
    server.people = [{**a_person(number), "work_email": "ada@engine.example"} for number in range(9)]
    server.companies = {"engine.example": {"name": "Engine", "employee_count": 12, "tags": ["pumps"]}}
    asked = PeopleDataLabs(client, server.url)
    signals = [SignalQuestion(kind, AT, "engine.example", "Ada Lovelace", "Engine") for kind in asked.signals]
    return [
        lambda: asked.check(opens),
        lambda: asked.find_contact(opens, ADA),
        lambda: asked.find_contact(opens, PHONE),
        lambda: asked.count_people(opens, PeopleQuery(ROWS)),
        lambda: asked.find_people(opens, PeopleQuery(ROWS), 5),
        *[lambda one=one: asked.look_up(opens, one) for one in signals],  # type: ignore[misc]
    ]


def apollo(client: Lying, stack: ExitStack) -> Calls:
    server, opens = stopped(ApolloServer(), stack), Credentials("apollo", {"api_key": "good"})
    server.people = [{**a_person(number), "email": "ada@engine.example"} for number in range(9)]
    asked = Apollo(client, server.url)
    return [
        lambda: asked.check(opens),
        lambda: asked.find_contact(opens, ADA),
        lambda: asked.count_people(opens, PeopleQuery(ROWS)),
        lambda: asked.find_people(opens, PeopleQuery(ROWS), 5),
    ]


def crm(asked: Any, opens: Credentials, known: str) -> Calls:
    """What both do; both read and write."""
    ada = NewContact("new@engine.example", {"email": "new@engine.example", "first_name": "Ada"})
    told = [Activity("evt_1", known, ActivityKind.MESSAGE, AT, "Replied", "Yes")]
    return [
        lambda: asked.check(opens),
        lambda: asked.owners(opens, ""),
        lambda: asked.contacts(opens, None, ""),
        lambda: asked.contacts(opens, AT - timedelta(days=9), ""),
        lambda: asked.contacts_by_id(opens, [known]),
        lambda: asked.companies(opens, None, ""),
        lambda: asked.open_deals(opens, ""),
        lambda: asked.lists(opens),
        lambda: asked.members(opens, "5", ""),
        lambda: asked.create(opens, [ada]),
        lambda: asked.change(opens, [CrmChange(known, {"first_name": ("Ada", Fill.OURS)})]),
        lambda: asked.record(opens, told, []),
    ]


def hubspot(client: Lying, stack: ExitStack) -> Calls:
    server = stopped(HubSpotServer(), stack)
    known = server.add("contacts", email="ada@engine.example", firstname="Ada", lastname="Lovelace", jobtitle="Founder")
    server.add("companies", name="Engine", domain="engine.example")
    server.owners = [{"id": "7", "firstName": "Lena", "lastName": "Vogt", "email": "lena@acme.example"}]
    server.lists["5"] = {"name": "Warm", "members": [known]}
    return crm(HubSpot(client, server.url), Credentials("hubspot", {"token": "good"}), known)


def pipedrive(client: Lying, stack: ExitStack) -> Calls:
    server = stopped(PipedriveServer(), stack)
    known = server.add("ada@engine.example", first_name="Ada")
    server.filters[5] = {"name": "Warm", "members": [known]}
    return crm(Pipedrive(client, server.url), Credentials("pipedrive", {"token": "good"}), str(known))


def posthog(client: Lying, stack: ExitStack) -> Calls:
    server = stopped(PostHogServer(), stack)
    server.events = [Event("ada@engine.example", "https://acme.example/pricing", AT, {"name": "Ada Lovelace"})]
    asked = PostHog(client, server.url)
    return [
        lambda: asked.check("phx_good", "us", ""),
        lambda: asked.visitors("phx_good", "us", "1", 1, AT - timedelta(days=9), ""),
    ]


def stripe(client: Lying, stack: ExitStack) -> Calls:
    server = stopped(StripeServer(), stack)
    one = server.customer("ada@engine.example", name="Ada Lovelace")
    server.subscription(one, "canceled", ended_at=int(AT.timestamp()))
    sold = server.subscription(one)["id"]
    asked = Stripe(client, server.url)
    seller = StripeSeller(client, "sk_test_seller", SECRET, {"starter": "price_1"}, server.url)
    return [
        lambda: asked.check("rk_live_good"),
        lambda: asked.customers("rk_live_good", 1, True, ""),
        lambda: asked.customers("rk_live_good", 1, False, ""),
        lambda: seller.check(),
        lambda: seller.checkout(7, "starter", one, "ada@acme.example", "https://o.example/b"),
        lambda: seller.portal(one, "https://o.example/b"),
        lambda: seller.subscription(sold),
    ]


def unipile(client: Lying, stack: ExitStack, generation: str) -> Calls:
    world = World(lambda: AT)
    server = stopped(UnipileServer(world), stack)
    world.account()
    opens = Credentials("unipile", server.values(generation))
    account = AccountRef(1, 1, "acc_ines", "Ines Duarte", AT, settings=server.values(generation))
    asked, hosted = UnipileNetwork(client, whole_call=30), UnipileSignIn(client)
    service = UnipileService(client, any_host=True)
    begun = asked.inbound(account, "").cursor
    for name in ("accepts-ada", "replies-eve"):
        asked.act(account, doing("connection_request", name))
    world.now = lambda: AT + timedelta(hours=6)
    world.say(world.accounts["acc_ines"], "ben", "Hello")
    later = replace(account, at=AT + timedelta(hours=6))
    kinds = ("connection_request", "message", "inmail", "view_profile", "follow", "like_last_post", "withdraw")
    return [
        lambda: service.check(opens),
        lambda: asked.status(later),
        *[lambda: asked.inbound(later, begun)] * 4,
        *[lambda kind=kind: asked.act(later, doing(kind, "ada")) for kind in kinds],  # type: ignore[misc]
        *[lambda kind=kind: asked.find(later, doing(kind, "accepts-ada")) for kind in kinds],  # type: ignore[misc]
        lambda: hosted.holder(opens, "acc_ines"),
        lambda: hosted.newcomers(opens, AT - timedelta(days=1)),
    ]


def doing(kind: str, name: str) -> SenderAction:
    person = PersonRef(name, f"https://www.linkedin.com/in/{name}", "Ada", "Lovelace")
    return SenderAction(kind, person, f"{kind} {name}", text="Hello", subject="Hello", intended_at=AT)


def searches(client: Lying, stack: ExitStack) -> Calls:
    server = stopped(Searches(people=[classic(number) for number in range(25)]), stack)
    asked, service = UnipileNetworkSearch(client), UnipileService(client, any_host=True)
    calls: Calls = []
    for generation in ("v2", "api/v1"):
        values = {"base_url": f"{server.url}/{generation}", "api_key": "good"}
        account, opens = AccountRef(1, 1, "acc_1", "Ines", AT, settings=values), Credentials("unipile", values)
        calls += [
            lambda account=account: asked.read(account, CLASSIC, 10),  # type: ignore[misc]
            lambda opens=opens: service.count_people(opens, PeopleQuery(ROWS)),  # type: ignore[misc]
            lambda opens=opens: service.find_people(opens, PeopleQuery(ROWS), 10),  # type: ignore[misc]
        ]
    return calls


def public_signals(client: Lying, stack: ExitStack) -> Calls:
    web = stopped(PublicWeb(), stack)
    everything(web)
    for _, path, _, answer, _ in BOARDS:
        web.pages[path] = answer
    lying = Lying(resolve=web.web.resolve)

    def asked(kind: str, link: str = "") -> object:
        lying.chance = client.chance
        site(web, "", f"<a href='{link}'>Jobs</a>" if link else "")
        patient = {name: Pace(0) for name in HOSTS}
        return PublicSignals(Public(lying, lying, SOURCES, "ops@overture.example", patient)).look_up(asking(kind))

    links = [link for link, *_ in BOARDS]
    return [lambda kind=kind: asked(kind) for kind in ("funding", "techStack", "news")] + [  # type: ignore[misc]
        lambda link=link: asked("hiring", link)
        for link in links  # type: ignore[misc]
    ]


def model_server(client: Lying, stack: ExitStack) -> Calls:
    server = stopped(ScriptedModel(Character.GOOD), stack)
    return [
        lambda: model_switch.server_at(client, server.url, "key"),
        lambda: model_switch.server_at(client, server.address, "key"),
    ]


def hooks(client: Lying, stack: ExitStack) -> Calls:
    """What services call us with, signed."""

    def meeting(asked: Any, service: str, told: Any) -> object:
        body, opens = client.bent(told), Credentials(service, {"secret": booked.SECRET})
        try:
            return asked.hear(opens, booked.signed(service, body), body, clock.now())
        except ValueError as problem:  # what the port allows
            raise Refused(str(problem) or "It can't be read.") from None

    def sale(kind: str, thing: Any) -> object:
        body = client.bent(json.loads(event("evt_1", kind, thing)))
        return seller.hear(body, signature(body, at=int(clock.now().timestamp())))

    def network(told: Any) -> object:
        return hosted_sign_in.read({"Overture-Secret": "s"}, client.bent(told), "s", AT)

    seller = StripeSeller(client, "sk_test_seller", SECRET, {"starter": "price_1"}, "https://api.stripe.com")
    about = {"account_id": "x1", "account_type": "LINKEDIN", "webhook_name": "Overture"}
    known = {"user_full_name": "Ada", "user_provider_id": "ACoAAada", "user_public_identifier": "Ada"}
    return [
        lambda: meeting(CalCom(), "cal", booked.cal("BOOKING_CREATED", "uid")),
        lambda: meeting(Calendly(), "calendly", booked.calendly("invitee.created", "AAA")),
        lambda: sale("checkout.session.completed", {"id": "cs_1", "subscription": "sub_1", "client_reference_id": "7"}),
        lambda: sale("customer.subscription.updated", {"id": "sub_1", "customer": "cus_1", "status": "active"}),
        lambda: network({**about, **known, "event": "new_relation"}),
        lambda: network({**about, "event": "message_received", "chat_id": "c", "message_id": "m", "message": "Hi"}),
        lambda: network({"AccountStatus": {"account_id": "x1", "account_type": "LINKEDIN", "message": "CREDENTIALS"}}),
    ]


WAYS: dict[str, Way] = {
    "hunter": hunter,
    "pdl": pdl,
    "apollo": apollo,
    "hubspot": hubspot,
    "pipedrive": pipedrive,
    "posthog": posthog,
    "stripe": stripe,
    "unipile v2": lambda client, stack: unipile(client, stack, "v2"),
    "unipile v1": lambda client, stack: unipile(client, stack, "v1"),
    "network search": searches,
    "public signals": public_signals,
    "model servers": model_server,
    "hooks": hooks,
}


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Stops the servers."""
    with ExitStack() as kept:
        yield kept


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.usefixtures("clock")
def test_whatever_a_service_answers_is_understood_or_refused_in_a_sentence(
    app: Flask, stack: ExitStack, way: str
) -> None:
    """Nothing it says is an error of ours, and nothing that comes back can't be kept."""
    client = Lying()
    calls = WAYS[way](client, stack)
    verdict = Verdict()
    for number, call in enumerate(calls):
        for time in range(TIMES):
            client.chance = random.Random(f"{SEED} {way} {number} {time}")
            verdict.hear(f"call {number}", call)
    sys.stdout.write(f"\n{way}: {len(calls) * TIMES} answers, {verdict.told} refused in a sentence; SEED={SEED}\n")
    assert not verdict.odd, dict(verdict.odd)
    assert verdict.told > len(calls) * TIMES / 50
