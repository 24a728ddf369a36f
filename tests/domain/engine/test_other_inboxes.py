"""Who could have answered elsewhere is not written to before the other inboxes were read."""

import pytest

from app.core.db import transaction
from app.domain.engine import turns
from app.domain.senders import accounts
from app.models.accounts import Account, AccountStatus, Channel
from app.models.campaigns import Campaign, LeadState
from app.models.workspaces import Workspace
from app.ports import AccountRef, Inbound, Received, Unreachable
from app.providers.sandbox.network import SandboxNetwork
from tests.domain.outreach import INVITE, a_campaign, acts, email, forward, happens, message, network, only, put
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
BEFORE = [("connection_request", "accepts-ada"), ("email", "accepts-ada")]


class Deaf(SandboxNetwork):
    """The inbox of one sender can't be read."""

    def __init__(self, account_id: int) -> None:
        self.account_id = account_id

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        if account.id == self.account_id:
            raise Unreachable("No answer.")
        return super().inbound(account, cursor)


def by_mail_first(workspace: Workspace, clock: Movable) -> Campaign:
    """Connected, and got an email; a message by the network is due now, and nothing was read for an hour."""
    campaign = a_campaign(workspace, ["accepts-ada"], [INVITE, email(), message(days=30)], senders=3)
    forward(workspace, days=2)
    assert acts(workspace) == BEFORE
    clock.forward(hours=1)
    person = only(campaign)
    due = {"next_budget": "message", "due_at": workspace.now()}
    put(campaign, step=2, state=LeadState.ACTIVE, sender_id=person.account_id, **due)
    return campaign


def mailbox(workspace: Workspace) -> Account:
    return next(one for one in accounts.every(workspace) if one.channel == Channel.EMAIL)


def test_an_answer_by_mail_stops_the_message(acme: Workspace, clock: Movable) -> None:
    campaign = by_mail_first(acme, clock)
    happens(acme, mailbox(acme), Received("accepts-ada", "email", "Yes, gladly.", acme.now(), "r1"))
    turns.run_due()
    assert acts(acme) == BEFORE
    assert (only(campaign).state, only(campaign).reason) == (LeadState.FINISHED, "replied")


def test_while_the_other_inbox_is_away_the_person_waits_and_the_sender_goes_on(acme: Workspace, clock: Movable) -> None:
    campaign = by_mail_first(acme, clock)
    network(Deaf(mailbox(acme).id))
    turns.run_due()
    assert acts(acme) == BEFORE
    person = only(campaign)
    assert (person.state, person.reason) == (LeadState.ACTIVE, "inbox_unread")
    assert mailbox(acme).name in person.error
    assert person.due_at is not None
    assert person.due_at > acme.now()
    sender = next(one for one in accounts.every(acme) if one.id == person.sender_id)
    assert sender.turn_at is not None
    assert (sender.turn_at <= acme.now(), sender.claimed_until) == (True, None)
    network(SandboxNetwork())
    clock.forward(minutes=6)
    turns.run_due()
    assert acts(acme) == [*BEFORE, ("message", "accepts-ada")]


def test_a_sender_that_was_given_up_holds_no_one(acme: Workspace, clock: Movable) -> None:
    by_mail_first(acme, clock)
    with transaction():
        mailbox(acme).status = AccountStatus.DISCONNECTED
    turns.run_due()
    assert acts(acme) == BEFORE
    accounts.switch(acme, mailbox(acme).id, active=False)
    clock.forward(minutes=6)
    turns.run_due()
    assert acts(acme) == [*BEFORE, ("message", "accepts-ada")]
