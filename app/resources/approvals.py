"""Approvals as API resources: drafts, rewrites and bulk results."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.models.approvals import ApprovalStatus
from app.resources.base import Json, Resource, Shape


class ApprovalLead(Shape):
    """The lead a draft is for."""

    id: int
    name: str
    title: str
    company: str
    image_url: str


class ResearchFact(Shape):
    """A known fact about the person or you, word for word, with its source and date."""

    id: int
    about: Literal["company", "signal", "title", "conversation", "business"] = Field(
        description="About the recipient, or about your own `business`."
    )
    label: str
    quote: str
    address: str = Field(description='The page it was read on; "" without one.')
    date: str = Field(description='Such as `2026-11-23`; "" when it has none.')


class ResearchSentence(Shape):
    """A sentence written for this person, and the ids of its facts."""

    text: str
    facts: list[int]


class Research(Shape):
    """What a model wrote for this person, from which facts, and why a part was left out."""

    written_by: str = Field(description="The name of the model; `built-in` when it wrote nothing.")
    note: str
    sentences: list[ResearchSentence] = Field(description="The opener and the reason; empty when both were left out.")
    facts: list[ResearchFact]

    @classmethod
    def of(cls, kept: Any) -> Json:
        """Build it from what is kept with the draft."""
        names = ("id", "about", "label", "quote", "address", "date")
        return {
            "writtenBy": kept["by"],
            "note": kept["note"],
            "sentences": [{"text": one["text"], "facts": list(one["facts"])} for one in kept["sentences"]],
            "facts": [{name: one[name] for name in names} for one in kept["facts"]],
        }


class Approval(Resource):
    """A message, the note of a connection request or an email that needs or needed approval."""

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
    expires_at: datetime = Field(description="When the draft expires without a decision.")
    reason: str = Field(
        description='Why the draft was skipped, such as `expired`; `without_note`: sent without its note; else "".'
    )
    variant: str = Field(description='Key of the variant of the step; "" when the step has one text.')
    step_type: Literal["connection_request", "message", "inmail", "email"] = Field(
        description="The kind of step. The note of a connection request is `connection_request`; its `kind` is"
        " `message`."
    )
    research: Research | None = Field(
        description="The sentences a model wrote for this person with their facts; null before the first try."
    )

    @classmethod
    def of(cls, row: Any) -> Json:
        """Build the draft from a row with its campaign, its lead and its sender's name."""
        approval, lead = row.Approval, row.Lead
        return {
            "id": approval.id,
            "campaignId": approval.campaign_id,
            "campaignName": row.Campaign.name,
            "kind": "message" if approval.kind == "connection_request" else approval.kind,
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
            "expiresAt": approval.expires_at,
            "reason": approval.reason,
            "variant": approval.variant,
            "stepType": approval.kind,
            "research": approval.opener and Research.of(approval.opener),
        }


class RewriteResult(Resource):
    """The result of a rewrite: whether the draft changed, a sentence about it, and the draft."""

    changed: bool
    message: str
    approval: Approval

    @classmethod
    def of(cls, made: Any, row: Any) -> Json:  # type: ignore[override]
        return {"changed": made.changed, "message": made.sentence, "approval": Approval.of(row)}


class ApprovalResult(Shape):
    """The result for one draft; `message` says why nothing was done."""

    id: int
    outcome: Literal["approved", "skipped", "has_warnings", "not_waiting", "not_found"]
    message: str


class BulkApprovals(Resource):
    """One result per draft, in the order of the request."""

    results: list[ApprovalResult]

    @classmethod
    def of(cls, results: Sequence[Any]) -> Json:
        return {"results": [{"id": one.id, "outcome": one.outcome, "message": one.message} for one in results]}
