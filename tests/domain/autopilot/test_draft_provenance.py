"""What the drafts of a play rest on, and what in them rests on nothing."""

import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import end_read, session
from app.core.errors import InvalidRequest
from app.domain.approvals import approvals, bulk
from app.domain.campaigns import campaigns
from app.domain.workspace import team
from app.models.approvals import Approval
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched
from tests.domain.outreach import INVITE, a_campaign, forward, message

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


def test_a_claim_without_a_source_waits_for_a_person_who_takes_it_on(acme: Workspace, held: Approval) -> None:
    """No program and no decision about many lets it go; the audit log and the draft say who did."""
    approvals.edit(acme, held.id, text=WORDS)
    (warning,) = drafts(acme)[0].warnings
    assert (warning["code"], warning["claim"], warning["blocking"]) == ("unsupported", True, False)
    assert WORDS.partition(" Interested")[0] in warning["sentence"]
    (result,) = bulk.bulk(acme, [held.id], "approve")
    assert result.outcome == "has_warnings"
    with pytest.raises(InvalidRequest) as refused:
        approvals.edit(acme, held.id, text=WORDS, approve=True)
    assert refused.value.fields[0].message.endswith("name the member who takes it on.")
    owner = team.member(acme, team.members(acme)[0].email)
    with pytest.raises(InvalidRequest):
        approvals.edit(acme, held.id, text=WORDS, approve=True, by=owner, seen=())
    approvals.edit(acme, held.id, text=WORDS, approve=True, by=owner, seen=("unsupported",))
    kept = drafts(acme)[0]
    assert (kept.status, kept.decided_by) == ("approved", owner.id)
    assert [fact["label"] for fact in kept.facts if fact["kind"] == "taken_on"] == [
        f"Taken on by {owner.name or owner.email}"
    ]
    entries = session().scalars(sa.select(AuditEntry).where(AuditEntry.kind == "approval.taken_on")).all()
    assert [entry.workspace_id for entry in entries] == [acme.id]
    approvals.undo(acme, held.id)
    assert all(fact["kind"] != "taken_on" for fact in drafts(acme)[0].facts)


def test_a_claim_that_was_taken_out_is_no_warning_any_more(acme: Workspace, held: Approval) -> None:
    """The text is checked as it is."""
    approvals.edit(acme, held.id, text=WORDS)
    approvals.edit(acme, held.id, text="Would you be open to a short call?")
    assert not drafts(acme)[0].warned


def test_claims_wait_when_approval_is_switched_off(acme: Workspace, held: Approval) -> None:
    """They are no draft that goes out by itself."""
    approvals.edit(acme, held.id, text=WORDS)
    bulk.switch(acme, held.campaign_id, False)
    gone, waits = bulk.send_without(acme, held.campaign_id)
    assert waits == 1
    assert (drafts(acme)[0].status, gone) == ("pending", len(drafts(acme)) - 1)


def test_drafts_of_other_campaigns_are_left_alone(acme: Workspace, held: Approval) -> None:
    """Who writes their own sequence knows what it rests on."""
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message(WORDS)], start=False)
    bulk.switch(acme, campaign.id, True)
    campaigns.start(acme, campaign.id)
    forward(acme, days=14)
    (mine,) = [one for one in drafts(acme) if one.campaign_id == campaign.id]
    assert not mine.warned
    assert all(fact["kind"] != "business" for fact in mine.facts)
