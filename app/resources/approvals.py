"""Approvals as API resources: drafts, rewrites and bulk results."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from app.models.approvals import ApprovalStatus
from app.resources.base import Json, ReasonCode, Resource, Shape


class ApprovalLead(Shape):
    """The lead a draft is for."""

    id: int
    """The id of the lead."""
    name: str
    """First and last name."""
    title: str
    """The job title; empty if not known."""
    company: str
    """The name of the company; empty if not known."""
    image_url: str
    """The address of the profile picture; empty if there is none."""


class ResearchFact(Shape):
    """A known fact about the person or you, word for word, with its source and date."""

    id: int
    """The id of the fact."""
    about: Literal["company", "signal", "title", "conversation", "business"]
    """About the recipient, or about your own `business`."""
    label: str
    """The source and date of the fact."""
    quote: str
    """The fact, word for word."""
    address: str
    """The page it was read on; "" without one."""
    date: str
    """The date of the fact, such as `2026-11-23`; "" when it has none."""


class ResearchSentence(Shape):
    """A sentence written for this person, and the ids of its facts."""

    text: str
    """The sentence."""
    facts: list[int]
    """The ids of its facts."""


class Research(Shape):
    """What a model wrote for this person, from which facts, and why a part was left out."""

    written_by: str
    """The name of the model; `built-in` when it wrote nothing."""
    note: str
    """Why a part was left out; empty if none was."""
    sentences: list[ResearchSentence]
    """The opener and the reason; empty when both were left out."""
    facts: list[ResearchFact]
    """The facts that were available."""

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
    """The id of the approval."""
    campaign_id: int
    """The campaign."""
    campaign_name: str
    """The name of the campaign."""
    kind: Literal["message", "inmail", "email"]
    """How the draft is sent."""
    status: ApprovalStatus
    """The decision, or that there is none yet."""
    text: str
    """The text as it would be sent."""
    subject: str
    """The subject; empty if there is none."""
    edited: bool
    """Whether a member changed the text."""
    lead: ApprovalLead | None
    """Who the draft is for; null if the person was erased."""
    sender: str
    """The name of the sender."""
    created_at: datetime
    """When the approval was created."""
    expires_at: datetime
    """When the draft expires without a decision."""
    reason: ReasonCode
    """Why the draft was skipped, such as `expired`; `without_note`: sent without its note; else ""."""
    variant: str
    """Key of the variant of the step; "" when the step has one text."""
    step_type: Literal["connection_request", "message", "inmail", "email"]
    """The kind of step. The note of a connection request is `connection_request`; its `kind` is `message`."""
    research: Research | None
    """The sentences a model wrote for this person with their facts; null before the first try."""
    note: str
    """Why the draft was skipped, as the reviewer wrote it; empty if not said."""

    @classmethod
    def of(cls, row: Any) -> Json:
        """Build the draft from a row with its campaign, its lead and its sender's name."""
        approval, lead = row.Approval, row.Lead
        return cls.filled(
            approval,
            campaign_name=row.Campaign.name,
            kind="message" if approval.kind == "connection_request" else approval.kind,
            lead=lead
            and {
                "id": lead.id,
                "name": lead.name,
                "title": lead.position or lead.headline,
                "company": lead.company_name,
                "imageUrl": lead.image_url,
            },
            sender=row.name or "",
            step_type=approval.kind,
            research=approval.opener and Research.of(approval.opener),
        )


class RewriteResult(Resource):
    """The result of a rewrite: whether the draft changed, a sentence about it, and the draft."""

    changed: bool
    """Whether the draft changed."""
    message: str
    """What was done, or why nothing was."""
    approval: Approval
    """The draft as it is now."""

    @classmethod
    def of(cls, made: Any, row: Any) -> Json:  # type: ignore[override]
        return {"changed": made.changed, "message": made.sentence, "approval": Approval.of(row)}


class ApprovalResult(Shape):
    """The result for one draft; `message` says why nothing was done."""

    id: int
    """The id of the draft."""
    outcome: Literal["approved", "skipped", "has_warnings", "not_waiting", "not_found"]
    """The outcome."""
    message: str
    """Why nothing was done; empty if something was."""


class BulkApprovals(Resource):
    """One result per draft, in the order of the request."""

    results: list[ApprovalResult]
    """One result per draft, in the order of the request."""

    @classmethod
    def of(cls, results: Sequence[Any]) -> Json:
        return {"results": [{"id": one.id, "outcome": one.outcome, "message": one.message} for one in results]}
