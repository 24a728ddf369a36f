"""Enrichment: buying signals, email addresses and phone numbers, paid with credits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from app.ports.services import Credentials


@dataclass(frozen=True)
class SignalQuestion:
    """A lookup of a signal, about a company (by its domain) or a person (by name and last known company)."""

    kind: str
    at: datetime
    domain: str = ""
    full_name: str = ""
    company_name: str = ""
    job_title: str = ""
    seed: int = 1  # of a sandbox workspace


@dataclass(frozen=True)
class SignalResult:
    """The answer to a signal lookup: data whose form depends on the kind, and the service that answered."""

    answer: Mapping[str, Any]
    source: str


class SignalSource(Protocol):
    """Where signals come from. A lookup takes less than half a minute, and may raise a ProviderError."""

    @property
    def kinds(self) -> Collection[str]:
        """Return the kinds that are supported."""

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        """Return the answer; None when there is none."""


@runtime_checkable
class SignalService(Protocol):
    """A connected service that knows signals: a SignalSource that is opened by a workspace's credentials."""

    @property
    def signals(self) -> Collection[str]:
        """Return the kinds that are supported."""

    def look_up(self, credentials: Credentials, question: SignalQuestion) -> SignalResult | None:
        """Return the answer; None, which is free, when there is none."""


@dataclass(frozen=True)
class ContactQuestion:
    """A lookup of a person's email address or phone number (`kind`); `person` is their normalized public id."""

    kind: str
    person: str
    first_name: str = ""
    last_name: str = ""
    company_name: str = ""
    company_domain: str = ""
    profile_url: str = ""
    seed: int = 1  # of a sandbox workspace


class Verdict(StrEnum):
    """Whether an address can receive email. `risky`: its server accepts email for any address, or does not say."""

    DELIVERABLE = "deliverable"
    RISKY = "risky"
    UNDELIVERABLE = "undeliverable"
    UNCHECKED = ""


@dataclass(frozen=True)
class Contact:
    """An address or phone number and its source; for an address also its verdict and who gave it."""

    value: str
    source: str
    verdict: Verdict = Verdict.UNCHECKED
    verified_by: str = ""


class ContactSource(Protocol):
    """Where addresses and numbers come from. A lookup takes less than half a minute, and may raise a ProviderError."""

    @property
    def kinds(self) -> Collection[str]:
        """Return the kinds that are supported."""

    def find(self, question: ContactQuestion) -> Contact | None:
        """Return the contact; None when there is none."""


@runtime_checkable
class ContactService(Protocol):
    """A connected service that knows addresses or numbers. Every method may raise a ProviderError."""

    def find_contact(self, credentials: Credentials, question: ContactQuestion) -> Contact | None:
        """Return the contact; None, which is free, when there is none.

        Raise Refused only when the person does not want to be looked up at all.
        """


@runtime_checkable
class AddressVerifier(Protocol):
    """A connected service that knows whether an address takes mail. Every method may raise a ProviderError."""

    def verify(self, credentials: Credentials, address: str) -> Verdict:
        """Return the verdict on the address; UNCHECKED when there is none."""
