"""Waking senders: no one sleeps through the moment at which someone is due."""

from datetime import timedelta

import sqlalchemy as sa

from app.core.db import transaction
from app.domain.engine import turns
from app.domain.senders import accounts, wake
from app.models.accounts import Account
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, Meanwhile, a_campaign, acts, begun, forward, network, the_account
from tests.support.movable import Movable


def woken(workspace: Workspace, **later: float) -> None:
    account = the_account(workspace)
    with transaction():
        wake.wake_senders([account.id, None], workspace.now() + timedelta(**later))


def test_only_the_woken_sender_takes_a_turn_and_an_earlier_turn_stands(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    """A sender that slept takes a turn at that moment; no one else does."""
    woken(acme, hours=1)
    woken(acme, hours=2)
    assert the_account(acme).turn_at == clock.at + timedelta(hours=1)
    assert the_account(acme, 1).turn_at is None
    assert the_account(rival).turn_at is None
    woken(acme, minutes=5)
    assert the_account(acme).turn_at == clock.at + timedelta(minutes=5)


def test_the_pause_after_an_action_is_kept(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [VIEW])
    turns.run_due()
    free_at = the_account(acme).free_at
    assert free_at is not None
    with transaction() as current:
        ours = sa.select(Account).where(Account.workspace_id == acme.id).order_by(Account.id)
        account = current.scalars(ours).first()
        account.turn_at = None
        current.flush()
        wake.wake_senders([account.id], clock.at)
    assert the_account(acme).turn_at == free_at


def test_a_turn_that_finds_no_one_is_over_at_once(acme: Workspace, clock: Movable) -> None:
    """Whoever is added later finds the sender asleep, and wakes it."""
    woken(acme)
    found = begun(acme)
    assert (list(found.accounts), found.intended) == ([the_account(acme).id], [])
    assert (the_account(acme).turn_at, the_account(acme).claimed_until) == (None, None)
    a_campaign(acme, ["ignores-ada"], [{**VIEW, "delay": {"value": 2, "unit": "hours"}}])
    assert turns.finish_round(found) == 1
    forward(acme, hours=3)
    assert acts(acme) == [("view_profile", "ignores-ada")]


def test_a_wake_during_a_turn_that_does_nothing_is_not_lost(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE])
    sender = the_account(acme)

    def switched_off() -> None:
        accounts.switch(acme, sender.id, False)
        woken(acme, days=2)

    network(Meanwhile(reading=switched_off))
    assert turns.run_due() == 1
    assert the_account(acme).turn_at is not None
    turns.run_due()
    assert the_account(acme).turn_at is None


def test_a_turn_whose_owner_died_is_taken_up_again(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [VIEW])
    with transaction():
        assert turns.begin_round(acme.id, acme.now()).intended
    clock.forward(minutes=10)
    forward(acme, hours=1)
    assert acts(acme) == [("view_profile", "ignores-ada")]
