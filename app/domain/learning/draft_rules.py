"""Learnt rules in drafts: each new draft follows those that were accepted; where it can't, a check reminds of them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import session
from app.domain.approvals import checks, drafting
from app.domain.approvals.checks import Check, Draft
from app.domain.approvals.drafting import Fact
from app.domain.rules.edits.lessons import Lesson
from app.models.autopilot import LearntRule, LearntRuleStatus
from app.models.campaigns import Campaign
from app.ports.writer import PlayStep, Wait

FACT = "rule"  # kind of the fact that names a rule the text follows
_STEP_KINDS = {"connection_request": "invite", "email": "email", "inmail": "email"}  # of the writer; else a message
_CACHE = "learnt_rules"


@dataclass(frozen=True)
class Followed:
    """A text as the rules have it, and a fact for each rule that changed it."""

    text: str
    subject: str
    facts: Sequence[Fact] = field(default=())


def connect() -> None:
    """Let each new draft follow the rules, and check that it does; called once by create_app."""
    if follow not in drafting.FOLLOWERS:
        drafting.register_follower(follow)
        checks.check(kept)


def forget() -> None:
    """Read the rules anew when they are next asked for."""
    session().info.pop(_CACHE, None)


def _rules(workspace_id: int) -> Sequence[tuple[str, Lesson]]:
    """Return the accepted rules; cached per session, for a draft follows another."""
    kept: dict[int, Sequence[tuple[str, Lesson]]] = session().info.setdefault(_CACHE, {})
    if workspace_id not in kept:
        query = sa.select(LearntRule.words, LearntRule.kind, LearntRule.detail).where(
            LearntRule.workspace_id == workspace_id, LearntRule.status == LearntRuleStatus.ON
        )
        found = session().execute(query.order_by(LearntRule.decided_at, LearntRule.id))
        kept[workspace_id] = [(row.words, Lesson(row.kind, tuple(row.detail))) for row in found]
    return kept[workspace_id]


def values_of(facts: Sequence[Any]) -> tuple[str, ...]:
    """Return the values of the person that stand in a draft's text."""
    return tuple(fact["text"] for fact in facts if fact["kind"] == "field")


def follow(campaign: Campaign, kind: str, text: str, subject: str) -> tuple[str, str, Sequence[Fact]]:
    """Return text and subject by the accepted rules, and a fact for each that changed them."""
    found = followed(campaign.workspace_id, kind, text, subject)
    return found.text, found.subject, found.facts


def followed(workspace_id: int, kind: str, text: str, subject: str) -> Followed:
    """Return the text of a step of that kind by the accepted rules. Nothing is called outside."""
    facts: list[Fact] = []
    for words, _ in _rules(workspace_id) if text.strip() else ():
        step = PlayStep("draft", _STEP_KINDS.get(kind, "social"), Wait(0, "days"), "previous", text, subject)
        (made,) = ports.writer().obey([step], [words]) or (step,)
        if (made.text, made.subject) != (text, subject) and made.text.strip():
            text, subject = made.text, made.subject
            facts.append({"kind": FACT, "label": "Learnt rule", "text": words})
    return Followed(text, subject, facts)


def kept(draft: Draft) -> Check | None:
    """Check that the draft follows the accepted rules; one that a program can't follow is a reminder."""
    rules = _rules(draft.lead.workspace_id) if getattr(draft.lead, "workspace_id", None) else ()
    broken = [words for words, lesson in rules if lesson.stands(draft.text, draft.kind, draft.values)]
    if not rules:
        return None
    if not broken:
        return Check("learnt_rule", True, "Follows your learnt rules")
    return Check("learnt_rule", False, f"Your rule: {' '.join(broken)} This text doesn't follow it.")
