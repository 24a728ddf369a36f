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
    """How many people are on hold in this campaign."""


class CompanyHold(Resource):
    """A company where a person replied. Everyone else at the company is on hold until a member decides."""

    id: int
    """The id of the hold."""
    name: str
    """The name of the company."""
    domain: str
    """The domain of the company; empty if it is not known."""
    person_id: int | None
    """The id of the person who replied; null if they were erased."""
    conversation_id: int | None
    """The id of the conversation with the reply; null if it was deleted."""
    account_id: int | None
    """The id of the sender that got the reply, with which people continue after `hand_over`; null if it was removed."""
    opt_out: bool
    """True if the reply was a request not to be contacted."""
    at: datetime
    """When the reply was received."""
    people: int
    """How many people are on hold now."""
    campaigns: list[HeldCampaign]
    """The campaigns in which people are on hold."""
    decision: Decision
    """What a member decided; empty before the decision."""
    decided_by: str
    """The name of the member or API key that decided; empty before the decision."""
    decided_at: datetime | None
    """When the decision was made; null before the decision."""

    @classmethod
    def of(cls, shown: Any) -> Json:
        hold = shown.hold
        return cls.filled(
            hold,
            domain=hold.company_domain,
            account_id=shown.sender.id if shown.sender else None,
            people=shown.people,
            campaigns=shown.held,
        )


class LeftPeople(Shape):
    """People in one campaign who could not be handed over to the sender and stay paused."""

    campaign: str
    """The name of the campaign."""
    people: int
    """How many people in this campaign stay paused."""
    why: str
    """Why the people could not be handed over."""


class CompanyDecision(Resource):
    """The effect of a decision about a company."""

    id: int
    """The id of the hold."""
    decision: Decision
    """What happens to people's campaigns: they resume (`go_on`), end (`end`), or get another sender (`hand_over`)."""
    people: int
    """How many people were resumed, stopped or handed over; 0 if the decision had already been made."""
    left: list[LeftPeople]
    """The people who could not be handed over and stay paused, by campaign."""

    @classmethod
    def of(cls, done: Any) -> Json:
        return cls.filled(done.hold, people=done.people, left=done.left)
