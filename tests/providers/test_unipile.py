"""Unipile's adapter against a server that keeps its contract, in both generations."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask

from app.core.clock import Movable
from app.ports import (
    Accepted,
    AccountRef,
    AlreadyConnected,
    ByHand,
    Credentials,
    Deed,
    Inbound,
    LoggedOut,
    PersonRef,
    ProviderError,
    Receipt,
    Received,
    Refused,
    Throttled,
    Unknown,
    Unreachable,
)
from app.providers.fetching import HttpClient
from app.providers.unipile import UnipileNetwork, UnipileService
from app.providers.unipile.failures import DAY
from tests.providers.contract import SenderContract
from tests.providers.unipile_server import UnipileServer
from tests.providers.unipile_world import Done, World, member_id

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ADA = PersonRef("accepts-ada", "https://www.linkedin.com/in/accepts-ada", "Ada", "Lovelace")
At = Callable[..., AccountRef]
ONCE = pytest.mark.parametrize("generation", ["v2"])  # what does not depend on the interface


class InTime(UnipileNetwork):
    """The adapter, and the network's clock stands at the moment at which it is asked."""

    def __init__(self, world: World) -> None:
        super().__init__(HttpClient(allow_private=True, any_port=True), whole_call=10)
        self._world = world

    def act(self, account: AccountRef, deed: Deed) -> Receipt:
        """At that moment."""
        self._world.now = lambda: account.at
        return super().act(account, deed)

    def find(self, account: AccountRef, deed: Deed) -> Receipt | None:
        """At that moment."""
        self._world.now = lambda: account.at
        return super().find(account, deed)

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """At that moment."""
        self._world.now = lambda: account.at
        return super().inbound(account, cursor)


@pytest.fixture(params=["v2", "v1"])
def generation(request: pytest.FixtureRequest) -> str:
    """Which interface."""
    return str(request.param)


@pytest.fixture
def server(clock: Movable) -> Iterator[UnipileServer]:
    """The contract, with one account."""
    running = UnipileServer(World(lambda: AT))
    running.world.account()
    yield running
    running.stop()


@pytest.fixture
def world(server: UnipileServer) -> World:
    """What the server knows."""
    return server.world


@pytest.fixture
def network(app: Flask, world: World) -> InTime:
    """The adapter."""
    return InTime(world)


@pytest.fixture
def account(server: UnipileServer, generation: str) -> AccountRef:
    """Ines, on a Monday morning."""
    return AccountRef(1, 1, "acc_ines", "Ines Duarte", AT, settings=server.values(generation))


@pytest.fixture
def at(account: AccountRef) -> At:
    """The account later: `at(hours=2)`."""
    return lambda **delta: replace(account, at=AT + timedelta(**delta))


def person(public_id: str) -> PersonRef:
    """Somebody with that public id."""
    return PersonRef(public_id, f"https://www.linkedin.com/in/{public_id}")


def deed(kind: str, public_id: str = "accepts-ada", **more: Any) -> Deed:
    """Something done to them."""
    return Deed(kind, person(public_id), more.pop("token", f"{kind} {public_id}"), **more)


class TestContract(SenderContract):
    """What every sender promises."""

    @pytest.fixture
    def willing(self) -> PersonRef:
        """Accepts after an hour."""
        return ADA

    @pytest.fixture
    def unwilling(self) -> PersonRef:
        """Cannot be invited."""
        return person("refuses-grace")

    def test_the_same_token_acts_once(self, network: Any, account: AccountRef, willing: PersonRef) -> None:
        """As long as the invitation is open it gets the receipt of the first; later the network refuses a second."""
        first = network.act(account, self.deed(willing, "one"))
        soon = replace(account, at=account.at + timedelta(minutes=30))
        assert network.act(soon, self.deed(willing, "one")) == first
        with pytest.raises(AlreadyConnected):
            network.act(replace(account, at=account.at + timedelta(days=1)), self.deed(willing, "one"))


def test_it_works(network: InTime, at: At, world: World) -> None:
    """Invite, acceptance, message, answer; each stands in the server's own log once."""
    begun = network.inbound(at(), "").cursor
    network.act(at(), deed("connection_request", "replies-grace", text="Hello"))
    first = network.inbound(at(hours=6), begun)
    assert [(type(item), item.person) for item in first.items if not isinstance(item, ByHand)] == [
        (Accepted, "replies-grace")
    ]
    network.act(at(hours=6), deed("message", "replies-grace", text="How are you?"))
    second = network.inbound(at(hours=9), first.cursor)
    ours, answer = second.items
    assert isinstance(ours, ByHand)
    assert (ours.text, ours.kind) == ("How are you?", "message")
    assert isinstance(answer, Received)
    assert (answer.person, answer.kind, answer.at) == ("replies-grace", "message", AT + timedelta(hours=8))
    assert answer.text == "Sounds great, tell me more."
    assert list(network.inbound(at(hours=9), second.cursor).items) == []
    assert [(done.kind, done.person, done.text) for done in world.log] == [
        ("invite", "replies-grace", "Hello"),
        ("message", "replies-grace", "How are you?"),
    ]


def test_a_second_message_goes_into_the_same_conversation(network: InTime, at: At, world: World) -> None:
    """One chat, two messages."""
    for text in ("One", "Two"):
        network.act(at(), deed("message", "connected-ada", text=text, token=text))
    assert [len(chat["said"]) for chat in world.accounts["acc_ines"].chats.values()] == [2]


def test_the_small_deeds(network: InTime, account: AccountRef, world: World, generation: str) -> None:
    """Visits, follows, likes of the newest post of their own, InMail with its subject."""
    old, can = {"is_repost": False, "permissions": {"can_react": True}}, AT - timedelta(days=3)
    world.posts["ada"] = [
        {**old, "id": "repost", "at": can + timedelta(days=2), "is_repost": True},
        {**old, "id": "closed", "at": can + timedelta(days=1), "permissions": {"can_react": False}},
        {**old, "id": "newest", "at": can},
        {**old, "id": "older", "at": AT - timedelta(days=30)},
    ]
    for kind in ("view_profile", "like_post"):
        network.act(account, deed(kind, "ada"))
    network.act(account, deed("inmail", "ada", text="The text", subject="The subject"))
    text = "The text" if generation == "v1" else "The subject\n\nThe text"
    done = [(one.kind, one.person, one.text) for one in world.log]
    assert done == [("visit", "ada", ""), ("like", "newest", ""), ("inmail", "ada", text)]
    if generation == "v1":
        with pytest.raises(Refused, match="cannot follow"):
            network.act(account, deed("follow", "ada"))
    else:
        network.act(account, deed("follow", "ada"))
        assert world.log[-1].kind == "follow"


@ONCE
def test_nothing_to_like_is_no_fault_of_theirs(network: InTime, account: AccountRef, world: World) -> None:
    """No post, and none of the last two months: the step is passed over."""
    world.posts["ada"] = [
        {"id": "p", "at": AT - timedelta(days=61), "is_repost": False, "permissions": {"can_react": True}}
    ]
    for public_id in ("ada", "grace"):
        with pytest.raises(Refused, match="nothing of late"):
            network.act(account, deed("like_post", public_id))
    assert world.log == []


def test_an_invitation_is_taken_back_once(network: InTime, at: At, world: World) -> None:
    """However many others stand before it; one that is not open cannot be."""
    network.act(at(), deed("connection_request", "ada"))
    for number in range(45):
        world.accounts["acc_ines"].invitations.insert(
            0, {"id": f"i{number}", "person": f"p{number}", "at": AT, "text": ""}
        )
    network.act(at(days=21), deed("withdraw", "ada"))
    assert [done.kind for done in world.log] == ["invite", "withdraw"]
    with pytest.raises(Refused, match="no open invitation"):
        network.act(at(days=21), deed("withdraw", "ada"))


@ONCE
def test_profiles_are_read_once(network: InTime, at: At, world: World) -> None:
    """The network counts them."""
    for number in range(3):
        network.act(at(), deed("message", "connected-ada", text=str(number), token=str(number)))
    assert sum("/users/connected-ada" in line for line in world.asked) == 1


def test_people_known_by_the_networks_own_name(network: InTime, at: At, world: World) -> None:
    """A profile address may hold it; what comes in then carries it as the other name."""
    own = member_id("replies-ada")
    world.people[own] = "replies-ada"
    begun = network.inbound(at(), "").cursor
    ada = PersonRef(own.casefold(), f"https://www.linkedin.com/in/{own}/")
    network.act(at(), Deed("connection_request", ada, "t"))
    accepted = [item for item in network.inbound(at(hours=6), begun).items if isinstance(item, Accepted)]
    assert [(one.person, one.alias) for one in accepted] == [("replies-ada", own.casefold())]


@ONCE
def test_what_happened_before_is_none_of_our_business(network: InTime, at: At, world: World) -> None:
    """An account that is connected brings no old conversations."""
    ines = world.accounts["acc_ines"]
    world.say(ines, "ada", "Old news")
    begun = network.inbound(at(hours=1), "").cursor
    assert list(network.inbound(at(hours=8), begun).items) == []


@ONCE
def test_a_long_absence_is_read_in_pieces_and_nothing_is_lost(network: InTime, at: At, world: World) -> None:
    """More conversations than one look takes, some of them with new messages between the looks."""
    ines, begun = world.accounts["acc_ines"], network.inbound(at(), "").cursor
    said = []
    for number in range(60):
        world.now = lambda number=number: AT + timedelta(hours=1, minutes=number)
        said.append(world.say(ines, f"person-{number % 40}", f"Text {number}")["id"])
    cursor, got = begun, []
    for look in range(4):
        found = network.inbound(at(hours=5, minutes=look), cursor)
        got += [item.ref for item in found.items]
        cursor = found.cursor
        if look == 0:
            assert 0 < len(found.items) < 60
            said.append(world.say(ines, "person-0", "Still there?")["id"])
    assert set(got) == set(said)
    assert list(network.inbound(at(hours=7), cursor).items) == []


@ONCE
def test_what_the_network_tells_late_is_heard(network: InTime, at: At, world: World) -> None:
    """A message with an earlier moment than one that is known, some minutes later."""
    ines, begun = world.accounts["acc_ines"], network.inbound(at(), "").cursor
    world.now = lambda: AT + timedelta(minutes=30)
    world.say(ines, "ada", "First")
    first = network.inbound(at(minutes=31), begun)
    world.now = lambda: AT + timedelta(minutes=29)
    world.say(ines, "grace", "Late")
    second = network.inbound(at(minutes=32), first.cursor)
    assert [[item.person for item in look.items] for look in (first, second)] == [["ada"], ["grace"]]


@ONCE
def test_connections_are_asked_for_every_few_hours(network: InTime, at: At, world: World) -> None:
    """Not at every look: the network counts that too."""
    cursor = network.inbound(at(), "").cursor
    for minutes in range(5, 60, 5):
        cursor = network.inbound(at(minutes=minutes), cursor).cursor
    assert not any("/relations" in line for line in world.asked)
    network.inbound(at(hours=6), cursor)
    assert any("/relations" in line for line in world.asked)


@pytest.mark.parametrize("kind", ["connection_request", "message"])
def test_a_lost_answer_is_unknown_and_found(network: InTime, at: At, world: World, kind: str) -> None:
    """It was done; asked after, the network says so, with the moment at which it was."""
    what = deed(kind, "connected-ada" if kind == "message" else "ada", text="Hello  there", intended_at=AT)
    world.troubles.append("drop")
    with pytest.raises(Unknown):
        network.act(at(), what)
    found = network.find(at(minutes=3), what)
    assert found
    assert found.at == AT
    assert len(world.log) == 1


@pytest.mark.parametrize("kind", ["connection_request", "message"])
def test_what_was_lost_before_it_was_done_is_surely_not_there(network: InTime, at: At, world: World, kind: str) -> None:
    """For us the call looks the same."""
    what = deed(kind, "connected-ada" if kind == "message" else "ada", text="Hello", intended_at=AT)
    world.troubles.append("lose")
    with pytest.raises(Unknown):
        network.act(at(), what)
    assert network.find(at(minutes=3), what) is None
    assert world.log == []


@ONCE
def test_an_earlier_message_with_the_same_words_proves_nothing(network: InTime, at: At, world: World) -> None:
    """Only what was said since this one was meant; and only by us."""
    network.act(at(), deed("message", "connected-ada", text="Hello"))
    world.now = lambda: AT + timedelta(days=1)
    world.say(world.accounts["acc_ines"], "connected-ada", "Hello")
    later = deed("message", "connected-ada", text="Hello", intended_at=AT + timedelta(days=1))
    assert network.find(at(days=1, minutes=3), later) is None


@ONCE
def test_words_that_the_network_altered_leave_it_to_a_human(network: InTime, at: At, world: World) -> None:
    """Something of ours was written since, and it may be this."""
    what = deed("message", "connected-ada", text="Hello & welcome", intended_at=AT)
    world.troubles.append("drop")
    with pytest.raises(Unknown):
        network.act(at(), what)
    (chat,) = world.accounts["acc_ines"].chats.values()
    chat["said"][0]["text"] = "Hello &amp; welcome"
    with pytest.raises(Unknown, match="other words"):
        network.find(at(minutes=3), what)


def test_an_inmail_is_never_taken_for_not_sent(network: InTime, at: At, world: World) -> None:
    """It costs, so that a human looks."""
    what = deed("inmail", "ada", text="Text", subject="Subject", intended_at=AT)
    with pytest.raises(Unknown):
        network.find(at(), what)
    world.troubles.append("drop")
    with pytest.raises(Unknown):
        network.act(at(), what)
    assert network.find(at(minutes=3), what)


def test_an_invitation_that_was_accepted_at_once_is_found(network: InTime, at: At, world: World) -> None:
    """It is not among the open ones any more."""
    what = deed("connection_request", "ada", intended_at=AT)
    world.troubles.append("drop")
    with pytest.raises(Unknown):
        network.act(at(), what)
    world.accept(world.accounts["acc_ines"], "ada")
    assert network.find(at(minutes=3), what)


def test_an_open_invitation_counts_as_sent(network: InTime, at: At, world: World) -> None:
    """Whoever sent it: the network refuses a second one, and the aim is true."""
    ines = world.accounts["acc_ines"]
    ines.invitations.append({"id": "by-hand", "person": "ada", "at": AT - timedelta(days=2), "text": ""})
    assert network.act(at(), deed("connection_request", "ada")) == Receipt("by-hand", AT - timedelta(days=2))
    assert world.log == []


@ONCE
@pytest.mark.parametrize(
    ("trouble", "public_id", "failure", "says"),
    [
        ("429", "ada", Throttled, "takes no more calls"),
        ("limit", "ada", Throttled, "no more invitations"),
        ("challenge", "ada", LoggedOut, "proof that a person"),
        ("500", "ada", Unknown, "answered 500"),
        ("garbage", "ada", Unknown, "not JSON"),
        ("", "connected-ada", AlreadyConnected, "connected already"),
        ("", "refuses-ada", Refused, "invite this person"),
        ("", "nobody-ada", Refused, "does not know this person"),
    ],
)
def test_every_trouble_has_its_meaning(
    network: InTime, account: AccountRef, world: World, trouble: str, public_id: str, failure: type, says: str
) -> None:
    """A sentence that ends, and nothing done but what nobody can know."""
    world.troubles.extend([trouble] if trouble else [])
    with pytest.raises(ProviderError, match=says) as caught:
        network.act(account, deed("connection_request", public_id))
    assert type(caught.value) is failure
    assert caught.value.sentence.endswith(".")
    if isinstance(caught.value, Throttled):
        assert caught.value.retry_after == {"429": 600, "limit": DAY}[trouble]
    if isinstance(caught.value, LoggedOut):
        assert caught.value.challenged
    assert [done.kind for done in world.log] == (["invite"] if trouble == "garbage" else [])


def test_a_message_needs_a_connection(network: InTime, account: AccountRef) -> None:
    """Final for this person."""
    with pytest.raises(Refused, match="not a connection"):
        network.act(account, deed("message", "ada", text="Hello"))


@pytest.mark.parametrize(
    ("status", "failure", "challenged"),
    [("disconnected", LoggedOut, False), ("partial", LoggedOut, True), ("errored", Unreachable, False)],
)
def test_an_account_says_how_it_stands(
    network: InTime, account: AccountRef, world: World, status: str, failure: type, challenged: bool
) -> None:
    """Before anything is read, as conversations can be read long after it was signed out."""
    world.accounts["acc_ines"].status = status
    for call in (network.status, network.reconnect, lambda ref: network.inbound(ref, "")):
        with pytest.raises(failure) as caught:
            call(account)
        assert getattr(caught.value, "challenged", False) is challenged


@ONCE
def test_an_account_that_is_gone_is_signed_out(network: InTime, account: AccountRef) -> None:
    """As one that was removed at Unipile."""
    with pytest.raises(LoggedOut, match="Connect it again"):
        network.status(replace(account, provider_ref="acc_gone"))


@ONCE
def test_a_wrong_key_costs_nobody_their_place(network: InTime, server: UnipileServer, account: AccountRef) -> None:
    """It is ours to mend: the account stays as it is and people wait. The key stands nowhere."""
    wrong = replace(account, settings=server.values("v2", key="canary-key"))
    with pytest.raises(Throttled, match="API key") as caught:
        network.act(wrong, deed("connection_request", "ada"))
    assert "canary-key" not in str(caught.value)
    assert "canary-key" not in repr(wrong)
    with pytest.raises(LoggedOut, match="not connected"):
        network.status(replace(account, settings={}))


@ONCE
def test_a_server_that_is_not_there_had_no_effect(network: InTime, account: AccountRef) -> None:
    """Nothing listens: surely nothing was done."""
    dead = replace(account, settings={"base_url": "http://127.0.0.1:9/v2", "api_key": "k"})
    with pytest.raises(Unreachable):
        network.act(dead, deed("connection_request", "ada"))


@ONCE
def test_a_slow_answer_is_unknown(server: UnipileServer, account: AccountRef, app: Flask) -> None:
    """The request had left when the time was up."""
    hasty = UnipileNetwork(HttpClient(allow_private=True, any_port=True), whole_call=0.6)
    server.world.troubles.append("wait")
    with pytest.raises(Unknown):
        hasty.act(account, deed("connection_request", "ada"))
    server.release.set()


@pytest.fixture
def service() -> UnipileService:
    """The service that a workspace connects."""
    return UnipileService(HttpClient(allow_private=True, any_port=True))


def test_the_key_is_checked(service: UnipileService, server: UnipileServer, app: Flask, generation: str) -> None:
    """With a sentence about what is there, or about what is wrong."""
    assert service.check(Credentials("unipile", server.values(generation))) == "1 of 1 LinkedIn account there can act."
    with pytest.raises(Refused, match="does not know this key"):
        service.check(Credentials("unipile", server.values(generation, key="wrong")))
    server.world.accounts.clear()
    assert service.check(Credentials("unipile", server.values(generation))) == "No LinkedIn account is there yet."


@ONCE
def test_nothing_is_done_twice_however_often_it_is_asked(network: InTime, at: At, world: World) -> None:
    """The same invitation again and again, with an answer lost in between."""
    what = deed("connection_request", "ada", intended_at=AT)
    world.troubles.append("drop")
    for _ in range(4):
        try:
            network.act(at(), what)
        except Unknown:
            network.find(at(minutes=3), what)
    assert world.log == [Done("invite", "acc_ines", "ada", "", AT)]
