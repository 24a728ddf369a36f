"""What Unipile's adapter hears, and what it finds of actions whose answer was lost."""

from datetime import timedelta

import pytest
from flask import Flask

from app.ports import Accepted, AccountRef, PersonRef, ProviderError, SenderAction, Unknown, Unreachable
from app.providers.http import HttpClient
from app.providers.unipile import UnipileNetwork
from tests.providers.unipile.unipile_cases import AT, ONCE, At, InTime, action
from tests.providers.unipile.unipile_server import UnipileServer
from tests.providers.unipile.unipile_world import World, member_id


def test_a_reply_is_heard_once_as_text_that_can_be_kept(network: InTime, at: At, world: World) -> None:
    """Whatever was cut in the middle of a character, or holds none; what was said before we began is not heard."""
    world.say(world.accounts["acc_ines"], "ada", "Old news")
    begun = network.inbound(at(minutes=1), "").cursor
    world.now = lambda: AT + timedelta(hours=1)
    world.say(world.accounts["acc_ines"], "ada", "Hello \0 there \ud83e")
    found = network.inbound(at(hours=2), begun)
    assert [(item.person, item.text) for item in found.items] == [("ada", "Hello � there �")]  # type: ignore[union-attr]
    assert list(network.inbound(at(hours=8), found.cursor).items) == []


def test_people_known_by_the_networks_own_name(network: InTime, at: At, world: World) -> None:
    """A profile address may hold it; what comes in then carries it as the other name."""
    own = member_id("replies-ada")
    world.people[own] = "replies-ada"
    begun = network.inbound(at(), "").cursor
    ada = PersonRef(own.casefold(), f"https://www.linkedin.com/in/{own}/")
    network.act(at(), SenderAction("connection_request", ada, "t"))
    accepted = [item for item in network.inbound(at(hours=6), begun).items if isinstance(item, Accepted)]
    assert [(one.person, one.alias) for one in accepted] == [("replies-ada", own.casefold())]


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


def test_an_action_whose_answer_was_lost_is_looked_for(network: InTime, at: At, world: World) -> None:
    """For us the call looks the same: either it was done, at that moment, or it is surely not there."""
    for number, (kind, name) in enumerate((("connection_request", "ada"), ("message", "connected-ada")), 1):
        what = action(kind, name, text="Hello  there", intended_at=AT)
        for trouble, done in (("lose", False), ("drop", True)):
            world.troubles.append(trouble)
            with pytest.raises(Unknown):
                network.act(at(), what)
            found = network.find(at(minutes=3), what)
            assert (found and found.at) == (AT if done else None)
        assert len(world.log) == number


@ONCE
def test_only_the_very_message_counts_as_found(network: InTime, at: At, world: World) -> None:
    """Not an earlier one with the same words, nor theirs. Words that the network altered are left to a human, as
    something of ours was written since, and it may be this."""
    network.act(at(), action("message", "connected-ada", text="Hello"))
    world.now = lambda: AT + timedelta(days=1)
    world.say(world.accounts["acc_ines"], "connected-ada", "Hello")
    later = action("message", "connected-ada", text="Hello", intended_at=AT + timedelta(days=1))
    assert network.find(at(days=1, minutes=3), later) is None
    what = action("message", "connected-bo", text="Hello & welcome", intended_at=AT + timedelta(days=1))
    world.troubles.append("drop")
    with pytest.raises(Unknown):
        network.act(at(days=1), what)
    chat = next(one for one in world.accounts["acc_ines"].chats.values() if one["person"] == "connected-bo")
    chat["said"][0]["text"] = "Hello &amp; welcome"
    with pytest.raises(Unknown, match="another followed"):
        network.find(at(days=1, minutes=3), what)


def test_an_inmail_is_never_taken_for_not_sent(network: InTime, at: At, world: World) -> None:
    """It costs, so that a human looks. An invitation that was accepted at once is not among the open ones any more."""
    what, invitation = (
        action("inmail", "ada", text="Text", subject="Subject", intended_at=AT),
        action("connection_request", "ada", intended_at=AT),
    )
    with pytest.raises(Unknown):
        network.find(at(), what)
    for lost in (what, invitation):
        world.troubles.append("drop")
        with pytest.raises(Unknown):
            network.act(at(), lost)
    world.accept(world.accounts["acc_ines"], "ada")
    assert network.find(at(minutes=3), what)
    assert network.find(at(minutes=3), invitation)


@ONCE
def test_a_slow_answer_is_unknown(server: UnipileServer, account: AccountRef, app: Flask) -> None:
    """The request had left when the time was up."""
    hasty = UnipileNetwork(HttpClient(allow_private=True, any_port=True), whole_call=1.5)
    server.world.troubles.append("wait")
    with pytest.raises(Unknown):
        hasty.act(account, action("connection_request", "ada"))
    server.release.set()


def test_an_unreadable_message_is_set_aside_and_the_next_is_heard(network: InTime, at: At, world: World) -> None:
    """Whatever the network forwards from a stranger, the account goes on hearing."""
    begun, ines = network.inbound(at(), "").cursor, world.accounts["acc_ines"]
    world.now = lambda: AT + timedelta(hours=1)
    world.say(ines, "mallory", "Trap")["id"] = None
    world.say(ines, "ada", "Hello")
    found = network.inbound(at(hours=2), begun)
    assert [item.person for item in found.items] == ["ada"]
    assert len(found.unreadable) == 1
    assert list(network.inbound(at(hours=2), found.cursor).items) == []


def test_a_conversation_that_the_network_cannot_give_holds_no_other(network: InTime, at: At, world: World) -> None:
    """It is asked for again for an hour, then it is told."""
    begun, ines = network.inbound(at(), "").cursor, world.accounts["acc_ines"]
    world.now = lambda: AT + timedelta(hours=1)
    broken = world.say(ines, "mallory", "Trap")["chat"]
    next(one for one in ines.chats.values() if one["id"] == broken)["id"] = "gone"
    world.now = lambda: AT + timedelta(hours=1, minutes=5)
    world.say(ines, "ada", "Hello")
    first = network.inbound(at(hours=1, minutes=20), begun)
    assert ([item.person for item in first.items], list(first.unreadable)) == (["ada"], [])
    world.now = lambda: AT + timedelta(hours=1, minutes=30)
    world.say(ines, "bo", "Hello")
    second = network.inbound(at(hours=1, minutes=40), first.cursor)
    assert "bo" in [item.person for item in second.items]
    third = network.inbound(at(hours=3), second.cursor)
    assert [one.why for one in third.unreadable] == ["Unreachable"]
    assert network.inbound(at(hours=4), third.cursor).unreadable == []


@ONCE
def test_what_cannot_be_read_is_not_taken_for_nothing(network: InTime, at: At, world: World) -> None:
    """For a lookup it may be the very message, and a page without one readable item is a changed format."""
    begun, ines = network.inbound(at(), "").cursor, world.accounts["acc_ines"]
    world.now = lambda: AT + timedelta(minutes=30)
    for _ in range(3):
        world.say(ines, "ada", "Hello")["id"] = None
    said = SenderAction("message", PersonRef("ada", "https://www.linkedin.com/in/ada"), "t", text="Hello")
    with pytest.raises(ProviderError):
        network.find(at(hours=1), said)
    with pytest.raises(Unreachable):
        network.inbound(at(hours=2), begun)
