"""The proof of contact as an API resource, and in a person's export."""

from datetime import datetime
from typing import Any

from pydantic import Field

from app.resources.base import Json, Resource, Shape


class AskedBefore(Shape):
    """A question that was asked before a contact, and the answer at that moment."""

    code: str
    question: str
    answer: str
    let_in: bool = Field(description="A member let the person in although this rule leaves them out.")


class ProvenContact(Shape):
    """One contact. Without a `number` no proof was kept; `verified`: it and all before it are as they were written."""

    at: datetime
    kind: str = Field(description='The action, such as `message` or `email`; "" when it was deleted.')
    account_name: str
    campaign_name: str
    number: int | None = Field(description="Its place in the person's chain, from 1.")
    verified: bool
    mark: str = Field(description="A keyed hash over this proof and the mark before it.")
    asked: list[AskedBefore] = Field(description="Empty after an erasure; the chain still verifies.")


class ContactProof(Resource):
    """Every contact of a person with its proof, oldest first."""

    person_id: int
    intact: bool = Field(description="Whether every proof is as it was written.")
    contacts: list[ProvenContact]

    @classmethod
    def of(cls, found: Any) -> Json:
        return {
            "personId": found.record.person.id,
            "intact": found.intact,
            "contacts": [contact_of(one) for one in found.contacts],
        }


def contact_of(one: Any) -> Json:
    """Build one contact."""
    return {
        "at": one.at,
        "kind": one.kind,
        "accountName": one.sender,
        "campaignName": one.campaign,
        "number": one.proof.number if one.proof else None,
        "verified": one.verified,
        "mark": one.proof.mark if one.proof else "",
        "asked": [
            {"code": line.code, "question": line.question, "answer": line.answer, "letIn": line.set_aside}
            for line in one.asked
        ],
    }
