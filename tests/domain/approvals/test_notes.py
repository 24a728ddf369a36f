"""Notes of invitations wait for approval like every text; an invitation without a note does not."""

from typing import Any

import pytest

from app.core.db import transaction
from app.core.errors import InvalidRequest
from app.domain.approvals import approvals, bulk, drafting
from app.domain.installation import doctor
from app.domain.leads import edit
from app.domain.leads.campaign_leads import campaign_leads, expired_drafts
from app.models.accounts import Account
from app.models.approvals import ApprovalStatus
from app.models.campaigns import Campaign, LeadState
from app.models.workspaces import Workspace
from app.ports import AlreadyConnected
from tests.domain.approvals.test_release import Answers
from tests.domain.outreach import (
    INVITE,
    VIEW,
    acts,
    assert_counters_hold,
    email,
    everyone,
    forward,
    ledger,
    message,
    network,
    only,
    person_id,
    the_account,
)
from tests.domain.reviewing import drafts, held, sent, the_draft

pytestmark = pytest.mark.usefixtures("clock")
A = ApprovalStatus
NOTED = {**INVITE, "message": "Hi {{first_name}}, shall we connect?"}
AT_SOME = {**INVITE, "message": "{{#if company_name}}Hi from a neighbour of {{company_name}}{{/if}}"}


def sender_with(workspace: Workspace, **columns: Any) -> Account:
    sender_id = the_account(workspace).id
    with transaction() as current:
        sender = current.get_one(Account, sender_id)
        for name, value in columns.items():
            setattr(sender, name, value)
    return sender


def noted(workspace: Workspace, who: Any = ("accepts-ada",), step: Any = NOTED) -> Campaign:
    return held(workspace, who, [step, message("Thank you")])


def test_a_note_is_sent_once_it_was_read(acme: Workspace) -> None:
    """Enrolment drafts it, nothing goes out for days, and what goes out is what was approved."""
    campaign = noted(acme)
    draft = the_draft(acme)
    assert (draft.kind, draft.text, draft.subject) == ("connection_request", "Hi Ada, shall we connect?", "")
    forward(acme, days=3)
    assert acts(acme) == []
    assert only(campaign).state == LeadState.PENDING
    approvals.edit(acme, draft.id, text="Hello Ada", approve=True)
    forward(acme, hours=1)
    assert sent(acme) == ["Hello Ada"]
    assert (the_draft(acme, A.DONE).id, the_draft(acme, A.DONE).reason) == (draft.id, "")
    assert_counters_hold(campaign)
    assert list(doctor.CHECKS["approvals"][1](None)) == []  # type: ignore[arg-type]


def test_a_launch_with_approval_sends_nothing_that_was_not_read(acme: Workspace) -> None:
    """Views and likes go out; whatever text comes next, and after it, waits for a human for as long as it takes."""
    for first in (NOTED, {"type": "inmail", "message": "Hello", "subject": "Us"}, email()):
        invite = [] if first is NOTED else [NOTED]
        steps = [VIEW, first, *invite, message("Thank you"), email("Again")]
        held(acme, [f"accepts-{first['type']}", f"quiet-{first['type']}"], steps, name=first["type"])
    forward(acme, days=3)
    assert {kind for kind, _ in acts(acme)} == {"view_profile"}
    for number in range(3):
        for draft in drafts(acme, A.PENDING):
            approvals.edit(acme, draft.id, text=f"Read {number}", subject=draft.subject or "Us", approve=True)
        forward(acme, days=1)
    assert set(sent(acme)) <= {"Read 0", "Read 1", "Read 2"}
    assert "Read 0" in sent(acme)


def test_an_invitation_without_a_note_needs_no_approval(acme: Workspace) -> None:
    """Also where the note is empty for one person alone: they are invited, and their neighbour waits."""
    campaign = held(acme, ["accepts-ada"], [INVITE, message("Hello")])
    assert drafts(acme) == []
    forward(acme, hours=5)
    assert acts(acme) == [("connection_request", "accepts-ada")]
    assert the_draft(acme).kind == "message"
    assert_counters_hold(campaign)
    people = [{"publicId": "ignores-bob", "firstName": "Bob", "companyName": "Acme"}, {"publicId": "ignores-cleo"}]
    some = held(acme, people, [AT_SOME], name="Some")
    forward(acme, hours=5)
    who = everyone(some)
    assert who["ignores-bob"].reason == "awaiting_approval"
    assert who["ignores-cleo"].invited_at is not None


def test_a_due_invitation_that_was_never_drafted_is_held(acme: Workspace) -> None:
    """Approval was switched on by an older version, or the person got a value since: the engine drafts it then."""
    campaign = noted(acme, [{"publicId": "ignores-bob", "firstName": "Bob"}], AT_SOME)
    assert drafts(acme) == []
    person = only(campaign)
    edit.change(acme, person.lead_id, {"companyName": "Acme"})
    forward(acme, hours=5)
    assert acts(acme) == []
    assert the_draft(acme).text == "Hi from a neighbour of Acme"
    edit.change(acme, person.lead_id, {"companyName": ""})
    forward(acme, hours=1)
    assert (the_draft(acme, A.SKIPPED).reason, only(campaign).approval_id) == ("overtaken", None)
    assert [action.text for action in ledger(acme)] == [""]


def test_a_note_may_be_as_long_as_its_sender_may_write(acme: Workspace) -> None:
    """200 characters, or 300 with Sales Navigator; also if the sender loses it after the approval."""
    sender_with(acme, has_sales_navigator=False)
    noted(acme, [{"publicId": "ignores-bob", "firstName": "B" * 100}], {**INVITE, "message": "{{first_name}}" * 3})
    wide = the_draft(acme)
    (warning,) = wide.warnings
    assert (warning["code"], warning["blocking"]) == ("too_long", True)
    assert "maximum is 200" in warning["sentence"]
    approvals.skip(acme, wide.id)
    campaign = held(acme, ["accepts-ada"], [NOTED, message("Thank you")], name="Second")
    draft = the_draft(acme)
    assert approvals.longest(draft) == 200
    with pytest.raises(InvalidRequest) as refusal:
        approvals.edit(acme, draft.id, text="x" * 201)
    assert [(field.path, field.message) for field in refusal.value.fields] == [("text", "Use at most 200 characters.")]
    sender_with(acme, has_sales_navigator=True)
    approvals.edit(acme, draft.id, text="x" * 300, approve=True)
    sender_with(acme, has_sales_navigator=False)
    forward(acme, hours=1)
    assert (acts(acme), only(campaign).reason) == ([], "too_long")
    approvals.undo(acme, draft.id)
    approvals.edit(acme, draft.id, text="Short", approve=True)
    forward(acme, hours=1)
    assert sent(acme) == ["Short"]


def test_a_cleared_note_invites_without_one_and_a_skipped_one_does_not_invite(acme: Workspace) -> None:
    campaign = noted(acme, ["ignores-ada", "ignores-bob"])
    ada, bob = sorted(drafts(acme), key=lambda one: one.text)
    approvals.edit(acme, ada.id, text="", approve=True)
    approvals.skip(acme, bob.id)
    forward(acme, hours=1)
    assert [(action.kind, action.text) for action in ledger(acme)] == [("connection_request", "")]
    assert everyone(campaign)["ignores-ada"].invited_at is not None
    assert everyone(campaign)["ignores-bob"].state == LeadState.FINISHED
    assert_counters_hold(campaign)


def test_a_note_beyond_the_month_goes_without_and_its_draft_says_so(acme: Workspace) -> None:
    sender_with(acme, monthly_notes=1)
    noted(acme, ["ignores-ada", "ignores-bob"])
    first, second = drafts(acme)
    rows = [approvals.get(acme, one.id) for one in (first, second)]
    assert [approvals.notes_left(acme, row) for row in rows] == [1, 1]
    approvals.edit(acme, first.id, text=first.text, approve=True)
    assert approvals.notes_left(acme, approvals.get(acme, second.id)) == 0  # the first has been promised the only one
    approvals.edit(acme, second.id, text=second.text, approve=True)
    forward(acme, days=1)
    assert sorted(bool(action.text) for action in ledger(acme)) == [False, True]
    by_text = {bool(action.text): action.campaign_lead_id for action in ledger(acme)}
    said = {one.campaign_lead_id: (one.status, one.reason) for one in drafts(acme)}
    assert said == {by_text[True]: (A.DONE, ""), by_text[False]: (A.DONE, "without_note")}


def test_undo_expiry_and_send_without_hold_for_notes(acme: Workspace) -> None:
    campaign = noted(acme, ["ignores-ada"])
    draft = the_draft(acme)
    approvals.skip(acme, draft.id)
    approvals.undo(acme, draft.id)
    assert (only(campaign).state, only(campaign).approval_id) == (LeadState.PENDING, draft.id)
    expired_drafts.choose(acme, campaign.id, skip=False)
    forward(acme, days=15)
    assert (the_draft(acme, A.SKIPPED).reason, only(campaign).reason) == ("expired", "draft_expired")
    campaign_leads.resume(acme, campaign.id, only(campaign).id)
    bulk.switch(acme, campaign.id, False)
    assert approvals.send_without(acme, campaign.id) == (1, 0)
    forward(acme, hours=1)
    assert sent(acme) == ["Hi Ada, shall we connect?"]


def test_an_edited_note_outlives_a_change_of_the_person(acme: Workspace) -> None:
    campaign = noted(acme, [{"publicId": "ignores-bob", "firstName": "Bob", "companyName": "Acme"}], AT_SOME)
    approvals.edit(acme, the_draft(acme).id, text="By hand")
    drafting.refresh(acme, [person_id(acme, "ignores-bob")])
    edit.change(acme, only(campaign).lead_id, {"companyName": ""})
    assert the_draft(acme).text == "By hand"


def test_who_turns_out_to_be_connected_needs_no_note(acme: Workspace) -> None:
    campaign = noted(acme, ["ignores-ada"])
    approvals.edit(acme, the_draft(acme).id, text="Hello", approve=True)
    network(Answers(AlreadyConnected("You are connected already.")))
    forward(acme, hours=0.1)
    assert the_draft(acme, A.SKIPPED).reason == "overtaken"
    assert the_draft(acme, A.PENDING).kind == "message"
    assert_counters_hold(campaign)
