"""What was learnt as API resources: rules from edits, the order of reasons to write, and drafts with their outcome."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.models.autopilot import LearntRuleStatus
from app.resources.autopilot import PlayNumbers
from app.resources.base import Json, Resource, Shape


class LearntRule(Resource):
    """A rule that edits of drafts suggest, and what was decided about it."""

    id: int
    rule: str
    question: str = Field(description="What was done, and how often.")
    status: LearntRuleStatus
    applies: bool = Field(description="Whether new texts follow it.")
    approval_ids: list[int] = Field(description="The drafts whose edits taught it, newest first.")
    rewritten: int = Field(description="Drafts that waited and followed it at once.")
    proposed_at: datetime
    decided_at: datetime | None

    @classmethod
    def of(cls, rule: Any, question: str = "") -> Json:
        return {
            "id": rule.id,
            "rule": rule.words,
            "question": question,
            "status": rule.status,
            "applies": rule.status == LearntRuleStatus.ON,
            "approvalIds": list(rule.drafts),
            "rewritten": rule.rewritten,
            "proposedAt": rule.proposed_at,
            "decidedAt": rule.decided_at,
        }


class RankingChange(Resource):
    """A reason to write that moved in the order of plays, with the numbers that moved it."""

    id: int
    angle: str
    place_before: int
    place_after: int
    numbers: PlayNumbers
    at: datetime
    undone_at: datetime | None

    @classmethod
    def of(cls, change: Any, found: Any) -> Json:  # type: ignore[override]
        return {
            "id": change.id,
            "angle": change.angle,
            "placeBefore": change.place_before,
            "placeAfter": change.place_after,
            "numbers": PlayNumbers.of(found),
            "at": change.at,
            "undoneAt": change.undone_at,
        }


class AngleNumbers(Shape):
    """A reason to write, its place in the order of plays, and what counts for it."""

    angle: str
    place: int
    usual_place: int
    numbers: PlayNumbers


class Learnt(Resource):
    """What was learnt: rules, the order of reasons to write, and what this week's summary says."""

    rules: list[LearntRule]
    ranking: list[RankingChange]
    angles: list[AngleNumbers]
    week: list[str]

    @classmethod
    def of(cls, view: Any) -> Json:
        return {
            "rules": [LearntRule.of(rule, question) for rule, question in view.rules],
            "ranking": [RankingChange.of(change, found) for change, found in view.ranking],
            "angles": [
                {
                    "angle": one.angle,
                    "place": one.place,
                    "usualPlace": one.usual_place,
                    "numbers": PlayNumbers.of(one.found),
                }
                for one in view.angles
            ],
            "week": list(view.week),
        }


class DraftOutcome(Resource):
    """A decided draft: what was offered, what was sent, and what came of it."""

    id: int
    campaign_id: int
    step_type: Literal["connection_request", "message", "inmail", "email"]
    offered: str
    offered_subject: str
    sent: str = Field(description="The text that was approved; the one offered when the draft was skipped.")
    sent_subject: str
    decision: Literal["approved", "edited", "rewritten", "skipped"]
    wishes: list[str] = Field(description="For which it was rewritten.")
    reason: str = Field(description="Why it was skipped.")
    edited_by: str
    decided_by: str
    outcome: Literal["not_sent", "waiting", "replied", "opted_out", "no_answer"]
    tone: Literal["", "positive", "negative", "generic"]
    decided_at: datetime | None
    sent_at: datetime | None

    @classmethod
    def of(cls, found: Any) -> Json:
        draft = found.approval
        return {
            "id": draft.id,
            "campaignId": draft.campaign_id,
            "stepType": draft.kind,
            "offered": draft.written_text,
            "offeredSubject": draft.written_subject,
            "sent": draft.text,
            "sentSubject": draft.subject,
            "decision": found.decision,
            "wishes": list(draft.wishes or ()),
            "reason": draft.reason,
            "editedBy": found.edited_by,
            "decidedBy": found.decided_by,
            "outcome": found.outcome,
            "tone": found.tone,
            "decidedAt": draft.decided_at,
            "sentAt": draft.done_at,
        }
