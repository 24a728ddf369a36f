"""What was asked before each contact, as an API resource and in a person's export."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, ReasonCode, Resource, Shape, StepKind


class AskedBefore(Shape):
    """A check before a contact, and its result at that moment."""

    code: ReasonCode
    """The question as a stable code."""
    question: str
    """The question as a sentence to show."""
    answer: str
    """The answer at that moment."""
    let_in: bool
    """True if a member let the person in despite this rule."""


class ProvenContact(Shape):
    """One contact with the checks before it."""

    at: datetime
    """When the person was contacted."""
    kind: StepKind
    """The action, such as `message` or `email`."""
    account_name: str
    """The name of the sender."""
    campaign_name: str
    """The name of the campaign; empty if it belongs to none."""
    asked: list[AskedBefore]
    """The checks before the contact; empty when they wrote first, and after an erasure."""


class ContactProof(Resource):
    """Every contact of a person with the checks before it, oldest first."""

    person_id: int
    """The person."""
    contacts: list[ProvenContact]
    """Every contact, oldest first."""

    @classmethod
    def of(cls, found: Any) -> Json:
        return {
            "personId": found.record.person.id,
            "contacts": [contact_of(one) for one in found.contacts],
        }


def contact_of(one: Any) -> Json:
    """Build one contact."""
    return {
        "at": one.at,
        "kind": one.kind,
        "accountName": one.sender,
        "campaignName": one.campaign,
        "asked": [
            {"code": line.code, "question": line.question, "answer": line.answer, "letIn": line.set_aside}
            for line in one.asked
        ],
    }
