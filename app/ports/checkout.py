"""Checkout for servers that sell plans: buy, manage and follow a subscription."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class SubscriptionState(StrEnum):
    """The state of a subscription. It continues while a payment is late; the provider collects it."""

    TRIALING = "trialing"
    ACTIVE = "active"
    ENDED = "ended"
    UNFINISHED = "unfinished"  # was never paid so far


@dataclass(frozen=True)
class Subscribed:
    """A subscription's state at the provider. `plan` is '' if this server does not sell the plan."""

    name: str
    customer: str
    state: SubscriptionState
    plan: str
    began_at: datetime | None  # start of the current period
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
        """Return the names of the plans that are sold, in order."""

    def check(self) -> None:
        """Check that the key may sell."""

    def checkout(self, workspace: int, plan: str, customer: str, email: str, back: str) -> str:
        """Return the address of the page to buy the plan for that workspace."""

    def portal(self, customer: str, back: str) -> str:
        """Return the address of the page where the customer changes or cancels the subscription."""

    def subscription(self, name: str) -> Subscribed:
        """Return the current state of that subscription."""

    def end(self, name: str, at_the_end: bool) -> None:
        """Cancel the subscription at the end of its period, or undo that."""

    def hear(self, body: bytes, signature: str) -> SaleEvent | None:
        """Return a verified event, None for an irrelevant one; raise Refused when unsigned or too old."""
