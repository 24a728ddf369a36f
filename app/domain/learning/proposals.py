"""Proposals: rules that edits suggest; a person accepts, puts off or declines each, and can take it back."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import get_owned, session, transaction
from app.core.errors import InvalidRequest
from app.domain.approvals import approvals, drafting
from app.domain.learning import draft_rules, weekly_summary
from app.domain.platform import audit_log, jobs, locks
from app.domain.rules.edits import suggestions
from app.domain.rules.edits.lessons import Lesson
from app.domain.rules.edits.suggestions import Decided
from app.models.approvals import Approval, ApprovalStatus
from app.models.autopilot import LEARNT_RULE, LearntRule, LearntRuleStatus, Setup
from app.models.platform.jobs import Job
from app.models.workspaces import User, Workspace

LOOKED_AT = 300  # the latest drafts that were let go
AT_ONCE, BATCH = 100, 100  # drafts that are written again within a request, and then by turns
KIND = "learnt_rule"  # of the job that writes the others again
MOST_RULES = 50
_ASKED = [LearntRuleStatus.PROPOSED, LearntRuleStatus.LATER]
_SENT = [ApprovalStatus.APPROVED, ApprovalStatus.DONE]


CHANGES: list[Callable[[Workspace], None]] = []


def register_change(hear: Callable[[Workspace], None]) -> Callable[[Workspace], None]:
    """Register `hear(workspace)`: it is called when a rule was accepted or taken back, in that transaction."""
    CHANGES.append(hear)
    return hear


def connect() -> None:
    """Look at each draft that is let go, or comes back; called once by create_app."""
    if hear not in approvals.DECISIONS:
        approvals.register_decision(hear)


def hear(approval: Approval) -> None:
    """Look for proposals if this decision can have made or ended one. Inside its transaction."""
    asked = session().scalars(_rules(approval.workspace_id).where(LearntRule.status.in_(_ASKED))).all()
    values = draft_rules.values_of(approval.facts)
    if approval.edited or any(
        approval.id in rule.drafts or lesson_of(rule).stands(approval.text, approval.kind, values) for rule in asked
    ):
        session().flush()
        look(session().get_one(Workspace, approval.workspace_id))


def _rules(workspace_id: int) -> sa.Select[LearntRule]:
    return sa.select(LearntRule).where(LearntRule.workspace_id == workspace_id)


def lesson_of(rule: LearntRule) -> Lesson:
    """Return the lesson of a rule."""
    return Lesson(rule.kind, tuple(rule.detail))


def look(workspace: Workspace) -> None:
    """Compare the drafts that were let go with what was offered, and keep what they suggest. Inside a transaction."""
    known = {rule.words: rule for rule in session().scalars(_rules(workspace.id).order_by(LearntRule.id))}
    found = {one.lesson.rule: one for one in suggestions.suggestions(_decided(workspace))}
    settled = {_slot(lesson_of(rule)) for rule in known.values() if rule.status not in _ASKED}
    at, current = workspace.now(), session()
    for words, one in found.items():
        rule, edits = known.get(words), len(one.drafts)
        if rule is None:
            if one.lesson.kind == "most_words" and _slot(one.lesson) in settled:
                continue  # another length is the same question again
            current.add(_proposed(workspace, one, words, at))
            weekly_summary.remember(workspace)
        elif rule.status == LearntRuleStatus.PROPOSED:
            rule.drafts, rule.edits = list(one.drafts), edits
        elif rule.status == LearntRuleStatus.LATER and edits >= rule.edits + suggestions.ENOUGH:
            rule.status, rule.drafts, rule.edits = LearntRuleStatus.PROPOSED, list(one.drafts), edits
            rule.proposed_at, rule.decided_at, rule.decided_by = at, None, None
    for words, rule in known.items():
        if rule.status == LearntRuleStatus.PROPOSED and words not in found:
            current.delete(rule)
    current.flush()


def _proposed(workspace: Workspace, found: suggestions.Suggestion, words: str, at: datetime) -> LearntRule:
    return LearntRule(
        workspace_id=workspace.id,
        kind=found.lesson.kind,
        detail=list(found.lesson.detail),
        words=words,
        status=LearntRuleStatus.PROPOSED,
        drafts=list(found.drafts),
        edits=len(found.drafts),
        rewritten=0,
        proposed_at=at,
    )


def _decided(workspace: Workspace) -> list[Decided]:
    """Return the latest drafts that were let go, newest first."""
    query = (
        sa.select(Approval.id, Approval.kind, Approval.written_text, Approval.text, Approval.facts)
        .where(Approval.workspace_id == workspace.id, Approval.decided_at.is_not(None))
        .where(Approval.status.in_(_SENT))
        .order_by(Approval.decided_at.desc(), Approval.id.desc())
        .limit(LOOKED_AT)
    )
    return [
        Decided(row.id, row.kind, row.written_text, row.text, draft_rules.values_of(row.facts))
        for row in session().execute(query)
    ]


def _slot(lesson: Lesson) -> tuple[str, ...]:
    """Return what only one rule at a time can decide."""
    if lesson.kind in ("one_question", "no_questions"):
        return ("questions",)
    if lesson.kind in ("greeting", "most_words"):
        return (lesson.kind, lesson.detail[0])
    return (lesson.kind,) if lesson.kind == "sign_off" else (lesson.kind, *sorted(lesson.detail))


def proposed(workspace: Workspace) -> LearntRule | None:
    """Return the proposal to ask about next, if there is one."""
    query = _rules(workspace.id).where(LearntRule.status == LearntRuleStatus.PROPOSED)
    return session().scalars(query.order_by(LearntRule.edits.desc(), LearntRule.id).limit(1)).first()


def every(workspace: Workspace) -> Sequence[LearntRule]:
    """Return the rules that were ever proposed, newest first."""
    return session().scalars(_rules(workspace.id).order_by(LearntRule.id.desc())).all()


def page(workspace: Workspace) -> sa.Select[Any]:
    """Select the rules that were ever proposed."""
    return _rules(workspace.id)


def accept(workspace: Workspace, rule_id: int, by: User | None = None) -> LearntRule:
    """Let all new texts follow the rule; drafts that wait and were not edited are written again."""
    with transaction():
        rule = _moved(workspace, rule_id, "accept", by)
        for other in every(workspace):
            same = _slot(lesson_of(other)) == _slot(lesson_of(rule))
            if other.id != rule.id and other.status == LearntRuleStatus.ON and same:
                LEARNT_RULE.move(other, "take_back")
                other.decided_at = rule.decided_at
                _drop(workspace, other.words)
        _add(workspace, rule.words)
        session().flush()
        rule.rewritten = _write_again(workspace)
        _tell(workspace)
        return rule


def put_off(workspace: Workspace, rule_id: int, by: User | None = None) -> LearntRule:
    """Ask again after three more such edits."""
    with transaction():
        return _moved(workspace, rule_id, "later", by)


def decline(workspace: Workspace, rule_id: int, by: User | None = None) -> LearntRule:
    """Never ask again."""
    with transaction():
        return _moved(workspace, rule_id, "never", by)


def take_back(workspace: Workspace, rule_id: int, by: User | None = None) -> LearntRule:
    """Take an accepted rule back; drafts that wait and were not edited are written again without it."""
    with transaction():
        rule = _moved(workspace, rule_id, "take_back", by)
        _drop(workspace, rule.words)
        session().flush()
        _write_again(workspace)
        _tell(workspace)
        return rule


def _tell(workspace: Workspace) -> None:
    for hear in CHANGES:
        hear(workspace)


def accepted(workspace: Workspace) -> Sequence[LearntRule]:
    """Return the rules that hold, in the order they were accepted."""
    query = _rules(workspace.id).where(LearntRule.status == LearntRuleStatus.ON)
    return session().scalars(query.order_by(LearntRule.decided_at, LearntRule.id)).all()


def _moved(workspace: Workspace, rule_id: int, verb: str, by: User | None) -> LearntRule:
    locks.lock_workspaces([workspace.id])
    rule = get_owned(LearntRule, workspace, rule_id, lock=True)
    LEARNT_RULE.move(rule, verb)
    rule.decided_at, rule.decided_by = workspace.now(), by.id if by else None
    audit_log.record(workspace, f"learnt_rule.{verb}", rule.words, by=by)
    weekly_summary.remember(workspace)
    draft_rules.forget()
    return rule


def _setup(workspace: Workspace) -> Setup | None:
    query = sa.select(Setup).where(Setup.workspace_id == workspace.id).with_for_update()
    return session().scalars(query.execution_options(populate_existing=True)).one_or_none()


def _add(workspace: Workspace, words: str) -> None:
    """Add the rule to those that the writer obeys."""
    setup = _setup(workspace)
    if setup is None or words in setup.rules:
        return
    if len(setup.rules) >= MOST_RULES:
        raise InvalidRequest.of(("rules", f"Use at most {MOST_RULES} rules. Delete one first."))
    setup.rules = [*setup.rules, words]


def _drop(workspace: Workspace, words: str) -> None:
    setup = _setup(workspace)
    if setup is not None:
        setup.rules = [rule for rule in setup.rules if rule != words]


def _write_again(workspace: Workspace) -> int:
    """Write the drafts again that the rules now change; return how many they are."""
    ids = _affected(workspace)
    drafting.write_again(workspace, ids[:AT_ONCE])
    if ids[AT_ONCE:]:
        jobs.add(workspace, KIND, "drafts")
    return len(ids)


def _affected(workspace: Workspace) -> list[int]:
    """Return the waiting, unedited drafts that read otherwise by the rules as they are now."""
    rules = {rule.words for rule in every(workspace) if rule.status == LearntRuleStatus.ON}
    query = sa.select(Approval.id, Approval.kind, Approval.text, Approval.subject, Approval.facts).where(
        Approval.workspace_id == workspace.id,
        Approval.status == ApprovalStatus.PENDING,
        Approval.edited.is_(False),
    )
    return [
        row.id
        for row in session().execute(query.order_by(Approval.id))
        if {fact["text"] for fact in row.facts if fact["kind"] == draft_rules.FACT} - rules
        or draft_rules.followed(workspace.id, row.kind, row.text, row.subject).facts
    ]


def write_rest(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Write the other drafts again, a batch at a time."""
    seen: set[int] = set()
    while ids := [one for one in _affected(workspace) if one not in seen][:BATCH]:
        with transaction():
            locks.lock_workspaces([workspace.id])
            drafting.write_again(workspace, ids)
        seen.update(ids)
        jobs.renew_lease(job)
