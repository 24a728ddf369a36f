"""Checkout for servers that sell plans: buy, manage and follow a subscription."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class SubscriptionState(StrEnum):
    """How a subscription stands. While a payment is late it goes on; the provider asks for it."""

    TRIALING = "trialing"
    ACTIVE = "active"
    ENDED = "ended"
    UNFINISHED = "unfinished"  # was never paid so far


@dataclass(frozen=True)
class Subscribed:
    """A subscription as the provider knows it now. `plan` is '' when it is none that is sold here."""

    name: str
    customer: str
    state: SubscriptionState
    plan: str
    began_at: datetime | None  # the present period
    ends_at: datetime | None
    cancel_at: datetime | None


@dataclass(frozen=True)
class SaleEvent:
    """An event about a subscription, proven to come from the provider; `workspace` is 0 when it does not say."""

    event: str
    kind: str
    subscription: str
    customer: str
    workspace: int


class Checkout(Protocol):
    """Sells plans. Every method may raise a ProviderError."""

    @property
    def plans(self) -> tuple[str, ...]:
        """The names of the plans that are sold, in order."""
        ...

    def check(self) -> None:
        """The key may sell."""
        ...

    def checkout(self, workspace: int, plan: str, customer: str, email: str, back: str) -> str:
        """The address of a page where the plan is bought for that workspace."""
        ...

    def portal(self, customer: str, back: str) -> str:
        """The address of a page where the customer changes or ends what they bought."""
        ...

    def subscription(self, name: str) -> Subscribed:
        """How that subscription stands now."""
        ...

    def end(self, name: str, at_the_end: bool) -> None:
        """The subscription ends with its period, or goes on after all."""
        ...

    def hear(self, body: bytes, signature: str) -> SaleEvent | None:
        """What an event says, None when it is about something else; Refused when it is not signed, or too old."""
        ...
