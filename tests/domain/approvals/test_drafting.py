"""Drafts of messages that wait for a human: when they are written, from what, and what makes them stale."""

from datetime import timedelta
from typing import Any

import pytest

from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals, bulk, drafting
from app.domain.campaigns import campaigns, preview, workspace_rules
from app.domain.installation import doctor
from app.domain.leads import leads
from app.domain.leads.campaign_leads import campaign_leads, why_waiting
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.approvals import Approval, ApprovalStatus
from app.models.campaigns import Campaign, LeadState
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_list, acts, email, everyone, forward, ledger, message, only, person_id
from tests.domain.reviewing import drafts, held, opener, sent, the_draft

pytestmark = pytest.mark.usefixtures("clock")
A = ApprovalStatus


def test_the_first_message_is_drafted_at_enrolment_and_the_doctor_finds_a_lost_one(acme: Workspace) -> None:
    draft = opener(acme, subject="For {{company_name|you}}")
    assert (draft.kind, draft.text, draft.subject) == ("email", "Dear Ada", "For you")
    forward(acme, days=5)
    assert acts(acme) == []
    assert the_draft(acme).id == draft.id
    assert list(doctor.CHECKS["approvals"][1](None)) == []  # type: ignore[arg-type]
    end_read()
    with transaction() as current:
        current.get_one(Approval, draft.id).status = A.SKIPPED
    (problem,) = doctor.CHECKS["approvals"][1](None)  # type: ignore[arg-type]
    assert "waiting for approval" in problem[0]
    end_read()


def test_no_one_else_waits_for_a_decision(acme: Workspace) -> None:
    campaign = held(acme)
    forward(acme, days=3)
    person = only(campaign)
    why = why_waiting.of_people(acme, campaign, [person])[person.id]
    assert (why.code, why.who) == ("awaiting_approval", "you")
    assert why_waiting.of_campaign(acme, campaign).code == "awaiting_approval"
    assert ledger(acme)[-1].kind == "connection_request"


def test_a_draft_says_what_it_was_written_from(acme: Workspace) -> None:
    """A value cannot begin another message."""
    text = "Hi {{first_name}} of {{company_name|your company}}, {{custom.tier}} {{custom.x}}"
    lead = {"publicId": "ada", "firstName": "Ada", "email": "a@b.example", "customFields": {"x": "a\n---\nb"}}
    held(acme, [lead], [email(text, "Hello")])
    draft = the_draft(acme)
    known = {(fact["kind"], fact["label"], fact["text"]) for fact in draft.facts}
    assert ("field", "First name", "Ada") in known
    assert ("fallback", "Company", "your company") in known
    assert ("missing", "Tier", "") in known
    assert ("template", "Template", text) in known
    assert "---" not in draft.text


def test_a_missing_value_waits_for_a_human_to_write_it(acme: Workspace) -> None:
    draft = opener(acme, "Dear {{first_name}}, {{custom.reason}}")
    assert draft.text == "Dear Ada, {{custom.reason}}"
    assert [warning["code"] for warning in draft.warnings] == ["variable"]
    with pytest.raises(InvalidRequest) as refusal:
        approvals.edit(acme, draft.id, text=draft.text, approve=True)
    assert [field.path for field in refusal.value.fields] == ["text"]
    approvals.edit(acme, draft.id, text="Dear Ada, I saw your talk.", approve=True)
    forward(acme, hours=1)
    assert sent(acme) == ["Dear Ada, I saw your talk."]


def test_who_leaves_takes_their_draft_along(acme: Workspace) -> None:
    """Stopped, on the never-contact list, or the campaign canceled: nothing waits or goes out any more."""
    names = ["quiet-ada", "quiet-bob", "quiet-cleo", "quiet-dan"]
    campaign = held(acme, names, [email()])
    who = everyone(campaign)
    for draft in drafts(acme)[2:]:
        approvals.edit(acme, draft.id, text=draft.text, approve=True)
    campaign_leads.stop(acme, campaign.id, who["quiet-ada"].id)
    campaign_leads.stop(acme, campaign.id, who["quiet-cleo"].id)
    never_contact.add(acme, [("person", "quiet-dan")])
    forward(acme, hours=1)
    left = {draft.campaign_lead_id: draft.reason for draft in drafts(acme, A.SKIPPED)}
    assert left[who["quiet-ada"].id] == left[who["quiet-cleo"].id] == "stopped_by_you"
    assert left[who["quiet-dan"].id] == "never_contact"
    campaigns.cancel(acme, campaign.id)
    assert drafts(acme, A.PENDING) == []
    assert acts(acme) == []
    with pytest.raises(Conflict):
        approvals.undo(acme, drafts(acme, A.SKIPPED)[0].id)
    assert all(person.approval_id is None for person in everyone(campaign).values())


def test_a_reply_makes_a_draft_stale(acme: Workspace) -> None:
    campaign = held(acme, ["replies-positive-ada"], [INVITE, message(), message("Again", days=3)])
    forward(acme, days=2)
    approvals.edit(acme, the_draft(acme).id, text="Hello", approve=True)
    forward(acme, hours=1)
    assert the_draft(acme).text == "Again"
    forward(acme, days=3)
    assert only(campaign).replied
    assert the_draft(acme, A.SKIPPED).reason == "replied"


def test_a_paused_person_keeps_the_draft(acme: Workspace) -> None:
    """Resumed, they wait for the same decision; what was approved meanwhile goes out."""
    campaign = held(acme, ["quiet-ada"], [email()])
    person, draft = only(campaign), the_draft(acme)
    campaign_leads.pause(acme, campaign.id, person.id)
    again = campaign_leads.resume(acme, campaign.id, person.id)
    assert (again.reason, again.due_at, again.approval_id) == ("awaiting_approval", None, draft.id)
    assert again.state == LeadState.PENDING
    campaign_leads.pause(acme, campaign.id, person.id)
    approvals.edit(acme, draft.id, text="Approved while paused", approve=True)
    forward(acme, days=1)
    assert acts(acme) == []
    campaign_leads.resume(acme, campaign.id, person.id)
    forward(acme, hours=1)
    assert sent(acme) == ["Approved while paused"]


def test_switched_on_later_it_holds_what_was_not_begun(acme: Workspace) -> None:
    campaign = held(acme, ["accepts-ada", "accepts-bob"], [INVITE, message(days=2)], approval=False)
    forward(acme, days=1)
    assert drafts(acme) == []
    bulk.switch(acme, campaign.id, True)
    assert len(drafts(acme, A.PENDING)) == 2
    forward(acme, days=5)
    assert [kind for kind, _ in acts(acme)] == ["connection_request"] * 2


def test_a_lead_that_changes_changes_its_untouched_draft(acme: Workspace) -> None:
    draft = opener(acme, "Dear {{first_name}}, {{custom.tier}}")
    lead = {"publicId": "quiet-ada", "customFields": {"tier": "gold"}}
    list_id = campaigns.get(acme, draft.campaign_id).list_id or 0
    leads.add(acme, list_id, [lead])
    assert the_draft(acme).text == "Dear Ada, gold"
    assert not the_draft(acme).warned
    approvals.edit(acme, draft.id, text="By hand")
    leads.add(acme, list_id, [lead | {"customFields": {"tier": "silver"}}])
    assert the_draft(acme).text == "By hand"


def test_no_draft_is_written_for_who_is_left_out_and_their_turn_says_why(acme: Workspace) -> None:
    campaign = held(acme)
    replied_once(acme)
    forward(acme, days=3)
    assert drafts(acme) == []
    assert (only(campaign).state, only(campaign).reason) == ("excluded", "replied_before")


def test_a_draft_that_waits_goes_when_rules_leave_its_person_out(acme: Workspace) -> None:
    """Rules of the campaign, a list that it excludes, or rules of the workspace; other changes leave it."""
    campaign, other = held(acme), held(acme, ["accepts-bob"], name="Second")
    listed = held(acme, ["quiet-cleo"], [email()], name="Third")
    theirs, others = a_list(acme, ["quiet-cleo"], "Customers"), a_list(acme, ["dan"], "Others")
    forward(acme, days=3)
    assert len(drafts(acme, A.PENDING)) == 3
    for handle in ("accepts-ada", "accepts-bob"):
        replied_once(acme, {"replied": False}, handle)
    campaigns.change_exclusions(acme, campaign.id, {"contacted_days": 30})
    campaigns.change_exclusions(acme, listed.id, {"list_ids": [others]})
    workspace_rules.change(acme, rules={"replied": False}, caps={"touches": 3})
    assert len(drafts(acme, A.PENDING)) == 3
    for number, change in enumerate(
        (
            lambda: campaigns.change_exclusions(acme, campaign.id, {"replied": True}),
            lambda: campaigns.change_exclusions(acme, listed.id, {"list_ids": [theirs]}),
            lambda: workspace_rules.reset(acme),
        ),
        1,
    ):
        change()
        assert len(drafts(acme, A.SKIPPED)) == number
    forward(acme, hours=1)
    for one in (campaign, other):
        assert (only(one).state, only(one).reason) == ("excluded", "replied_before")


def replied_once(workspace: Workspace, rules: dict[str, Any] | None = None, who: str = "accepts-ada") -> None:
    found = person_id(workspace, who)
    with transaction() as current:
        current.merge(workspace).contact_rules = rules
        current.get_one(Person, found).replied_at = workspace.now() - timedelta(days=180)


def test_a_draft_is_drawn_as_the_preview_shows_it_and_as_it_is_sent(acme: Workspace) -> None:
    options = "|".join("abcdefghijklmnop")
    text = f"Hi {{{options}}}{{{options}}}{{{{#if headline}}}}!{{{{else}}}}?{{{{/if}}}}"
    draft = opener(acme, text)
    campaign, lead = session().get_one(Campaign, draft.campaign_id), session().get_one(Lead, draft.lead_id)
    [shown] = preview.preview(campaign.sequence, lead, accounts.every(acme))
    assert draft.text == shown.parts[0]
    assert not any(warning["blocking"] for warning in draft.warnings)
    with transaction():
        session().get_one(Approval, draft.id).text = "stale"
        drafting.refresh(acme, [lead.person_id])
    assert the_draft(acme).text == shown.parts[0]
    approvals.edit(acme, draft.id, text=shown.parts[0], approve=True)
    forward(acme, hours=1)
    assert sent(acme) == [shown.parts[0]]


def test_braces_in_a_value_do_not_hold_a_draft_and_those_of_its_writer_do(acme: Workspace) -> None:
    person = {"publicId": "ada", "firstName": "{{A|B}}", "companyName": "{x|y} [Company]", "email": "a@b.example"}
    held(acme, [person], [email("Dear {{first_name}} of {{company_name}}", "Hello {{first_name}}")])
    draft = the_draft(acme)
    assert (draft.text, draft.subject) == ("Dear {{A|B}} of {x|y} [Company]", "Hello {{A|B}}")
    assert [warning["code"] for warning in draft.warnings if warning["code"] != "name"] == []
    for text in ("Dear {Ada|Eva}", "{{#if company_name}}a{{/if}}", "{{first_name}}", "{a|b"):
        with pytest.raises(InvalidRequest):
            approvals.edit(acme, draft.id, text=text, approve=True)
    assert approvals.edit(acme, draft.id, text="Dear [Name]").warnings[0]["code"] == "foreign"
