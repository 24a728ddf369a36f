"""The inbox: taken in once, whoever reads it and however often, and always before anyone hears from us."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.engine import turns
from app.domain.engine.inbound import poll
from app.domain.ledger import usage
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts, provider_credentials, unreadable
from app.models.accounts import Account
from app.models.campaigns import LeadState
from app.models.conversations import Conversation, Message
from app.models.ledger import Action
from app.models.webhooks import Event
from app.models.workspaces import Workspace
from app.ports import AccountRef, Bounced, ByHand, Inbound, LoggedOut, Received, Unreachable
from app.providers.sandbox.network import SandboxNetwork
from tests.domain.outreach import (
    INVITE,
    Meanwhile,
    a_campaign,
    acts,
    assert_counters_hold,
    email,
    events,
    everyone,
    forward,
    happens,
    message,
    network,
    only,
    takes_in,
    the_account,
    told,
)
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")


def said(workspace: Workspace, person: str = "ignores-ada", text: str = "Sounds great.", kind: str = "message") -> Any:
    return Received(person, kind, text, workspace.now(), f"{person}|{text}")


def read(workspace: Workspace, number: int = 0) -> set[int]:
    return poll.poll([the_account(workspace, number)], workspace.now())


def everything(workspace: Workspace) -> dict[str, list[Any]]:
    found = {}
    for model in (Account, Conversation, Message, Action, Event):
        query = sa.select(*model.__table__.c).where(model.__table__.c.workspace_id == workspace.id)
        found[model.__tablename__] = sorted(map(repr, session().connection().execute(query)))
    end_read()
    return found


class Broken(SandboxNetwork):
    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        raise self.problem


def test_a_reply_finishes_the_person_once_and_each_further_one_is_told(acme: Workspace, rival: Workspace) -> None:
    campaign, theirs = a_campaign(acme, ["ignores-ada"]), a_campaign(rival, ["ignores-ada"])
    forward(acme, hours=1)
    happens(acme, the_account(acme), said(acme))
    assert read(acme) == set()
    assert (only(campaign).state, only(campaign).replied, only(campaign).sentiment) == ("finished", True, "positive")
    assert only(theirs).state == LeadState.PENDING
    assert events(rival) == {"campaign_started": 1}
    for text in ("Are you there?", "Not interested any more."):
        takes_in(acme, the_account(acme), said(acme, text=text))
    told = events(acme)
    assert (told["every_reply"], told["message_reply"]) == (3, 1)
    stats = assert_counters_hold(campaign)
    assert (stats.replies, stats.positive, stats.negative) == (1, 0, 1)  # as the inbox shows them


def test_the_same_inbox_read_twice_or_by_two_at_once_changes_nothing(acme: Workspace) -> None:
    a_campaign(acme, ["ignores-ada"])
    forward(acme, hours=1)
    sender = the_account(acme)
    happens(acme, sender, said(acme))
    first = SandboxNetwork().inbound(provider_credentials.to_account_ref(sender, acme.now()), sender.inbound_cursor)
    slow = the_account(acme)
    session().expunge(slow)
    assert poll.ingest(slow, first, acme.now())
    before = everything(acme)
    assert not poll.ingest(slow, first, acme.now())
    read(acme)
    assert everything(acme) == before


def test_the_same_items_under_another_cursor_change_nothing(acme: Workspace) -> None:
    """A network may give out an item again; its own id says that it is known."""
    campaign = a_campaign(acme, ["accepts-ada", "bounces-bob"], [INVITE, email()], senders=3)
    forward(acme, days=1)
    items = [
        said(acme, "accepts-ada"),
        said(acme, "accepts-ada", "Out of office until 9 March."),
        Bounced("bounces-bob", acme.now(), "bounce", "There is no such mailbox.", True, ""),
        ByHand("ignores-eve", "message", acme.now(), "by-hand"),
    ]
    for sender in range(3):
        takes_in(acme, the_account(acme, sender), *items)
    before = everything(acme)
    for sender in range(3):
        takes_in(acme, the_account(acme, sender), *items)
    assert everything(acme) == before
    assert_counters_hold(campaign)


def test_what_came_in_while_someone_else_was_faster_is_read_at_once(acme: Workspace) -> None:
    """The other one saw the first message; the second arrived between the two looks."""
    campaign = a_campaign(acme, ["ignores-ada"])
    forward(acme, hours=1)
    sender = the_account(acme)
    happens(acme, sender, Received("ignores-eve", "message", "Hello", acme.now(), "first"))
    stale = the_account(acme)
    session().expunge(stale)
    read(acme)
    happens(acme, sender, said(acme))
    assert poll.poll([stale], acme.now()) == set()
    assert only(campaign).replied


def test_someone_unknown_begins_a_conversation_and_nothing_else(acme: Workspace) -> None:
    happens(acme, the_account(acme), said(acme, "zoe-zhang", "Hello, who are you?"))
    read(acme)
    assert events(acme) == {"every_reply": 1}
    thread = session().scalars(sa.select(Conversation)).one()
    assert (thread.person.handle, thread.unread, thread.campaign_id, thread.lead_id) == ("zoe-zhang", 1, None, None)


def test_an_answer_after_the_end_counts_and_changes_no_state(acme: Workspace) -> None:
    """Also of someone who was excluded on the way."""
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message(days=1)])
    forward(acme, hours=4)
    never_contact.add(acme, ["accepts-bob@example.com"])
    forward(acme, days=10)
    expected = {"accepts-ada": (LeadState.FINISHED, "no_reply"), "accepts-bob": (LeadState.EXCLUDED, "never_contact")}
    for who, stands in expected.items():
        takes_in(acme, the_account(acme), said(acme, who))
        person = everyone(campaign)[who]
        assert ((person.state, person.reason), person.replied) == (stands, True)
    assert assert_counters_hold(campaign).replies == 2


def test_an_answer_on_one_channel_ends_the_steps_of_the_other(acme: Workspace) -> None:
    steps = [INVITE, email(), message(days=1), email(days=1)]
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], steps, senders=3)
    forward(acme, hours=4)
    takes_in(acme, the_account(acme), said(acme, "accepts-ada"))
    takes_in(acme, the_account(acme, 2), said(acme, "accepts-bob", kind="email"))
    before = acts(acme)
    forward(acme, days=10)
    assert acts(acme) == before
    assert {person.reason for person in everyone(campaign).values()} == {"replied"}
    assert_counters_hold(campaign)


def test_a_person_who_writes_to_another_sender_is_left_to_that_one(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message(days=1)])
    forward(acme, hours=3)
    takes_in(acme, the_account(acme, 1), said(acme, "accepts-ada"))
    assert (only(campaign).state, only(campaign).reason) == (LeadState.STOPPED, "other_conversation")
    assert_counters_hold(campaign)


def test_a_dead_address_is_not_written_to_again_and_a_full_mailbox_is(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["bounces-ada", "soft-bounces-bob"], [email(), email(days=1)], senders=3)
    forward(acme, days=3)
    assert sorted(acts(acme)) == [("email", "bounces-ada"), *[("email", "soft-bounces-bob")] * 2]
    people = everyone(campaign)
    dead = people["bounces-ada"]
    assert (dead.state, dead.reason, dead.error != "") == (LeadState.FAILED, "bounced", True)
    assert [(one.kind, one.value) for one in session().scalars(never_contact.page(acme, ""))] == [
        ("email", "bounces-ada@example.com")
    ]
    assert people["soft-bounces-bob"].next_budget == "end"
    assert_counters_hold(campaign)


def test_what_was_done_by_hand_counts_for_limits_and_not_for_acceptance(acme: Workspace, rival: Workspace) -> None:
    sender, at = the_account(acme), acme.now() - timedelta(days=20)
    for number in range(30):
        happens(acme, sender, ByHand(f"old-{number}", "connection_request", at, f"old-{number}"))
    for number in range(sender.limits["invite"]):
        happens(acme, sender, ByHand(f"zoe-{number}", "connection_request", acme.now(), f"hand-{number}"))
    happens(acme, sender, ByHand("zoe", "endorsed", acme.now(), "hand-unknown"))
    read(acme)
    assert usage.usage_of([sender], acme.now())[sender.id].day["invite"].count == sender.limits["invite"]
    assert the_account(acme).health["decided"] == 0
    a_campaign(acme, ["ignores-ada"], [INVITE])
    forward(acme, hours=12)
    assert acts(acme) == []
    forward(acme, days=1)
    assert acts(acme) == [("connection_request", "ignores-ada")]
    assert the_account(rival).health == {}


def test_an_answer_that_arrives_before_the_message_goes_out_stops_it(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [email()], senders=3)
    mailbox = the_account(acme, 2)
    wrote = said(acme, kind="email")
    network(Meanwhile(reading=lambda: happens(acme, mailbox, wrote)))
    turns.run_due()
    assert acts(acme) == []
    assert (only(campaign).state, only(campaign).reason) == (LeadState.STOPPED, "replied")


def test_nothing_is_said_while_the_inbox_cannot_be_read(acme: Workspace, clock: Movable) -> None:
    """A sender that was logged out says so."""
    campaign = a_campaign(acme, ["ignores-ada"], [email()], senders=3)
    network(Broken(Unreachable("LinkedIn is not reachable.")))
    turns.run_due()
    assert acts(acme) == []
    assert only(campaign).state == LeadState.PENDING
    assert the_account(acme, 2).turn_at == clock.at + timedelta(minutes=5)
    clock.forward(minutes=5)
    network(Broken(LoggedOut("Log in again.")))
    turns.run_due()
    mailbox = the_account(acme, 2)
    assert (mailbox.status, mailbox.status_reason, mailbox.turn_at) == ("disconnected", "Log in again.", None)
    assert acts(acme) == []
    network(SandboxNetwork())
    accounts.reconnect(acme, mailbox.id)
    forward(acme, hours=1)
    assert acts(acme) == [("email", "ignores-ada")]


def test_a_sender_switched_off_while_its_inbox_was_read_does_nothing(acme: Workspace) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE])
    sender = the_account(acme)
    network(Meanwhile(reading=lambda: accounts.switch(acme, sender.id, False)))
    turns.run_due()
    assert acts(acme) == []
    network(SandboxNetwork())
    accounts.switch(acme, sender.id, True)
    forward(acme, hours=1)
    assert acts(acme)[0] == ("connection_request", "ignores-ada")


def test_someone_who_took_the_sender_over_meanwhile_keeps_it(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE])
    taken = clock.at + timedelta(minutes=7)

    def take_over() -> None:
        with transaction() as current:
            current.execute(sa.update(Account).where(Account.id == sender.id).values(claimed_until=taken))

    sender = the_account(acme)
    network(Meanwhile(reading=take_over))
    turns.run_due()
    assert acts(acme) == []
    assert the_account(acme).claimed_until == taken


def test_each_inbox_is_read_every_five_minutes_though_one_adapter_breaks(acme: Workspace, clock: Movable) -> None:
    sender = the_account(acme)

    class HalfBroken(SandboxNetwork):
        def inbound(self, account: AccountRef, cursor: str) -> Inbound:
            if account.id == sender.id:
                raise ValueError("not what was expected")
            return super().inbound(account, cursor)

    happens(acme, the_account(acme, 1), said(acme, "zoe-zhang", "Hello"))
    network(HalfBroken())
    assert poll.poll_due() == 3
    assert events(acme) == {"every_reply": 1}
    assert poll.poll_due() == 0
    clock.forward(minutes=5)
    assert poll.poll_due() == 3


def test_an_item_that_cannot_be_taken_in_is_set_aside_and_the_rest_goes_on(acme: Workspace) -> None:
    """Of the same sender and of others; the cursor moves, and the item is shown once however often it is read."""
    first, second = the_account(acme), the_account(acme, 1)
    happens(acme, second, said(acme, "zoe-zhang", "Hello"))

    class Odd(SandboxNetwork):
        def inbound(self, account: AccountRef, cursor: str) -> Inbound:
            found = super().inbound(account, cursor)
            odd: Any = replace(said(acme, "zoe"), text=None)
            good = said(acme, "bo-berg", "Good morning")
            return Inbound([odd, good], cursor + "further") if account.id == first.id else found

    network(Odd())
    poll.poll_due()
    assert events(acme) == {"every_reply": 2}
    assert the_account(acme).inbound_cursor == "further"
    (aside,) = unreadable.of_account(acme, first.id)
    assert (aside.sender, aside.ref) == ("zoe", "zoe|Sounds great.")
    read(acme)
    assert len(unreadable.of_account(acme, first.id)) == 1
    assert the_account(acme).unread_since is None


def test_news_of_senders_that_are_switched_off_are_still_read(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["ignores-ada"])
    forward(acme, hours=1)
    accounts.switch(acme, the_account(acme).id, False)
    happens(acme, the_account(acme), said(acme))
    poll.poll_due()
    assert everyone(campaign)["ignores-ada"].replied


def test_absences_and_replies_that_want_out_are_told_as_such(acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message(days=9)])
    forward(acme, days=1)
    takes_in(acme, the_account(acme), said(acme, "accepts-ada", "Out of office until 9 March."))
    (data,) = told(acme, "out_of_office")
    assert data["absence"]["until"].startswith("2026-03-")
    assert (data["campaign"]["id"], data["lead"]["publicId"]) == (campaign.id, "accepts-ada")
    assert data["message"]["text"] == "Out of office until 9 March."
    assert told(acme, "every_reply") == []
    takes_in(acme, the_account(acme), said(acme, "accepts-bob", "Please unsubscribe me."))
    (data,) = told(acme, "unsubscribed")
    assert data["unsubscription"] == {"how": "reply", "address": "accepts-bob@example.com"}
    assert data["lead"]["publicId"] == "accepts-bob"
