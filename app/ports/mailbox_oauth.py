"""Mailbox OAuth: owners allow access on their provider's page instead of sharing a password."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Consent:
    """Whose mailbox we were let into, and the token by which it stays open."""

    address: str
    refresh_token: str = field(repr=False)
    name: str = ""


class MailConsent(Protocol):
    """Providers with which this installation is registered."""

    def ways(self) -> Mapping[str, str]:
        """The names of those providers, by the way in which their mailboxes sign in."""
        ...

    def page(self, way: str, *, state: str, challenge: str, back: str, address: str = "") -> str:
        """The page on which the owner lets us in; they come back with `state`. `challenge` is of PKCE (S256)."""
        ...

    def redeem(self, way: str, *, code: str, verifier: str, back: str) -> Consent:
        """What the code that they came back with is good for, once. Refused says why it is good for nothing."""
        ...
