"""What a reviewer sees beside a draft."""

from datetime import timedelta

import pytest

from app.core.db import session
from app.domain.approvals import approvals, review
from app.domain.approvals.approvals import Filters
from app.domain.campaigns import campaigns
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.senders import accounts
from app.models.workspaces import User, Workspace
from tests.domain.outreach import INVITE, email, forward, message, only
from tests.domain.reviewing import drafts, held, opener, the_draft
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
PENDING = Filters(status="pending")


def test_a_review_shows_history_send_time_and_what_follows_a_skip(acme: Workspace) -> None:
    campaign = held(acme, ["accepts-ada"], [INVITE, message("Hello", days=1), email("Then", "Subject", days=2)])
    forward(acme, hours=5)
    row = approvals.get(acme, the_draft(acme).id)
    assert [entry.kind for entry in review.history(acme, row)] == ["connection_request", "accepted"]
    why = review.send_estimates(acme, [row])[row.Approval.id]
    assert why is not None
    assert (why.code, why.until) == ("not_due", row.Approval.due_at)
    after = review.next_if_skipped(acme, row)
    assert (after.step, after.due_at) == (2, acme.now() + timedelta(days=2))
    assert only(campaign).step == 1


def test_what_keeps_a_draft_from_being_sent_is_named_before_the_decision(acme: Workspace) -> None:
    draft = opener(acme)

    def why() -> str:
        found = review.send_estimates(acme, [approvals.get(acme, draft.id)])[draft.id]
        assert found is None or found.until is None
        return found.code if found else ""

    assert why() == ""
    accounts.switch(acme, draft.sender_id or 0, False)
    assert why() == "account_inactive"
    accounts.switch(acme, draft.sender_id or 0, True)
    campaigns.pause(acme, draft.campaign_id)
    assert why() == "campaign_paused"
    campaigns.resume(acme, draft.campaign_id)
    campaign_leads.pause(acme, draft.campaign_id, draft.campaign_lead_id)
    assert why() == "paused_by_you"


def test_neighbours_are_those_of_the_same_view(acme: Workspace, rival: Workspace) -> None:
    held(acme, ["quiet-ada", "quiet-bob", "quiet-cleo"], [email()])
    opener(rival)
    first, second, third = (draft.id for draft in drafts(acme))
    assert review.previous_and_next(acme, PENDING, second) == (third, first)
    assert review.previous_and_next(acme, PENDING, first) == (second, None)
    approvals.skip(acme, second)
    assert review.previous_and_next(acme, PENDING, second) == (third, first)
    assert review.previous_and_next(acme, Filters(status="pending", kind="inmail"), second) == (None, None)


def test_what_members_reviewed_today_is_counted(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    held(acme, ["quiet-ada", "quiet-bob", "quiet-cleo"], [email()])
    first, second, third = (draft.id for draft in drafts(acme))
    user = session().query(User).filter_by(email="ada@acme.example").one()
    approvals.skip(acme, first, user)
    approvals.edit(acme, second, text="Yes", approve=True, by=user)
    assert (review.today(acme).reviewed, review.today(rival).reviewed) == (2, 0)
    approvals.undo(acme, second)
    assert review.today(acme).reviewed == 1
    approvals.edit(acme, second, text="Yes", approve=True)  # as when the first people of a campaign are approved
    assert review.today(acme).reviewed == 1
    campaigns.cancel(acme, drafts(acme)[0].campaign_id)
    assert review.today(acme).reviewed == 1
    clock.forward(days=1)
    assert review.today(acme).reviewed == 0
    assert third


def test_one_can_choose_from_what_is_there_and_who_decided_is_known(acme: Workspace, rival: Workspace) -> None:
    draft = opener(acme)
    opener(rival)
    found = review.choices(acme, "pending")
    assert found["campaigns"] == [(draft.campaign_id, "Held")]
    assert {sender_id for sender_id, _ in found["senders"]} == {account.id for account in accounts.every(acme)}
    assert review.choices(acme, "skipped")["campaigns"] == []
    assert review.any_campaign_holds(acme)
    user = session().query(User).filter_by(email="ada@acme.example").one()
    approvals.edit(acme, draft.id, text=draft.text, approve=True, by=user)
    assert drafts(acme)[0].decided_by == user.id
    assert review.decider(drafts(acme)[0]) == "ada"
