"""Unipile's adapter against a server that keeps its contract, in both generations."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from flask import Flask

from app import ports
from app.ports import AccountRef, PersonRef
from app.providers.addresses import Place, look_up
from app.providers.http import HttpClient, HttpResponse
from app.providers.unipile import UnipileService
from app.providers.unipile.failures import DAY
from app.providers.unipile.network import UnipileNetwork
from tests.providers.contract import SenderContract
from tests.providers.failing import differs, failure_of
from tests.providers.unipile.unipile_cases import ADA, AT, ONCE, At, InTime, action, person
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import Done, World
from tests.support.movable import Movable


class TestContract(SenderContract):
    @pytest.fixture
    def willing(self) -> PersonRef:
        return ADA

    @pytest.fixture
    def unwilling(self) -> PersonRef:
        return person("refuses-grace")

    def test_the_same_token_acts_once(self, network: Any, account: AccountRef, willing: PersonRef) -> None:
        """As long as the invitation is open it gets the receipt of the first; later the network refuses a second."""
        first = network.act(account, self.action(willing, "one"))
        soon = replace(account, at=account.at + timedelta(minutes=30))
        assert network.act(soon, self.action(willing, "one")) == first
        with pytest.raises(ports.AlreadyConnected):
            network.act(replace(account, at=account.at + timedelta(days=1)), self.action(willing, "one"))


def test_each_action_is_in_the_servers_log_once(network: InTime, at: At, world: World) -> None:
    begun = network.inbound(at(), "").cursor
    network.act(at(), action("connection_request", "replies-grace", text="Hello"))
    first = network.inbound(at(hours=6), begun)
    assert [(type(item), item.person) for item in first.items if not isinstance(item, ports.ByHand)] == [
        (ports.Accepted, "replies-grace")
    ]
    network.act(at(hours=6), action("message", "replies-grace", text="How are you?"))
    second = network.inbound(at(hours=9), first.cursor)
    ours, answer = second.items
    assert isinstance(ours, ports.ByHand)
    assert (ours.text, ours.kind) == ("How are you?", "message")
    assert isinstance(answer, ports.Received)
    assert (answer.person, answer.kind, answer.at) == ("replies-grace", "message", AT + timedelta(hours=8))
    assert answer.text == "Sounds great, tell me more."
    assert list(network.inbound(at(hours=9), second.cursor).items) == []
    assert [(done.kind, done.person, done.text) for done in world.log] == [
        ("invite", "replies-grace", "Hello"),
        ("message", "replies-grace", "How are you?"),
    ]


def test_who_slept_while_connecting_does_nothing(app: Flask, clock: Movable, account: AccountRef, world: World) -> None:
    """Its time was checked before; someone else may have the sender by now."""
    asked = []

    class Noting(HttpClient):
        """Says what it is about to connect for."""

        def call(self, method: str, *arguments: Any, **options: Any) -> HttpResponse:
            asked.append(method)
            return super().call(method, *arguments, **options)

    def sleeps(name: str, port: int) -> list[Place]:
        if asked[-1] == "POST":
            clock.forward(minutes=90)
        return look_up(name, port)

    network = UnipileNetwork(Noting(allow_private=True, any_port=True, resolve=sleeps), whole_call=30)
    with pytest.raises(ports.Unreachable):
        network.act(account, action("message", "connected-grace", text="Hello"))
    assert asked[-1] == "POST"
    assert world.log == []
    assert not [one for one in world.asked if one.startswith("POST")]


def test_messages_share_a_conversation_and_a_look_at_the_profile(network: InTime, at: At, world: World) -> None:
    for text in ("One", "Two"):
        network.act(at(), action("message", "connected-ada", text=text, token=text))
    assert [len(chat["said"]) for chat in world.accounts["acc_ines"].chats.values()] == [2]
    assert sum("/users/connected-ada" in line for line in world.asked) == 1
    with pytest.raises(ports.Refused, match="Only connections can be messaged"):
        network.act(at(), action("message", "ada", text="Hello"))


def test_the_small_actions(network: InTime, account: AccountRef, world: World, generation: str) -> None:
    old, can = {"is_repost": False, "permissions": {"can_react": True}}, AT - timedelta(days=3)
    world.posts["ada"] = [
        {**old, "id": "repost", "at": can + timedelta(days=2), "is_repost": True},
        {**old, "id": "closed", "at": can + timedelta(days=1), "permissions": {"can_react": False}},
        {**old, "id": "newest", "at": can},
        {**old, "id": "older", "at": AT - timedelta(days=30)},
    ]
    for kind in ("view_profile", "like_post"):
        network.act(account, action(kind, "ada"))
    network.act(account, action("inmail", "ada", text="The text", subject="The subject"))
    text = "The text" if generation == "v1" else "The subject\n\nThe text"
    done = [(one.kind, one.person, one.text) for one in world.log]
    assert done == [("visit", "ada", ""), ("like", "newest", ""), ("inmail", "ada", text)]
    if generation == "v1":
        with pytest.raises(ports.Refused, match="follow people"):
            network.act(account, action("follow", "ada"))
    else:
        network.act(account, action("follow", "ada"))
        assert world.log[-1].kind == "follow"


@ONCE
def test_nothing_to_like_is_no_fault_of_theirs(network: InTime, account: AccountRef, world: World) -> None:
    """No post, and none of the last two months: the step is passed over."""
    early = AT - timedelta(days=61)
    world.posts["ada"] = [{"id": "p", "at": early, "is_repost": False, "permissions": {"can_react": True}}]
    for public_id in ("ada", "grace"):
        with pytest.raises(ports.Refused, match="This person has no recent posts to like"):
            network.act(account, action("like_post", public_id))
    assert world.log == []


def test_an_invitation_is_taken_back_once(network: InTime, at: At, world: World) -> None:
    """However many others stand before it; one that is not open cannot be."""
    network.act(at(), action("connection_request", "ada"))
    others = [{"id": f"i{number}", "person": f"p{number}", "at": AT, "text": ""} for number in range(45)]
    world.accounts["acc_ines"].invitations[:0] = others
    network.act(at(days=21), action("withdraw", "ada"))
    assert [done.kind for done in world.log] == ["invite", "withdraw"]
    with pytest.raises(ports.Refused, match="No pending connection request to this person"):
        network.act(at(days=21), action("withdraw", "ada"))


def test_an_open_invitation_counts_as_sent(network: InTime, at: At, world: World) -> None:
    """Whoever sent it: the network refuses a second one, and the aim is true."""
    ines = world.accounts["acc_ines"]
    ines.invitations.append({"id": "by-hand", "person": "ada", "at": AT - timedelta(days=2), "text": ""})
    assert network.act(at(), action("connection_request", "ada")) == ports.Receipt("by-hand", AT - timedelta(days=2))
    assert world.log == []


@ONCE
def test_every_trouble_has_its_meaning(network: InTime, account: AccountRef, world: World) -> None:
    """A sentence that ends, and nothing done but what no one can know."""
    for trouble, public_id, kind, says in (
        ("429", "ada", ports.Throttled, "request limit for this account has been reached."),
        ("limit", "ada", ports.Throttled, "connection request limit has been reached for now."),
        ("500", "ada", ports.Unknown, "returned 500"),
        ("", "connected-ada", ports.AlreadyConnected, "lready connected"),
        ("", "refuses-ada", ports.Refused, "connect with this person"),
        ("", "nobody-ada", ports.Refused, "LinkedIn can"),
        ("garbage", "ada", ports.Unknown, "not JSON"),
        ("challenge", "grace", ports.LoggedOut, "security check"),
    ):
        world.troubles.extend([trouble] if trouble else [])
        found = failure_of(partial(network.act, account, action("connection_request", public_id)))
        assert type(found) is kind
        assert not differs(found, kind, says), found
        if isinstance(found, ports.Throttled):
            assert found.retry_after == {"429": 600, "limit": DAY}[trouble]
        if isinstance(found, ports.LoggedOut):
            assert found.challenged
    assert [done.kind for done in world.log] == ["invite"]


def test_an_account_says_how_it_stands(network: InTime, account: AccountRef, world: World) -> None:
    """Before anything is read, as conversations can be read long after it was signed out; one that is gone, too."""
    for status, failure, challenged in (
        ("disconnected", ports.LoggedOut, False),
        ("partial", ports.LoggedOut, True),
        ("errored", ports.Unreachable, False),
    ):
        world.accounts["acc_ines"].status = status
        for call in (network.status, network.reconnect, lambda ref: network.inbound(ref, "")):
            found = failure_of(partial(call, account))
            assert type(found) is failure
            assert getattr(found, "challenged", False) is challenged
    with pytest.raises(ports.LoggedOut, match="Connect it again"):
        network.status(replace(account, provider_ref="acc_gone"))


@ONCE
def test_a_wrong_key_costs_no_one_their_place(network: InTime, server: UnipileServer, account: AccountRef) -> None:
    """It is ours to mend: the account stays as it is and people wait. No one sees the key."""
    wrong = replace(account, settings=server.values("v2", key="canary-key"))
    with pytest.raises(ports.Throttled, match="API key") as caught:
        network.act(wrong, action("connection_request", "ada"))
    assert "canary-key" not in str(caught.value)
    assert "canary-key" not in repr(wrong)
    with pytest.raises(ports.LoggedOut, match="not connected"):
        network.status(replace(account, settings={}))
    nowhere = replace(account, settings={"base_url": "http://127.0.0.1:9/v2", "api_key": "k"})
    with pytest.raises(ports.Unreachable):
        network.act(nowhere, action("connection_request", "ada"))


def test_the_key_is_checked(server: UnipileServer, app: Flask, generation: str) -> None:
    service = UnipileService(HttpClient(allow_private=True, any_port=True), any_host=True)
    assert service.check(ports.Credentials("unipile", server.values(generation))) == "1 of 1 LinkedIn account ready."
    with pytest.raises(ports.Refused, match="rejected this API key"):
        service.check(ports.Credentials("unipile", server.values(generation, key="wrong")))
    server.world.accounts.clear()
    assert service.check(ports.Credentials("unipile", server.values(generation))) == "No LinkedIn account yet."


@ONCE
def test_nothing_is_done_twice_however_often_it_is_asked(network: InTime, at: At, world: World) -> None:
    what = action("connection_request", "ada", intended_at=AT)
    world.troubles.append("drop")
    for _ in range(4):
        try:
            network.act(at(), what)
        except ports.Unknown:
            network.find(at(minutes=3), what)
    assert world.log == [Done("invite", "acc_ines", "ada", "", AT)]


def test_a_key_goes_to_listed_hosts_only() -> None:
    """Another address would be given the key, and whatever it answers would be believed."""
    service = UnipileService(HttpClient(), ("proxy.acme.example",))
    for address in ("https://api.unipile.com.evil.example/v2", "https://evil.example:13443", "none"):
        with pytest.raises(ports.Refused, match="OVERTURE_UNIPILE_HOSTS"):
            service.check(ports.Credentials("unipile", {"base_url": address, "api_key": "secret"}))
