"""An action whose outcome is unknown is done when its recipient answers it."""

from collections.abc import Callable
from typing import Any

import pytest

from app.core.db import transaction
from app.domain.engine.inbound import effects
from app.domain.engine.outbound.begin import Intent
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from app.ports import Accepted, Bounced, Received
from tests.domain.outreach import a_campaign, assert_counters_hold, begun, email, ledger, only, the_intent
from tests.support.movable import Movable

ADA = {"publicId": "quiet-ada", "email": "ada@people.example"}


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    return a_campaign(acme, [ADA], [email(), email("Again", "", days=3)])


@pytest.fixture
def intent(acme: Workspace, campaign: Campaign) -> Intent:
    return the_intent(begun(acme))


@pytest.fixture
def proven(acme: Workspace, intent: Intent) -> Callable[..., None]:
    """Shows the engine what came in."""

    def show(*items: Any, of: int = intent.account.id) -> None:
        with transaction() as current:
            effects.prove(current.get_one(Account, of), items)

    return show


def answer(intent: Intent, workspace: Workspace, **changed: str) -> Received:
    known = {"token": intent.action.token, "proof": "<ours@acme.example>"} | changed
    return Received("quiet-ada", "email", "Yes", workspace.now(), "<1>", **known)


def test_an_answer_shows_that_the_action_was_done(
    acme: Workspace, rival: Workspace, campaign: Campaign, clock: Movable, intent: Intent, proven: Callable[..., None]
) -> None:
    """When it was begun, not when the answer came; and only an answer to this very message of this sender does."""
    begun_at = clock.at
    clock.forward(hours=5)
    for changed in ({"token": ""}, {"token": "another"}, {"proof": ""}):
        proven(answer(intent, acme, **changed), Accepted("quiet-ada", acme.now(), "<3>"))
    proven(answer(intent, acme), of=accounts.every(rival)[0].id)
    assert [action.state for action in ledger(acme)] == ["sending"]
    proven(answer(intent, acme))
    proven(answer(intent, acme, proof="<other@acme.example>"))
    (action,) = ledger(acme)
    assert (action.state, action.provider_ref, action.at) == ("sent", "<ours@acme.example>", begun_at)
    assert only(campaign).step == 1
    assert_counters_hold(campaign)


def test_a_returned_message_shows_that_it_was_sent(
    acme: Workspace, campaign: Campaign, intent: Intent, proven: Callable[..., None]
) -> None:
    sent = Bounced("quiet-ada", acme.now(), "<2>", "No such address.", True, intent.action.token, "<ours@acme.example>")
    proven(sent)
    assert [action.state for action in ledger(acme)] == ["sent"]
