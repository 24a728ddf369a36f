"""Approvals as API resources: drafts, rewrites and bulk results."""

from datetime import datetime
from typing import Any, Literal

from app.models.approvals import ApprovalStatus
from app.resources.base import Json, ReasonCode, Resource, Shape, Values


class ApprovalLead(Shape):
    """The lead that the draft is for."""

    id: int
    """The id of the lead."""
    name: str
    """First and last name."""
    title: str
    """The job title; empty if not known."""
    company: str
    """The name of the company; empty if not known."""
    image_url: str
    """The URL of the profile picture; empty if there is none."""

    @classmethod
    def of(cls, lead: Any) -> Json:
        return cls.filled(lead, title=lead.position or lead.headline, company=lead.company_name)


class ResearchFact(Shape):
    """A fact about the person or your business, quoted with its source and date."""

    id: int
    """The id of the fact."""
    about: Literal["company", "signal", "title", "conversation", "business"]
    """Whether the fact is about the recipient or about your own `business`."""
    label: str
    """The source and date of the fact."""
    quote: str
    """The fact, word for word."""
    address: str
    """The URL of the page with the fact; empty if there is none."""
    date: str
    """The date of the fact, such as `2026-11-23`; empty if the fact has no date."""


class ResearchSentence(Shape):
    """A sentence written for this person, with the ids of the facts that it is based on."""

    text: str
    """The sentence."""
    facts: list[int]
    """The ids of the facts that the sentence is based on."""


class Research(Shape):
    """What the AI model wrote for this person, and the facts it could use."""

    written_by: str
    """The name of the AI model; `built-in` if no model wrote anything."""
    note: str
    """Why part of the model's text was left out; empty if all of it was used."""
    sentences: list[ResearchSentence]
    """The model's opening sentence and its reason for writing; empty if both were left out."""
    facts: list[ResearchFact]
    """The facts that the AI model could use."""

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
    """A draft of a message, email or connection request note that needs, or needed, approval."""

    id: int
    """The id of the draft."""
    campaign_id: int
    """The id of the campaign."""
    campaign_name: str
    """The name of the campaign."""
    kind: Literal["message", "inmail", "email"]
    """How the draft is sent; the note of a connection request is a `message`."""
    status: ApprovalStatus
    """Whether the draft is waiting, or how it was decided."""
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
    """When the draft was created."""
    expires_at: datetime
    """When the draft expires without a decision: 14 days after its step is due."""
    reason: ReasonCode
    """Why the draft was skipped; `without_note` if the request was sent without this note, otherwise empty."""
    variant: str
    """The letter of the step's variant; empty if the step has only one version."""
    step_type: Literal["connection_request", "message", "inmail", "email"]
    """The kind of step that the draft is for; `connection_request` for the note of a connection request."""
    research: Research | None
    """What the AI model wrote for this person, and the facts it could use; null if no model was used."""
    note: str
    """The reviewer's reason for skipping the draft; empty if none was given."""

    @classmethod
    def of(cls, row: Any) -> Json:
        """Build the draft from a row with its campaign, its lead and its sender's name."""
        approval, lead = row.Approval, row.Lead
        return cls.filled(
            approval,
            campaign_name=row.Campaign.name,
            kind="message" if approval.kind == "connection_request" else approval.kind,
            lead=lead,
            sender=row.name or "",
            step_type=approval.kind,
            research=approval.opener and Research.of(approval.opener),
        )


class RewriteResult(Resource):
    """The result of rewriting a draft."""

    changed: bool
    """Whether the draft changed."""
    message: str
    """What was changed, or why nothing was changed."""
    approval: Approval
    """The draft as it is now."""

    @classmethod
    def of(cls, made: Any, row: Any) -> Json:  # type: ignore[override]
        return cls.filled(made, message=made.sentence, approval=row)


class ApprovalResult(Shape):
    """The outcome for one draft."""

    id: int
    """The id of the draft."""
    outcome: Literal["approved", "skipped", "has_warnings", "not_waiting", "not_found"]
    """Whether the draft was approved, skipped or left as it was."""
    message: str
    """Why the draft was not approved or skipped; empty if it was."""


class BulkApprovals(Values):
    """One result per draft, in the order of the request."""

    results: list[ApprovalResult]
    """One result per draft, in the order of the request."""
