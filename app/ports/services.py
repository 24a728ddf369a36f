"""Connectable services: purpose, settings and adapter."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

SERVES = {
    "social": "LinkedIn accounts",
    "people": "People search",
    "email": "Email addresses",
    "verify": "Email verification",
    "phone": "Phone numbers",
    "signals": "Signals",
    "crm": "CRM",
    "meetings": "Booked meetings",
}


@dataclass(frozen=True)
class Field:
    """One value for connecting a service. `made`: when left empty, random letters that no one needs to see."""

    name: str
    label: str
    secret: bool = True
    hint: str = ""
    optional: bool = False
    default: str = ""
    made: bool = False


@dataclass(frozen=True)
class Service:
    """A service. `guide` says what to create there; `cost`: millionths of a dollar per answer, by what it serves.

    `price` is what a month there costs, as of a month that it names, where answers have no price of their own.
    """

    name: str
    title: str
    serves: frozenset[str]
    fields: tuple[Field, ...]
    guide: str
    cost: Mapping[str, int]
    link: str = ""  # the page on which keys are made there
    price: str = ""


@dataclass(frozen=True)
class Credentials:
    """What opens a service for one workspace; never printed."""

    service: str
    values: Mapping[str, str] = field(repr=False)


class ServiceAdapter(Protocol):
    """Speaks to one service. Every method that calls out may raise a ProviderError."""

    @property
    def service(self) -> Service:
        """Return the service it connects to."""

    def check(self, credentials: Credentials) -> str:
        """Return a sentence about the connection; raise Refused for a wrong key or a missing permission."""
