"""Looking things up for credits: buying signals, and the addresses and numbers of people."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


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


class SignalSource(Protocol):
    """Where signals come from. A look-up takes less than half a minute, and may raise a ProviderError."""

    @property
    def kinds(self) -> Collection[str]:
        """The kinds that can be asked."""
        ...

    def look_up(self, question: SignalQuestion) -> Mapping[str, Any] | None:
        """What was found, in the shape of the kind; None when there is nothing."""
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


@dataclass(frozen=True)
class Contact:
    """An address or a number, and who knew it."""

    value: str
    source: str


class ContactSource(Protocol):
    """Where addresses and numbers come from. A look-up takes less than half a minute, and may raise a ProviderError."""

    @property
    def kinds(self) -> Collection[str]:
        """The kinds that can be asked."""
        ...

    def find(self, question: ContactQuestion) -> Contact | None:
        """What was found; None when there is nothing."""
        ...
