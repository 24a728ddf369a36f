"""Actions whose outcome no one knows: asked after, never repeated blindly."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from app import ports
from app.core.db import transaction
from app.domain.engine import turns
from app.domain.engine.outbound import begin, reconcile, selection
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.ledger import usage
from app.domain.senders import accounts, provider_credentials
from app.models.accounts import Account
from app.models.campaigns import Campaign, LeadState
from app.models.workspaces import Workspace
from app.ports import AccountRef, LoggedOut, PersonRef, Receipt, SenderAction, Unreachable
from app.providers.sandbox.network import SandboxNetwork
from tests.domain.outreach import (
    INVITE,
    VIEW,
    a_campaign,
    acts,
    assert_counters_hold,
    forward,
    ledger,
    message,
    network,
    only,
    the_account,
)
from tests.support.movable import Movable


def die_after_intending(workspace: Workspace, *, did_it: bool) -> None:
    """A turn that ends as if the process had been killed, before or after the network heard of it."""
    at = workspace.now()
    with transaction() as current:
        account = current.scalars(
            sa.select(Account).where(Account.workspace_id == workspace.id).order_by(Account.id)
        ).first()
        assert account is not None
        choice = selection.pick_next(usage.views([account], at), at)[account.id]
        assert choice.candidate is not None
        patience = quarantine = {"sandbox": 60}
        (intent,) = begin.record_intents([(account, choice.candidate)], at, quarantine, patience)
    if did_it:
        ports.sender("sandbox").act(provider_credentials.to_account_ref(intent.account, at), intent.action)


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    return a_campaign(acme, ["accepts-ada"], [INVITE, message()])


def test_an_action_done_before_a_crash_is_found_and_counted_once(
    acme: Workspace, rival: Workspace, campaign: Campaign, clock: Movable
) -> None:
    """Not before the quarantine is over, nor while the turn may still be going on; and only on its own account."""
    theirs: Any = a_campaign(rival, ["accepts-ada"], [INVITE])
    die_after_intending(acme, did_it=True)
    assert [action.state for action in ledger(acme)] == ["sending"]
    clock.forward(seconds=30)
    turns.run(the_account(acme).id)
    assert only(campaign).reason == "in_flight"
    assert acts(acme) == [("connection_request", "accepts-ada")]
    clock.forward(seconds=29)
    assert reconcile.run_due() == 0
    for claimed, found in ((clock.at + timedelta(minutes=10), 0), (None, 1)):
        with transaction() as current:
            current.execute(sa.update(Account).values(claimed_until=claimed))
        clock.forward(minutes=2)
        assert reconcile.run_due() == found
    assert [action.state for action in ledger(acme)] == ["sent"]
    assert (only(campaign).connection, only(theirs).connection) == ("sent", "none")
    assert acts(acme) == [("connection_request", "accepts-ada")]
    assert ledger(rival) == []
    assert_counters_hold(campaign)


def test_what_was_not_done_is_done_once(acme: Workspace, campaign: Campaign, clock: Movable) -> None:
    die_after_intending(acme, did_it=False)
    assert acts(acme) == []
    clock.forward(minutes=5)
    forward(acme, hours=0.5)
    assert acts(acme) == [("connection_request", "accepts-ada")]
    first = ledger(acme)[0]
    assert (first.state, first.attempts) == ("sent", 2)
    assert_counters_hold(campaign)


def test_someone_who_was_stopped_meanwhile_stays_stopped(acme: Workspace, campaign: Campaign, clock: Movable) -> None:
    die_after_intending(acme, did_it=True)
    campaign_leads.stop(acme, campaign.id, only(campaign).id)
    clock.forward(minutes=5)
    reconcile.run_due()
    person = only(campaign)
    assert (person.state, person.connection) == (LeadState.STOPPED, "sent")
    assert_counters_hold(campaign)
    forward(acme, days=3)
    assert acts(acme) == [("connection_request", "accepts-ada")]


def test_someone_paused_in_flight_is_not_begun_again_by_resuming(
    acme: Workspace, campaign: Campaign, clock: Movable
) -> None:
    die_after_intending(acme, did_it=True)
    person = only(campaign)
    campaign_leads.pause(acme, campaign.id, person.id)
    campaign_leads.resume(acme, campaign.id, person.id)
    clock.forward(seconds=30)
    turns.run_due()
    assert acts(acme) == [("connection_request", "accepts-ada")]
    clock.forward(minutes=5)
    forward(acme, days=2)
    assert acts(acme) == [("connection_request", "accepts-ada"), ("message", "accepts-ada")]
    assert_counters_hold(campaign)


def test_what_harms_no_one_is_simply_repeated(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["cannot-tell-ada"], [VIEW])
    die_after_intending(acme, did_it=False)
    clock.forward(minutes=5)
    reconcile.run_due()
    assert [action.state for action in ledger(acme)] == ["again"]


class Silent(SandboxNetwork):
    def __init__(self, problem: Exception) -> None:
        self.problem, self.asked = problem, 0

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        self.asked += 1
        raise self.problem


def test_a_network_that_cannot_be_asked_is_asked_again_later_and_not_at_once(
    acme: Workspace, campaign: Campaign, clock: Movable
) -> None:
    """A sender that was logged out is asked when it is back."""
    die_after_intending(acme, did_it=True)
    for problem in (Unreachable("LinkedIn is not reachable."), ValueError("odd")):
        clock.forward(minutes=5)
        network(silent := Silent(problem))
        assert [reconcile.run_due(), reconcile.run_due()] == [0, 0]
        assert silent.asked == 1
    clock.forward(minutes=5)
    network(Silent(LoggedOut("Log in again.")))
    assert reconcile.run_due() == 0
    sender = the_account(acme)
    assert sender.status == "disconnected"
    network(SandboxNetwork())
    assert reconcile.run_due() == 0
    accounts.reconnect(acme, sender.id)
    assert reconcile.run_due() == 1
    assert [action.state for action in ledger(acme)] == ["sent"]
    assert only(campaign).connection == "sent"


class Slow(SandboxNetwork):
    """A network that may do it long after its answer was lost."""

    lateness = 3600

    def __init__(self) -> None:
        self.asked: list[datetime | None] = []

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """From when on it was asked is remembered."""
        self.asked.append(action.intended_at)
        return super().find(account, action)


def do_late(workspace: Workspace, campaign: Campaign) -> None:
    action, person = ledger(workspace)[-1], only(campaign)
    ref = provider_credentials.to_account_ref(the_account(workspace), workspace.now())
    handle = person.person.handle
    ports.sender("sandbox").act(ref, SenderAction(action.kind, PersonRef(handle, ""), action.token, action.text))


def test_what_a_slow_network_did_late_is_not_repeated(acme: Workspace, campaign: Campaign, clock: Movable) -> None:
    network(Slow())
    die_after_intending(acme, did_it=False)
    clock.forward(minutes=5)
    assert reconcile.run_due() == 0
    assert [action.state for action in ledger(acme)] == ["sending"]
    clock.forward(minutes=20)
    assert reconcile.run_due() == 0
    turns.run_due()
    assert acts(acme) == []
    do_late(acme, campaign)
    clock.forward(minutes=40)
    assert reconcile.run_due() == 1
    turns.run_due()
    assert acts(acme) == [("connection_request", "accepts-ada")]
    assert [(action.state, action.attempts) for action in ledger(acme)] == [("sent", 1)]


def test_a_second_attempt_looks_for_the_first(acme: Workspace, campaign: Campaign, clock: Movable) -> None:
    network(Slow())
    die_after_intending(acme, did_it=False)
    clock.forward(minutes=70)
    assert reconcile.run_due() == 1
    assert [action.state for action in ledger(acme)] == ["again"]
    do_late(acme, campaign)
    turns.run_due()
    assert acts(acme) == [("connection_request", "accepts-ada")]
    assert only(campaign).connection == "sent"
    assert_counters_hold(campaign)


def test_later_attempts_and_their_look_ups_look_for_the_first(
    acme: Workspace, campaign: Campaign, clock: Movable
) -> None:
    slow = Slow()
    network(slow)
    first = acme.now()
    for _ in range(3):
        die_after_intending(acme, did_it=False)
        clock.forward(minutes=70)
        assert reconcile.run_due() == 1
    turns.run_due()
    assert [(action.state, action.attempts) for action in ledger(acme)] == [("sent", 4)]
    assert slow.asked == [first] * 4
