"""What the drafts of a play rest on, and what in them rests on nothing."""

import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import end_read, session
from app.domain.approvals import approvals, bulk
from app.domain.campaigns import campaigns
from app.models.approvals import Approval
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched
from tests.domain.outreach import INVITE, a_campaign, forward, message

pytestmark = pytest.mark.databases("in turn")

WORDS = "We cut tickets by 73% at Contoso. Interested?"


def drafts(workspace: Workspace) -> list[Approval]:
    """Every draft, the oldest first."""
    end_read()
    session().expire_all()
    return list(
        session().scalars(sa.select(Approval).where(Approval.workspace_id == workspace.id).order_by(Approval.id))
    )


@pytest.fixture
def held(acme: Workspace, clock: Movable) -> Approval:
    """The first draft of a launched play."""
    launched(acme, approval=True, most_people=5)
    forward(acme, days=14)
    return drafts(acme)[0]


def test_a_draft_keeps_the_facts_it_was_written_from(held: Approval) -> None:
    """The business's own words stand beside the draft, and every check is passed."""
    assert any(fact["kind"] == "business" for fact in held.facts)
    assert held.warnings == []


def test_what_has_no_source_is_marked_and_not_released_in_bulk(acme: Workspace, held: Approval) -> None:
    """A number and a name that no one knows; taking them out takes the warning away."""
    approvals.edit(acme, held.id, text=WORDS)
    found = drafts(acme)[0]
    assert found.warned
    (warning,) = [one for one in found.warnings if one["code"] == "unsupported"]
    assert "73%" in warning["sentence"]
    assert "Contoso" in warning["sentence"]
    assert not warning["blocking"]
    (result,) = bulk.bulk(acme, [held.id], "approve")
    assert result.outcome == "has_warnings"
    approvals.edit(acme, held.id, text="Would you be open to a short call?")
    assert not drafts(acme)[0].warned


def test_drafts_of_other_campaigns_are_left_alone(acme: Workspace, held: Approval) -> None:
    """Who writes their own sequence knows what it rests on."""
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message(WORDS)], start=False)
    bulk.switch(acme, campaign.id, True)
    campaigns.start(acme, campaign.id)
    forward(acme, days=14)
    (mine,) = [one for one in drafts(acme) if one.campaign_id == campaign.id]
    assert not mine.warned
    assert all(fact["kind"] != "business" for fact in mine.facts)
