"""A reviewer says in plain words what should be different: done, checked again, and taken back."""

import pytest

from app.core.errors import Conflict, InvalidRequest, NotFound
from app.domain.approvals import approvals
from app.domain.autopilot import draft_rewrite
from app.models.workspaces import Workspace
from app.ports import Unreachable
from tests.domain.autopilot.writers import raises, writer_at
from tests.domain.outreach import INVITE, forward, message
from tests.domain.reviewing import drafts, held, opener, the_draft

pytestmark = pytest.mark.usefixtures("clock")
LONG = (
    "Dear {{first_name}},\n\nI saw that you plan courses by hand. We could do that for you, so that the office answers "
    "fewer calls. It takes a week to set up, and nobody has to learn anything new.\n\nShall we talk?\n\nInes"
)


def test_a_rewritten_draft_keeps_greeting_and_question_and_can_be_undone(acme: Workspace) -> None:
    """Shorter, still with the greeting and the question; then as it was."""
    draft = opener(acme, LONG, subject="Courses")
    written, revision = draft.text, draft.revision
    assert draft_rewrite.rewrite(acme, draft.id, " shorter ").changed
    now = the_draft(acme)
    assert len(now.text) < len(written)
    assert now.text.startswith("Dear Ada,")
    assert "Shall we talk?" in now.text
    assert (now.edited, now.before_text, now.revision) == (True, written, revision + 1)
    draft_rewrite.undo(acme, draft.id)
    back = the_draft(acme)
    assert (back.text, back.subject, back.edited, back.before_text) == (written, "Courses", False, None)


def test_the_checks_look_again_and_parts_stay_apart(acme: Workspace) -> None:
    """A warning goes with the words that it was about, and comes back with them; each part is rewritten on its own."""
    draft = opener(acme, "Hi Ada,\n\nshall we talk?", subject="Bookings")
    approvals.edit(acme, draft.id, text="Hi Ada,\n\nshall we talk? I know [company name].")
    assert [warning["code"] for warning in the_draft(acme).warnings] == ["foreign"]
    draft_rewrite.rewrite(acme, draft.id, "Shorter")
    assert the_draft(acme).warnings == []
    draft_rewrite.undo(acme, draft.id)
    assert [warning["code"] for warning in the_draft(acme).warnings] == ["foreign"]
    text = "Hello {{first_name}}, I am Ines. We plan. Who plans?\n\n---\n\nI call. May I call? It is quick."
    held(acme, ["accepts-ada"], [INVITE, message(text)])
    forward(acme, days=2)
    assert draft_rewrite.rewrite(acme, drafts(acme)[-1].id, "question first").changed
    assert drafts(acme)[-1].text == "Hello Ada, who plans? I am Ines. We plan.\n---\nMay I call? I call. It is quick."


def test_what_cannot_be_done_changes_nothing(acme: Workspace) -> None:
    """It is said, with what can be asked for; a writer that does not answer says why."""
    draft = opener(acme, LONG)
    written = draft.text
    for wish in ("write a poem about the sea", "One more follow-up", "no_email"):
        made = draft_rewrite.rewrite(acme, draft.id, wish)
        assert not made.changed
        assert made.sentence.startswith("Nothing changed: ")
        assert made.sentence.endswith("Without one, you can choose: Shorter, Less formal, More formal, Question first.")
    writer_at("change", raises(Unreachable("The model does not answer.")))
    made = draft_rewrite.rewrite(acme, draft.id, "shorter")
    assert made == draft_rewrite.Rewritten(False, "The model does not answer.")
    assert (the_draft(acme).text, the_draft(acme).before_text) == (written, None)


def test_only_what_waits_and_only_ones_own(acme: Workspace, rival: Workspace) -> None:
    """A wish needs words; what was edited since is not taken back."""
    draft = opener(acme, LONG)
    with pytest.raises(NotFound):
        draft_rewrite.rewrite(rival, draft.id, "shorter")
    with pytest.raises(InvalidRequest):
        draft_rewrite.rewrite(acme, draft.id, " ")
    draft_rewrite.rewrite(acme, draft.id, "shorter")
    with pytest.raises(NotFound):
        draft_rewrite.undo(rival, draft.id)
    approvals.edit(acme, draft.id, text="Dear Ada, by hand")
    with pytest.raises(Conflict):
        draft_rewrite.undo(acme, draft.id)
    approvals.skip(acme, draft.id)
    with pytest.raises(Conflict):
        draft_rewrite.rewrite(acme, draft.id, "shorter")
