"""Held companies as API resources."""

from datetime import datetime
from typing import Any, Literal

from app.resources.base import Json, Resource, Shape

Decision = Literal["", "go_on", "end", "hand_over"]


class HeldCampaign(Shape):
    """A campaign in which people of the company are on hold."""

    id: int
    """The id of the campaign."""
    name: str
    """The name of the campaign."""
    people: int
    """How many people are held in it."""


class CompanyHold(Resource):
    """A company where a person replied; everyone else there is held until `decision` is made."""

    id: int
    """The id of the hold."""
    name: str
    """The name of the company."""
    domain: str
    """The domain of the company; empty if it is not known."""
    person_id: int | None
    """Who replied."""
    conversation_id: int | None
    """The conversation with the reply; null if it was deleted."""
    account_id: int | None
    """The sender they replied to; hand_over gives the people to it."""
    opt_out: bool
    """The person asked not to be contacted."""
    at: datetime
    """When the reply came."""
    people: int
    """How many people are held now."""
    campaigns: list[HeldCampaign]
    """The campaigns in which people are held."""
    decision: Decision
    """The decision; "" while open."""
    decided_by: str
    """The name of the member or API key that decided; empty before."""
    decided_at: datetime | None
    """When it was decided; null before."""

    @classmethod
    def of(cls, shown: Any) -> Json:
        hold = shown.hold
        return cls.filled(
            hold,
            domain=hold.company_domain,
            account_id=shown.sender.id if shown.sender else None,
            people=shown.people,
            campaigns=[one._asdict() for one in shown.held],
        )

    @classmethod
    def many(cls, things: Any) -> list[Json]:
        return [cls.of(one) for one in things]


class LeftPeople(Shape):
    """People of one campaign who could not be handed over, and why; they stay paused."""

    campaign: str
    """The name of the campaign."""
    people: int
    """How many people stay paused."""
    why: str
    """Why they could not be handed over."""


class CompanyDecision(Resource):
    """What a decision did."""

    id: int
    """The id of the company hold."""
    decision: Decision
    """What was decided."""
    people: int
    """How many continued, stopped or were handed over; 0 when already decided."""
    left: list[LeftPeople]
    """People who stay paused."""

    @classmethod
    def of(cls, done: Any) -> Json:
        left = [one._asdict() for one in done.left]
        return {"id": done.hold.id, "decision": done.hold.decision, "people": done.people, "left": left}
