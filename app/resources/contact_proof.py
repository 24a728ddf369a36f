"""What was asked before each contact, as an API resource and in a person's export."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, ReasonCode, Resource, Shape, StepKind


class AskedBefore(Shape):
    """A check made before a person was contacted, with its result."""

    code: ReasonCode
    """The code of the check, which does not change."""
    question: str
    """The check as a question you can show to users."""
    answer: str
    """The answer to `question` when the person was contacted."""
    let_in: bool
    """True if a member included the person in the campaign despite this check."""

    @classmethod
    def of(cls, line: Any) -> Json:
        return cls.filled(line, let_in=line.set_aside)


class ProvenContact(Shape):
    """A contact with the person, with the checks made before the contact."""

    at: datetime
    """When the person was contacted."""
    kind: StepKind
    """The action, such as `message` or `email`."""
    account_name: str
    """The name of the sender."""
    campaign_name: str
    """The name of the campaign; empty if the contact was not part of a campaign."""
    asked: list[AskedBefore]
    """The checks made before the contact; empty if the person wrote first, or has been erased."""

    @classmethod
    def of(cls, one: Any) -> Json:
        return cls.filled(one, account_name=one.sender, campaign_name=one.campaign)


class ContactProof(Resource):
    """Every contact with a person, with the checks made before each contact."""

    person_id: int
    """The id of the person."""
    contacts: list[ProvenContact]
    """Every time the person was contacted, oldest first."""

    @classmethod
    def of(cls, found: Any) -> Json:
        return cls.filled(found, person_id=found.record.person.id)
