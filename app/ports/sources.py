"""The autopilot's data sources: visitors, customers, and website verification."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from app.ports.failures import Refused


class SourceRefused(Refused):
    """The credentials are invalid, allow too much, or leave a choice open; `field` is the input to correct."""

    def __init__(self, sentence: str, field: Literal["key", "region", "project"] = "key") -> None:
        super().__init__(sentence)
        self.field = field


@dataclass(frozen=True)
class SourcePerson:
    """A person whom a source knows. `public_id` is empty when only the address is known."""

    email: str
    first_name: str = ""
    last_name: str = ""
    company: str = ""
    title: str = ""
    public_id: str = ""
    profile_url: str = ""


@dataclass(frozen=True, kw_only=True)
class Visitor(SourcePerson):
    """A website visitor with an address. `page` is the last page in words, as it reads in a sentence."""

    page: str
    at: datetime


@dataclass(frozen=True)
class VisitorPage:
    """Some of the visitors, the latest first; `after` leads to the next of them, '' when there are none."""

    visitors: Sequence[Visitor]
    after: str


@dataclass(frozen=True)
class Customer(SourcePerson):
    """A customer who pays, or paid until `ended_on`."""

    ended_on: date | None = None
    reason: str = ""  # why it ended, in their word for it
    plan: str = ""


@dataclass(frozen=True)
class CustomerPage:
    """Some of the customers; `after` leads to the next of them, '' when there are none."""

    customers: Sequence[Customer]
    after: str


class AnalyticsSource(Protocol):
    """A web or product analytics service. Every method may raise a ProviderError."""

    def check(self, key: str, region: str, project_id: str) -> str:
        """Return the key's project; raise SourceRefused when the key is invalid or allows too much."""

    def visitors(self, key: str, region: str, project_id: str, seed: int, since: datetime, after: str) -> VisitorPage:
        """Return visitors with an address since then, each once."""


class PaymentsSource(Protocol):
    """A payments service with subscriptions. Every method may raise a ProviderError."""

    def check(self, key: str) -> bool:
        """Return whether it is a test key; raise SourceRefused unless it reads customers and subscriptions."""

    def customers(self, key: str, seed: int, ended: bool, after: str) -> CustomerPage:
        """Return customers with an active or a canceled subscription; a customer may come twice."""


class SiteProof(Protocol):
    """Checks whether a website has our verification tag."""

    def holds(self, address: str, mark: str) -> bool:
        """Return whether the home page has the tag; raise Unreachable or Refused when it cannot be read."""
