"""Edits become proposed rules; accepted, they hold for drafts and for the writer; each can be taken back."""

from collections.abc import Sequence

import pytest

from app.core.db import end_read
from app.core.errors import Conflict
from app.domain.approvals import approvals, bulk
from app.domain.autopilot import draft_rewrite, setup_state
from app.domain.learning import learnt, proposals
from app.domain.platform import jobs
from app.models.approvals import Approval
from app.models.autopilot import LearntRule, LearntRuleStatus
from app.models.workspaces import Workspace
from tests.domain.outreach import email
from tests.domain.reviewing import drafts, held

pytestmark = pytest.mark.usefixtures("clock")
SECOND = " Or would a demo be better?"
BODY = f"we plan courses for schools. It takes a week. Shall we talk?{SECOND}"
TEXT = f"Hi {{{{first_name}}}},\n\n{BODY}\n\nBest regards,\nInes"
RULE = "Ask only one question in a text: the first one."


def waiting(workspace: Workspace, number: int = 6, text: str = TEXT) -> Sequence[Approval]:
    """Drafts of first emails to so many people."""
    held(workspace, [f"quiet-p{one}" for one in range(number)], [email(text, subject="Courses!")])
    return drafts(workspace, "pending")


def let_go(workspace: Workspace, draft: Approval, *without: str) -> None:
    """The draft is approved, without these words."""
    text = draft.text
    for words in without:
        assert words in text
        text = text.replace(words, "")
    approvals.edit(workspace, draft.id, text=text, approve=True)


def rules(workspace: Workspace) -> list[LearntRule]:
    """The rules there are, oldest first."""
    found = list(proposals.every(workspace))[::-1]
    end_read()
    return found


def taught(workspace: Workspace, number: int = 6) -> LearntRule:
    """Three drafts lost their second question, so that a rule is proposed."""
    for draft in waiting(workspace, number)[:3]:
        let_go(workspace, draft, SECOND)
    (rule,) = rules(workspace)
    return rule


def test_three_edits_propose_a_rule_with_the_drafts_that_taught_it(acme: Workspace, rival: Workspace) -> None:
    """An edit that is undone no longer counts. A draft let go as it was, or in bulk, speaks against the rule."""
    first, second, third, *_ = waiting(acme)
    let_go(acme, first, SECOND)
    let_go(acme, second, SECOND)
    assert rules(acme) == []
    let_go(acme, third, SECOND)
    (rule,) = rules(acme)
    assert (rule.words, rule.status, rule.drafts) == (RULE, "proposed", [third.id, second.id, first.id])
    assert learnt.question(rule) == "You removed the second question three times. Make it a rule?"
    assert proposals.proposed(acme) is rule
    assert [one.id for one in learnt.edits(acme, rule)] == rule.drafts
    assert rules(rival) == []
    approvals.undo(acme, third.id)
    assert rules(acme) == []
    let_go(acme, third)
    assert len(rules(acme)) == 1
    fourth, fifth, _ = drafts(acme, "pending")
    let_go(acme, fourth)
    assert rules(acme) == []
    approvals.undo(acme, fourth.id)
    let_go(acme, fourth, SECOND)
    (rule,) = rules(acme)
    assert rule.edits == 4
    bulk.bulk(acme, [fifth.id], "approve")
    assert rules(acme) == []


def test_waiting_and_new_drafts_follow_an_accepted_rule_until_it_is_taken_back(acme: Workspace) -> None:
    """Those that a person edited stay as they are; each names the rule it follows. The writer obeys it too."""
    rule = taught(acme)
    setup_state.get(acme)
    edited, *others = drafts(acme, "pending")
    approvals.edit(acme, edited.id, text=f"{edited.text} P.S. Typed.")
    accepted = proposals.accept(acme, rule.id)
    assert (accepted.status, accepted.rewritten) == ("on", 2)
    assert setup_state.get(acme).rules == [RULE]
    now = {draft.id: draft for draft in drafts(acme, "pending")}
    assert SECOND in now[edited.id].text
    for one in others:
        assert SECOND not in now[one.id].text
        assert "Shall we talk?" in now[one.id].text
        assert {"kind": "rule", "label": "Learnt rule", "text": RULE} in now[one.id].facts
        assert not now[one.id].edited
    held(acme, ["quiet-zoe"], [email(TEXT, subject="Courses")], name="Another")
    zoes = drafts(acme, "pending")[-1]
    assert SECOND not in zoes.text
    assert proposals.take_back(acme, rule.id).status == "off"
    assert setup_state.get(acme).rules == []
    assert all(SECOND in draft.text for draft in drafts(acme, "pending") if draft.id != zoes.id)
    with pytest.raises(Conflict):
        proposals.take_back(acme, rule.id)
    assert proposals.accept(acme, rule.id).status == "on"


def test_not_now_asks_again_after_three_more_edits_and_never_does_not(acme: Workspace) -> None:
    rule = taught(acme, 12)
    proposals.put_off(acme, rule.id)
    *more, last = drafts(acme, "pending")[:6]
    for draft in more[:2]:
        let_go(acme, draft, SECOND)
    assert [one.status for one in rules(acme)] == ["later"]
    let_go(acme, more[2], SECOND)
    assert [(one.status, one.edits) for one in rules(acme)] == [("proposed", 6)]
    proposals.decline(acme, rule.id)
    for draft in (more[3], more[4], last):
        let_go(acme, draft, SECOND)
    assert [one.status for one in rules(acme)] == ["never"]
    assert proposals.proposed(acme) is None


def test_of_two_rules_about_the_same_only_the_later_holds(acme: Workspace) -> None:
    first = taught(acme, 9)
    proposals.accept(acme, first.id)
    for draft in drafts(acme, "pending")[:3]:
        let_go(acme, draft, " Shall we talk?")
    (second,) = [one for one in rules(acme) if one.status == LearntRuleStatus.PROPOSED]
    assert second.words == "Ask no questions."
    proposals.accept(acme, second.id)
    assert [one.status for one in rules(acme)] == ["off", "on"]


def test_what_a_program_cannot_do_is_a_reminder(acme: Workspace) -> None:
    """A text that would say nothing without its question keeps it, and the inbox reminds of the rule."""
    only = "Hi {{first_name}},\n\nshall we talk about your courses?"
    for draft in waiting(acme, 3, TEXT)[:3]:
        let_go(acme, draft, " Shall we talk?", SECOND)
    (rule,) = rules(acme)
    proposals.accept(acme, rule.id)
    held(acme, ["quiet-zoe"], [email(only, subject="Courses")], name="Another")
    left = drafts(acme, "pending")[-1]
    assert left.text.endswith("shall we talk about your courses?")
    assert [warning["code"] for warning in left.warnings] == ["learnt_rule"]
    assert not left.warnings[0]["blocking"]


def test_more_drafts_than_a_request_takes_are_written_by_a_job(
    acme: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proposals, "AT_ONCE", 1)
    monkeypatch.setattr(proposals, "BATCH", 1)
    rule = taught(acme)
    assert proposals.accept(acme, rule.id).rewritten == 3
    assert sum(SECOND in draft.text for draft in drafts(acme, "pending")) == 2
    jobs.run_due()
    assert not any(SECOND in draft.text for draft in drafts(acme, "pending"))


def test_a_rewrite_keeps_its_wish_until_it_is_taken_back(acme: Workspace) -> None:
    draft = waiting(acme, 1)[0]
    draft_rewrite.rewrite(acme, draft.id, "shorter")
    assert drafts(acme)[0].wishes == ["shorter"]
    draft_rewrite.take_back(acme, draft.id)
    assert drafts(acme)[0].wishes is None
