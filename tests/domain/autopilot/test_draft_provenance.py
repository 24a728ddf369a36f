"""What the drafts of a play rest on, and what in them rests on nothing."""

import pytest
import sqlalchemy as sa

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
from tests.support.movable import Movable

WORDS = "We cut tickets by 73% at Contoso. Interested?"


def drafts(workspace: Workspace) -> list[Approval]:
    """Every draft, the oldest first."""
    end_read()
    session().expire_all()
    return list(
        session().scalars(sa.select(Approval).where(Approval.workspace_id == workspace.id).order_by(Approval.id))
    )


def the_draft(draft_id: int) -> Approval:
    """The draft as it is now."""
    end_read()
    return session().get_one(Approval, draft_id, populate_existing=True)


def test_a_claim_without_a_source_waits_for_a_person_who_takes_it_on(acme: Workspace, clock: Movable) -> None:
    """The business's own words stand beside the draft. No program and no decision about many lets a claim go; the
    audit log and the draft say who did. Who writes their own sequence knows what it rests on.
    """
    launched(acme, approval=True, most_people=5)
    mine = a_campaign(acme, ["accepts-ada"], [INVITE, message(WORDS)], start=False)
    bulk.switch(acme, mine.id, True)
    campaigns.start(acme, mine.id)
    forward(acme, days=14)
    (own,) = [one for one in drafts(acme) if one.campaign_id == mine.id]
    assert not own.warned
    assert all(fact["kind"] != "business" for fact in own.facts)
    held = next(one for one in drafts(acme) if one.campaign_id != mine.id).id
    assert any(fact["kind"] == "business" for fact in the_draft(held).facts)
    assert the_draft(held).warnings == []
    approvals.edit(acme, held, text=WORDS)
    (warning,) = the_draft(held).warnings
    assert (warning["code"], warning["claim"], warning["blocking"]) == ("unsupported", True, False)
    assert WORDS.partition(" Interested")[0] in warning["sentence"]
    (result,) = bulk.bulk(acme, [held], "approve")
    assert result.outcome == "has_warnings"
    with pytest.raises(InvalidRequest) as refused:
        approvals.edit(acme, held, text=WORDS, approve=True)
    assert refused.value.fields[0].message.endswith("name the member who confirms it.")
    owner = team.member(acme, team.members(acme)[0].email)
    with pytest.raises(InvalidRequest):
        approvals.edit(acme, held, text=WORDS, approve=True, by=owner, seen=())
    approvals.edit(acme, held, text=WORDS, approve=True, by=owner, seen=("unsupported",))
    kept = the_draft(held)
    assert (kept.status, kept.decided_by) == ("approved", owner.id)
    taken_on = [fact["label"] for fact in kept.facts if fact["kind"] == "taken_on"]
    assert taken_on == [f"Confirmed by {owner.name or owner.email}"]
    entries = session().scalars(sa.select(AuditEntry).where(AuditEntry.kind == "approval.taken_on")).all()
    assert [entry.workspace_id for entry in entries] == [acme.id]
    approvals.undo(acme, held)
    assert all(fact["kind"] != "taken_on" for fact in the_draft(held).facts)
    assert the_draft(held).warned
    # The text is checked as it is.
    approvals.edit(acme, held, text="Would you be open to a short call?")
    assert not the_draft(held).warned
    # A claim is no draft that goes out by itself when approval is switched off.
    approvals.edit(acme, held, text=WORDS)
    campaign_id = the_draft(held).campaign_id
    bulk.switch(acme, campaign_id, False)
    gone, waits = approvals.send_without(acme, campaign_id)
    assert waits == 1
    ours = [one for one in drafts(acme) if one.campaign_id == campaign_id]
    assert (the_draft(held).status, gone) == ("pending", len(ours) - 1)


def test_a_sentence_that_a_member_stands_by_is_settled_in_all_drafts(acme: Workspace) -> None:
    """At once, also where it stands between others, and for drafts to come, until the decision is undone."""
    launched(acme, approval=True, most_people=5)
    forward(acme, days=14)
    first, second, third = [one.id for one in drafts(acme)][:3]
    owner = team.member(acme, team.members(acme)[0].email)
    for one in (first, second):
        approvals.edit(acme, one, text=f"Hello. {WORDS}")
        assert the_draft(one).warned
    approvals.edit(acme, first, text=f"Hello. {WORDS}", approve=True, by=owner)
    assert the_draft(second).warnings == []
    approvals.edit(acme, third, text=f"{WORDS} We won a prize for it.")
    (warning,) = the_draft(third).warnings
    assert warning["words"] == ["We won a prize for it."]
    approvals.undo(acme, first)
    assert the_draft(second).warned
