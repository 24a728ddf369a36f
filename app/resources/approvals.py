"""Drafts that wait for a human decision, and what became of many of them at once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from app.models.approvals import ApprovalStatus
from app.resources.base import Json, Resource, Shape


class ApprovalLead(Shape):
    """Whom a draft is for."""

    id: int
    name: str
    title: str
    company: str
    image_url: str


class Approval(Resource):
    """A message or an e-mail that waits for a human, or did."""

    id: int
    campaign_id: int
    campaign_name: str
    kind: Literal["message", "inmail", "email"]
    status: ApprovalStatus
    text: str
    subject: str
    edited: bool
    lead: ApprovalLead | None
    sender: str
    created_at: datetime

    @classmethod
    def of(cls, row: Any) -> Json:
        """The draft of a row that also has its campaign, its lead and the name of its sender."""
        approval, lead = row.Approval, row.Lead
        return {
            "id": approval.id,
            "campaignId": approval.campaign_id,
            "campaignName": row.Campaign.name,
            "kind": approval.kind,
            "status": approval.status,
            "text": approval.text,
            "subject": approval.subject,
            "edited": approval.edited,
            "lead": lead
            and {
                "id": lead.id,
                "name": lead.name,
                "title": lead.position or lead.headline,
                "company": lead.company_name,
                "imageUrl": lead.image_url,
            },
            "sender": row.name or "",
            "createdAt": approval.created_at,
        }


class RewriteResult(Resource):
    """What became of a wish: whether the draft says something else, a sentence about it, and the draft."""

    changed: bool
    message: str
    approval: Approval

    @classmethod
    def of(cls, made: Any, row: Any) -> Json:  # type: ignore[override]
        """The result of a rewriting, and the draft's row as it is now."""
        return {"changed": made.changed, "message": made.sentence, "approval": Approval.of(row)}


class ApprovalResult(Shape):
    """What became of one of many; `message` says why when nothing did."""

    id: int
    outcome: Literal["approved", "skipped", "has_warnings", "not_waiting", "not_found"]
    message: str


class BulkApprovals(Resource):
    """One result for each draft that was named, in that order."""

    results: list[ApprovalResult]

    @classmethod
    def of(cls, results: Sequence[Any]) -> Json:
        """From the results of the verb."""
        return {"results": [{"id": one.id, "outcome": one.outcome, "message": one.message} for one in results]}
