"""Enrichment: buying signals, email addresses and phone numbers, paid with credits."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from app.ports.services import Credentials


@dataclass(frozen=True)
class SignalQuestion:
    """What a signal is asked of: a company by its registered domain, or a person by name and last known company."""

    kind: str
    at: datetime
    domain: str = ""
    full_name: str = ""
    company_name: str = ""
    job_title: str = ""
    seed: int = 1  # of a sandbox workspace


@dataclass(frozen=True)
class SignalResult:
    """What a signal is about, in the shape of its kind, and who knew it."""

    answer: Mapping[str, Any]
    source: str


class SignalSource(Protocol):
    """Where signals come from. A lookup takes less than half a minute, and may raise a ProviderError."""

    @property
    def kinds(self) -> Collection[str]:
        """The kinds that can be asked."""
        ...

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        """What was found; None when there is nothing."""
        ...


@runtime_checkable
class SignalService(Protocol):
    """A connected service that knows signals: a SignalSource that is opened by a workspace's credentials."""

    @property
    def signals(self) -> Collection[str]:
        """The kinds that can be asked."""
        ...

    def look_up(self, credentials: Credentials, question: SignalQuestion) -> SignalResult | None:
        """What was found; None when there is nothing, which costs nothing."""
        ...


@dataclass(frozen=True)
class ContactQuestion:
    """Whose address or number is wanted: `person` is their normalised public id, `kind` is email or phone."""

    kind: str
    person: str
    first_name: str = ""
    last_name: str = ""
    company_name: str = ""
    company_domain: str = ""
    profile_url: str = ""
    seed: int = 1  # of a sandbox workspace


class Verdict(StrEnum):
    """What is known of an address: RISKY is one of a server that takes mail for anybody, or that will not say."""

    DELIVERABLE = "deliverable"
    RISKY = "risky"
    UNDELIVERABLE = "undeliverable"
    UNCHECKED = ""


@dataclass(frozen=True)
class Contact:
    """An address or a number, and who knew it; of an address also what is known of it, and by whom."""

    value: str
    source: str
    verdict: Verdict = Verdict.UNCHECKED
    verified_by: str = ""


class ContactSource(Protocol):
    """Where addresses and numbers come from. A lookup takes less than half a minute, and may raise a ProviderError."""

    @property
    def kinds(self) -> Collection[str]:
        """The kinds that can be asked."""
        ...

    def find(self, question: ContactQuestion) -> Contact | None:
        """What was found; None when there is nothing."""
        ...


@runtime_checkable
class ContactService(Protocol):
    """A connected service that knows addresses or numbers. Every method may raise a ProviderError."""

    def find_contact(self, credentials: Credentials, question: ContactQuestion) -> Contact | None:
        """What was found; None when there is nothing, which costs nothing.

        Refused only when the person does not want to be looked up at all.
        """
        ...


@runtime_checkable
class AddressVerifier(Protocol):
    """A connected service that knows whether an address takes mail. Every method may raise a ProviderError."""

    def verify(self, credentials: Credentials, address: str) -> Verdict:
        """What is known of the address; UNCHECKED when it cannot be said."""
        ...
