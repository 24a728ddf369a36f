"""Approvals: messages that wait for a human, what a decision does, and what makes a draft stale."""

from datetime import timedelta

import pytest

from app.core.db import end_read, session
from app.core.errors import Conflict, InvalidRequest
from app.domain.approvals import approvals
from app.domain.approvals.approvals import Filters
from app.models.approvals import APPROVAL, Approval, ApprovalStatus
from app.models.campaigns import LeadState
from app.models.workspaces import Workspace
from tests.domain.outreach import (
    INVITE,
    acts,
    assert_counters_hold,
    email,
    everyone,
    forward,
    fresh,
    ledger,
    message,
    only,
)
from tests.domain.reviewing import drafts, held, opener, sent, the_draft
from tests.support.movable import Movable

pytestmark = pytest.mark.usefixtures("clock")
A = ApprovalStatus


def test_a_message_waits_for_approval_and_goes_out_as_approved(acme: Workspace) -> None:
    """Each part is a message of its own, though the template has one."""
    campaign = held(acme)
    forward(acme, days=3)
    draft, person = the_draft(acme), only(campaign)
    assert (draft.text, draft.kind, draft.step, draft.edited, draft.warned) == ("Hello Ada", "message", 1, False, False)
    assert (person.state, person.due_at, person.reason) == (LeadState.ACTIVE, None, "awaiting_approval")
    assert draft.due_at == person.accepted_at + timedelta(days=1)
    assert acts(acme) == [("connection_request", "accepts-ada")]
    approvals.edit(acme, draft.id, text="One {braces}\n---\nTwo\n---\nThree", approve=True)
    forward(acme, hours=2)
    assert acts(acme)[-1] == ("message", "accepts-ada")
    done = the_draft(acme, A.DONE)
    assert done.done_at is not None
    assert (done.edited, done.written_text) == (True, "Hello Ada")
    assert sent(acme) == ["One {braces}", "Two", "Three"]
    assert only(campaign).approval_id is None
    assert_counters_hold(campaign)


def test_the_wait_of_the_step_runs_while_the_draft_waits(acme: Workspace, clock: Movable) -> None:
    """Approved early, it is still sent when its step is due; approved late, ten seconds later."""
    campaign = held(acme, ["accepts-ada", "accepts-bob"], [INVITE, message(days=3)])
    forward(acme, days=1)
    early, late = drafts(acme, A.PENDING)
    approvals.edit(acme, early.id, text=early.text, approve=True)
    assert early.release_at == early.due_at
    forward(acme, days=5)
    assert [action.person.handle for action in ledger(acme) if action.kind == "message"] == [
        person.person.handle for person in everyone(campaign).values() if person.id == early.campaign_lead_id
    ]
    at = acme.now()
    approvals.edit(acme, late.id, text=late.text, approve=True)
    assert drafts(acme, A.APPROVED)[0].release_at == at + approvals.UNDO


def test_a_decision_can_be_taken_back_before_it_takes_effect(acme: Workspace) -> None:
    draft = opener(acme)
    approvals.edit(acme, draft.id, text="Dear Ada, edited", approve=True)
    forward(acme, hours=9 / 3600)
    assert acts(acme) == []
    back = approvals.undo(acme, draft.id)
    assert (back.status, back.release_at, back.text, back.edited) == (A.PENDING, None, "Dear Ada, edited", True)
    forward(acme, days=1)
    assert acts(acme) == []
    approvals.edit(acme, draft.id, text=back.text, approve=True)
    forward(acme, hours=1)
    with pytest.raises(Conflict):
        approvals.undo(acme, draft.id)
    assert sent(acme) == ["Dear Ada, edited"]


def test_a_skipped_draft_is_passed_over(acme: Workspace) -> None:
    campaign = held(acme, ["quiet-ada"], [email("One", "First"), email("Two", "", days=2)])
    draft = the_draft(acme)
    approvals.skip(acme, draft.id)
    following = the_draft(acme)
    assert (following.text, following.subject, following.step) == ("Two", "Re: First", 1)
    assert following.due_at == acme.now() + timedelta(days=2)
    assert the_draft(acme, A.SKIPPED).reason == "skipped_by_you"
    approvals.skip(acme, following.id)
    forward(acme, days=8)
    assert acts(acme) == []
    assert fresh(campaign).status == "finished"
    assert_counters_hold(campaign)


def test_a_skip_can_be_taken_back(acme: Workspace) -> None:
    """For ten seconds nothing follows from it, even where nothing is left to do."""
    campaign = held(acme, ["quiet-ada"], [email("One", "First"), email("Two", "")])
    first = the_draft(acme)
    approvals.skip(acme, first.id)
    approvals.skip(acme, the_draft(acme).id)
    forward(acme, hours=9 / 3600)
    second = next(draft for draft in drafts(acme, A.SKIPPED) if draft.step == 1)
    with pytest.raises(Conflict):
        approvals.undo(acme, first.id)
    approvals.undo(acme, second.id)
    approvals.undo(acme, first.id)
    assert the_draft(acme).id == first.id
    person = only(campaign)
    assert (person.state, person.step, person.approval_id) == (LeadState.PENDING, 0, first.id)
    assert_counters_hold(campaign)
    approvals.edit(acme, first.id, text="One", approve=True)
    forward(acme, hours=1)
    assert sent(acme) == ["One"]


def test_the_same_decision_again_changes_nothing(acme: Workspace) -> None:
    draft = opener(acme)
    for _ in range(2):
        assert approvals.edit(acme, draft.id, text="Once", subject="S", approve=True).status == A.APPROVED
    for different in ({"text": "Other"}, {"text": "Once", "subject": "T"}):
        with pytest.raises(InvalidRequest) as refusal:
            approvals.edit(acme, draft.id, approve=True, **different)
        assert refusal.value.fields == [("id", "This draft is no longer waiting (status: approved).")]
    with pytest.raises(InvalidRequest):
        approvals.edit(acme, draft.id, text="Once")
    forward(acme, hours=1)
    assert approvals.edit(acme, draft.id, text="Once", approve=True).status == A.DONE


def test_an_edit_is_checked_and_kept(acme: Workspace) -> None:
    """What can never be sent is refused, an empty draft is kept but not approved, an edit back is no edit."""
    draft = opener(acme)
    for text, subject, path in (
        ("x" * 8001, None, "text"),
        ("a\n---\nb", None, "text"),
        ("Fine", "s" * 201, "subject"),
        ("Fine", "a\nb", "subject"),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            approvals.edit(acme, draft.id, text=text, subject=subject)
        assert [field.path for field in refusal.value.fields] == [path]
    assert the_draft(acme).text == "Dear Ada"
    assert approvals.edit(acme, draft.id, text=" ").warnings[0]["code"] == "empty"
    with pytest.raises(InvalidRequest):
        approvals.edit(acme, draft.id, text="", approve=True)
    assert approvals.edit(acme, draft.id, text="Hi Bob, how are you?").warned
    assert approvals.edit(acme, draft.id, text="Dear Ada").edited is False
    assert the_draft(acme).warned is False


def test_a_draft_that_changed_meanwhile_is_not_overwritten(acme: Workspace) -> None:
    draft = opener(acme)
    read = approvals.fingerprint(draft)
    approvals.edit(acme, draft.id, text="Mine", match=read)
    with pytest.raises(InvalidRequest) as refusal:
        approvals.edit(acme, draft.id, text="Theirs", match=read)
    assert refusal.value.fields[0].path == "If-Match"
    assert approvals.edit(acme, draft.id, text="Theirs", match=approvals.fingerprint(the_draft(acme))).text == "Theirs"


def test_drafts_are_found_by_what_they_are(acme: Workspace) -> None:
    opener(acme)
    held(acme, [{"publicId": "bob", "email": "b@b.example"}], [email("Dear {{first_name}}")], name="Other")
    one, other = drafts(acme)
    for filters, found in (
        (Filters(campaign_id=one.campaign_id), [one.id]),
        (Filters(kind="email", sender_id=one.sender_id), [one.id, other.id]),
        (Filters(kind="inmail"), []),
        (Filters(warned=True), [other.id]),
        (Filters(status=A.DONE), []),
    ):
        query = approvals.page(acme, filters).order_by(Approval.id)
        assert [row.Approval.id for row in session().execute(query)] == found
        assert approvals.count(acme, filters) == len(found)
    end_read()


def test_every_move_of_the_machine(acme: Workspace) -> None:
    for status in ApprovalStatus:
        for name, step in APPROVAL.moves.items():
            thing = Approval(status=status)
            if status in step.sources:
                APPROVAL.move(thing, name)
                assert thing.status == step.target
            else:
                with pytest.raises(Conflict):
                    APPROVAL.move(thing, name)
