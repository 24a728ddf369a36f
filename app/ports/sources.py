"""The autopilot's data sources: visitors, customers, and website verification."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from app.ports.failures import Refused


class SourceRefused(Refused):
    """What was given opens nothing, too much, or leaves a choice open; `field` is what has to be put right."""

    def __init__(self, sentence: str, field: Literal["key", "region", "project"] = "key") -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True)
class Visitor:
    """Somebody with an address who looked at the website. `page` is the last page in words, as it stands in a sentence.

    `public_id` is empty where only the address is known.
    """

    email: str
    page: str
    at: datetime
    first_name: str = ""
    last_name: str = ""
    company: str = ""
    title: str = ""
    public_id: str = ""
    profile_url: str = ""


@dataclass(frozen=True)
class VisitorPage:
    """Some of the visitors, the latest first; `after` leads to the next of them, '' when there are none."""

    visitors: Sequence[Visitor]
    after: str


@dataclass(frozen=True)
class Customer:
    """Somebody who pays, or paid until `ended_on`. `public_id` is empty where only the address is known."""

    email: str
    first_name: str = ""
    last_name: str = ""
    company: str = ""
    title: str = ""
    public_id: str = ""
    profile_url: str = ""
    ended_on: date | None = None
    reason: str = ""  # why it ended, in their word for it
    plan: str = ""


@dataclass(frozen=True)
class CustomerPage:
    """Some of the customers; `after` leads to the next of them, '' when there are none."""

    customers: Sequence[Customer]
    after: str


class AnalyticsSource(Protocol):
    """Where it is counted who looks at the website and the product. Every method may raise a ProviderError."""

    def check(self, key: str, region: str, project_id: str) -> str:
        """The project that the key may read; SourceRefused when the key opens nothing or too much."""
        ...

    def visitors(self, key: str, region: str, project_id: str, seed: int, since: datetime, after: str) -> VisitorPage:
        """Those with an address who looked at a page since then, each once."""
        ...


class PaymentsSource(Protocol):
    """Where subscriptions are paid. Every method may raise a ProviderError."""

    def check(self, key: str) -> bool:
        """Whether the key opens test data; SourceRefused when it may not read customers and subscriptions."""
        ...

    def customers(self, key: str, seed: int, ended: bool, after: str) -> CustomerPage:
        """The customers of subscriptions that go on, or of those that were canceled; somebody may come twice."""
        ...


class SiteProof(Protocol):
    """Whether a website carries a mark of ours."""

    def holds(self, address: str, mark: str) -> bool:
        """Whether the home page holds the mark. Unreachable or Refused, in a sentence, when it cannot be read."""
        ...
