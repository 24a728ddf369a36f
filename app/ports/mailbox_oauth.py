"""Mailbox OAuth: owners allow access on their provider's page instead of sharing a password."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True)
class Consent:
    """A granted access: the mailbox's address, and the token with which access is renewed."""

    address: str
    refresh_token: str = field(repr=False)
    name: str = ""


@dataclass(frozen=True)
class ClientLogin:
    """This installation's OAuth client at a provider. `tenant` is for Microsoft; '' accepts mailboxes of any tenant."""

    client_id: str
    client_secret: str = field(repr=False)
    tenant: str = ""


class OAuthClients(Protocol):
    """The registrations that the server's admin has entered on a page."""

    def entered(self) -> Mapping[str, ClientLogin]:
        """Return the registrations by provider (`google` or `microsoft`)."""


class MailConsent(Protocol):
    """Providers with which this installation is registered, by its settings or by what its admin entered."""

    def ways(self) -> Mapping[str, str]:
        """Return the names of those providers, by the way in which their mailboxes sign in."""

    def page(self, way: str, *, state: str, challenge: str, back: str, address: str = "") -> str:
        """Return the provider's consent page; it returns the owner with `state`. `challenge` is of PKCE (S256)."""

    def redeem(self, way: str, *, code: str, verifier: str, back: str) -> Consent:
        """Exchange the one-time code for a consent; raise Refused with the reason when it is invalid."""

    def fixed(self) -> Mapping[str, ClientLogin]:
        """Return the registrations of the environment's settings, which come before entered ones."""

    def check(self, way: str, client: ClientLogin) -> None:
        """Ask the provider whether it knows this client id and secret; raise Refused with the reason if not."""
