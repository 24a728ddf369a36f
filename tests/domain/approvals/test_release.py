"""Approved texts on their way: the gate before sending, lost answers, refusals, and who leaves during the call."""

import pytest
import sqlalchemy as sa

from app.core.db import transaction
from app.domain.approvals import approvals, bulk
from app.domain.approvals import release as approval_release
from app.domain.engine import turns
from app.domain.engine.outbound import reconcile
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.senders import accounts
from app.models.approvals import ApprovalStatus
from app.models.campaigns import Campaign, CampaignLead, LeadState
from app.models.workspaces import Workspace
from app.ports import AccountRef, Receipt, Refused, SenderAction, Unknown
from app.providers.sandbox.network import SandboxNetwork
from tests.domain.outreach import (
    INVITE,
    Meanwhile,
    acts,
    assert_counters_hold,
    email,
    forward,
    ledger,
    message,
    network,
    only,
    the_account,
)
from tests.domain.reviewing import drafts, held, sent, the_draft
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
A = ApprovalStatus


class Answers(SandboxNetwork):
    """The sandbox network, whose answer to what reaches a person is this failure, before or after it was done."""

    def __init__(self, failure: Exception, *, did_it: bool = False) -> None:
        self.failure, self.did_it = failure, did_it

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        if self.did_it:
            super().act(account, action)
        raise self.failure


def let_go(workspace: Workspace, text: str = "One\n---\nTwo") -> Campaign:
    campaign = held(workspace, ["accepts-ada"], [INVITE, message("Hello"), message("Again", days=1)])
    forward(workspace, hours=5)
    approvals.edit(workspace, the_draft(workspace).id, text=text, approve=True)
    return campaign


def test_an_approved_draft_is_released_after_the_undo_period(acme: Workspace, clock: Movable) -> None:
    campaign = let_go(acme)
    draft = the_draft(acme, A.APPROVED)
    release = approval_release.load([draft.id, None])[draft.id]
    assert release.parts == ["One", "Two"]
    assert not release.may_go(1, acme.now())
    assert release.may_go(1, acme.now() + approvals.UNDO)
    assert not release.may_go(0, acme.now() + approvals.UNDO)
    forward(acme, hours=1)
    assert sent(acme) == ["One", "Two"]
    assert [one.status for one in drafts(acme)] == [A.DONE, A.PENDING]
    assert_counters_hold(campaign)


def test_what_is_due_without_an_approval_is_held_all_the_same(acme: Workspace, clock: Movable) -> None:
    """Whatever made them due: the gate writes the draft that is missing, and puts back who waits."""
    campaign = held(acme, ["quiet-ada"], [email()])
    for columns in ({"approval_id": None}, {}):
        with transaction() as current:
            current.execute(sa.update(CampaignLead).values(due_at=acme.now(), reason="", **columns))
            current.execute(sa.text("UPDATE account SET turn_at = created_at"))
        turns.run_due()
        person = only(campaign)
        assert (person.due_at, person.reason) == (None, "awaiting_approval")
        assert person.approval_id is not None
    assert acts(acme) == []


def test_a_text_that_was_begun_ends_though_approval_was_switched_on(acme: Workspace) -> None:
    campaign = held(acme, ["accepts-ada"], [INVITE, message("One\n---\nTwo")], approval=False)
    network(Meanwhile(acting=lambda: _switch_on_at_a_message(acme, campaign)))
    forward(acme, days=1)
    assert sent(acme) == ["One", "Two"]
    assert drafts(acme) == []


def _switch_on_at_a_message(workspace: Workspace, campaign: Campaign) -> None:
    if any(action.kind == "message" for action in ledger(workspace)):
        bulk.switch(workspace, campaign.id, True)


def test_a_refusal_ends_the_draft_too(acme: Workspace) -> None:
    campaign = let_go(acme)
    network(Answers(Refused("They do not take messages.")))
    forward(acme, hours=1)
    assert only(campaign).state == LeadState.FAILED
    assert the_draft(acme, A.SKIPPED).reason == "refused"
    assert only(campaign).approval_id is None


@pytest.mark.parametrize("did_it", [True, False])
def test_a_lost_answer_is_asked_after(acme: Workspace, clock: Movable, did_it: bool) -> None:
    """Both parts go out once, as approved, whatever the answer to the first."""
    campaign = let_go(acme)
    clock.forward(minutes=20)
    network(Answers(Unknown("No answer."), did_it=did_it))
    turns.run_due()
    assert the_draft(acme, A.APPROVED).text == "One\n---\nTwo"
    with pytest.raises(Exception, match="being sent"):
        approvals.undo(acme, the_draft(acme, A.APPROVED).id)
    network(SandboxNetwork())
    clock.forward(minutes=20)
    reconcile.run_due()
    forward(acme, hours=2)
    assert sent(acme) == ["One", "Two"]
    assert [kind for kind, _ in acts(acme)] == ["connection_request", "message", "message"]
    assert the_draft(acme, A.DONE).done_at is not None
    assert_counters_hold(campaign)


def test_who_is_stopped_during_the_call_was_written_to(acme: Workspace) -> None:
    """The draft went stale, and then turned out to have been sent."""
    campaign = let_go(acme, "Only one")
    person = only(campaign)
    network(Meanwhile(acting=lambda: campaign_leads.stop(acme, campaign.id, person.id)))
    forward(acme, hours=1)
    draft = the_draft(acme, A.DONE)
    assert draft.reason == ""
    assert only(campaign).state == LeadState.STOPPED
    assert drafts(acme, A.PENDING) == []


def test_parts_are_counted_as_approved(acme: Workspace) -> None:
    """No one gets half of a text today because the template has fewer messages."""
    held(acme, ["accepts-ada", "accepts-bob"], [INVITE, message("Hello")])
    accounts.edit(acme, the_account(acme).id, limits={"message": 10})
    forward(acme, hours=6)
    for draft in drafts(acme, A.PENDING):
        approvals.edit(acme, draft.id, text="\n---\n".join("abcdefg"), approve=True)
    forward(acme, hours=12)
    assert "".join(sent(acme)) == "abcdefg"
    forward(acme, days=2)
    assert "".join(sent(acme)) == "abcdefg" * 2
