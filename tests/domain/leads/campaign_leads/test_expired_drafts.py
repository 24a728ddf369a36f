"""Drafts that nobody decided in two weeks: their people wait, or go on, as the campaign says."""

import pytest

from app.domain.campaigns import campaigns
from app.domain.leads.campaign_leads import campaign_leads, expired_drafts
from app.models.approvals import ApprovalStatus
from app.models.workspaces import Workspace
from tests.domain.outreach import assert_counters_hold, email, forward, only, told
from tests.domain.reviewing import drafts, held, sent, the_draft

pytestmark = pytest.mark.usefixtures("clock")
TWO = [email("One", "First"), email("Two", "", days=1)]


def test_a_person_waits_with_the_reason_and_goes_on_when_resumed(acme: Workspace) -> None:
    """Nothing is passed over: the same step is written again."""
    campaign = held(acme, ["quiet-ada"], TWO)
    forward(acme, days=15)
    person = only(campaign)
    assert (person.state, person.reason, person.step) == ("paused", "draft_expired", 0)
    assert the_draft(acme, ApprovalStatus.SKIPPED).reason == "expired"
    assert drafts(acme, ApprovalStatus.PENDING) == []
    assert (len(told(acme, "approval_waiting")), len(told(acme, "approval_expired"))) == (1, 1)
    assert_counters_hold(campaign)
    forward(acme, days=30)
    assert only(campaign).state == "paused"
    campaign_leads.resume(acme, campaign.id, person.id)
    assert the_draft(acme).text == "One"
    assert sent(acme) == []


def test_they_go_on_without_the_message_where_the_campaign_says_so(acme: Workspace) -> None:
    """A draft is told when it waits and when it has expired, with the page where it is decided."""
    campaign = held(acme, ["quiet-ada"], TWO)
    expired_drafts.choose(acme, campaign.id, skip=True)
    assert campaigns.duplicate(acme, campaign.id).skip_expired
    (data,) = told(acme, "approval_waiting")
    draft = the_draft(acme)
    assert (data["approval"]["id"], data["approval"]["text"], data["approval"]["subject"]) == (draft.id, "One", "First")
    assert data["approval"]["url"].endswith(f"/approvals/{draft.id}")
    assert (data["campaign"]["id"], data["lead"]["publicId"]) == (campaign.id, "quiet-ada")
    forward(acme, days=15)
    assert the_draft(acme, ApprovalStatus.SKIPPED).reason == "expired"
    assert the_draft(acme).text == "Two"
    assert (only(campaign).state, only(campaign).step) == ("active", 1)
    (expired,) = told(acme, "approval_expired")
    assert expired["approval"]["id"] == draft.id
    assert len(told(acme, "approval_waiting")) == 2


def test_a_paused_campaign_keeps_its_drafts(acme: Workspace) -> None:
    campaign = held(acme, ["quiet-ada"], TWO)
    campaigns.pause(acme, campaign.id)
    forward(acme, days=15)
    assert the_draft(acme).text == "One"
    campaigns.resume(acme, campaign.id)
    forward(acme, days=13)
    assert the_draft(acme).text == "One"
    forward(acme, days=2)
    assert only(campaign).reason == "draft_expired"


def test_a_person_who_is_paused_keeps_that_reason(acme: Workspace) -> None:
    campaign = held(acme, ["quiet-ada"], TWO)
    campaign_leads.pause(acme, campaign.id, only(campaign).id)
    forward(acme, days=15)
    assert only(campaign).reason == "paused_by_you"
    assert the_draft(acme, ApprovalStatus.SKIPPED).reason == "expired"
