"""Personal notes of a free account: few a month."""

from datetime import timedelta

import pytest

from app.core.db import transaction
from app.domain.ledger import usage
from app.models.accounts import Account
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, ledger, the_account

pytestmark = pytest.mark.usefixtures("clock")
NOTED = {**INVITE, "message": "Hello {{first_name|there}}"}


def allow(workspace: Workspace, number: int | None) -> Account:
    sender_id = the_account(workspace).id
    with transaction() as current:
        sender = current.get_one(Account, sender_id)
        sender.monthly_notes = number
    return sender


def test_the_first_invitations_of_the_month_carry_the_note(acme: Workspace, rival: Workspace) -> None:
    """By the sender's own calendar; what a stranger sent takes nothing away."""
    allow(acme, 2)
    allow(rival, 9)
    a_campaign(rival, ["ignores-zoe"], [NOTED])
    a_campaign(acme, ["ignores-ada", "ignores-bob", "ignores-eve"], [NOTED])
    forward(rival, days=1)
    forward(acme, days=1)
    assert [bool(action.text) for action in ledger(acme)] == [True, True, False]
    assert usage.notes_left(the_account(acme), acme.now()) == 0
    assert usage.notes_left(the_account(rival), rival.now()) == 8
    next_month = (acme.now().replace(day=1) + timedelta(days=32)).replace(day=1)
    assert usage.notes_left(the_account(acme), next_month) == 2


def test_the_shortage_is_told_beforehand_and_an_account_without_a_limit_has_none(acme: Workspace) -> None:
    sender = allow(acme, 3)
    said = usage.note_shortage([NOTED], [sender], acme.now())
    assert f"{sender.name} 3." in said
    assert usage.note_shortage([INVITE], [sender], acme.now()) == ""
    assert usage.note_shortage([NOTED], [allow(acme, None)], acme.now()) == ""
    allow(acme, None)
    a_campaign(acme, ["ignores-ada", "ignores-bob"], [NOTED])
    forward(acme, days=1)
    assert [bool(action.text) for action in ledger(acme)] == [True, True]
    assert usage.notes_left(the_account(acme), acme.now()) is None
