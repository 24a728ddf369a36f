"""Held companies as API resources."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.resources.base import Json, Resource, Shape

Decision = Literal["", "go_on", "end", "hand_over"]


class HeldCampaign(Shape):
    """A campaign in which people of the company are held, and how many."""

    id: int
    name: str
    people: int


class CompanyHold(Resource):
    """A company where a person replied; everyone else there is held until `decision` is made."""

    id: int
    name: str
    domain: str
    person_id: int | None = Field(description="Who replied.")
    conversation_id: int | None
    account_id: int | None = Field(description="The sender they replied to; hand_over gives the people to it.")
    opt_out: bool = Field(description="The person asked not to be contacted.")
    at: datetime
    people: int = Field(description="How many people are held now.")
    campaigns: list[HeldCampaign]
    decision: Decision = Field(description='"" while it waits for a decision.')
    decided_by: str
    decided_at: datetime | None

    @classmethod
    def of(cls, shown: Any) -> Json:
        hold = shown.hold
        return {
            "id": hold.id,
            "name": hold.name,
            "domain": hold.company_domain,
            "personId": hold.person_id,
            "conversationId": hold.conversation_id,
            "accountId": shown.sender.id if shown.sender else None,
            "optOut": hold.opt_out,
            "at": hold.at,
            "people": shown.people,
            "campaigns": [one._asdict() for one in shown.held],
            "decision": hold.decision,
            "decidedBy": hold.decided_by,
            "decidedAt": hold.decided_at,
        }

    @classmethod
    def many(cls, things: Any) -> list[Json]:
        return [cls.of(one) for one in things]


class LeftPeople(Shape):
    """People of one campaign who could not be handed over, and why; they stay paused."""

    campaign: str
    people: int
    why: str


class CompanyDecision(Resource):
    """What a decision did."""

    id: int
    decision: Decision
    people: int = Field(description="How many continued, stopped or were handed over; 0 when already decided.")
    left: list[LeftPeople]

    @classmethod
    def of(cls, done: Any) -> Json:
        left = [one._asdict() for one in done.left]
        return {"id": done.hold.id, "decision": done.hold.decision, "people": done.people, "left": left}
