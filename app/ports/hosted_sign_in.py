"""Hosted accounts: people sign in on a provider's page, and its webhooks report changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from app.ports.senders import Accepted
from app.ports.services import Credentials


@dataclass(frozen=True)
class Holder:
    """An account at the provider, with its owner's profile."""

    ref: str
    name: str
    public_id: str
    profile_url: str = ""
    headline: str = ""
    image_url: str = ""
    has_sales_navigator: bool = False


@dataclass(frozen=True)
class SignInPage:
    """A requested sign-in: where the person returns, which address is called, and the account, if it exists."""

    state: str
    back: str
    notify: str
    until: datetime
    account_ref: str = ""


@dataclass(frozen=True)
class Subscription:
    """A webhook subscription: the secret that verifies its calls, and the ids by which it can be removed."""

    secret: str = field(repr=False)
    refs: Sequence[str]


@dataclass(frozen=True)
class News:
    """News of a call about an account: an acceptance, something to read, or a changed state.

    `state` is that of the sign-in which led to it.
    """

    account_ref: str
    accepted: Accepted | None = None
    stands: bool = False  # the account's state may have changed
    state: str = ""


class HostedNetwork(Protocol):
    """A network whose accounts are signed in elsewhere. Every method but `read` calls out."""

    provider: str

    def page(self, credentials: Credentials, wanted: SignInPage) -> str:
        """Return the address at which a person signs in."""

    def holder(self, credentials: Credentials, ref: str) -> Holder:
        """Return the account once it can act; raise Unreachable before, and Refused for an unknown one."""

    def newcomers(self, credentials: Credentials, since: datetime) -> Sequence[str]:
        """Return the accounts created since then, newest first."""

    def subscribe(self, credentials: Credentials, url: str, secret: str) -> Subscription:
        """Subscribe that address to calls about every account; `secret` is ours, for networks that use it."""

    def unsubscribe(self, credentials: Credentials, refs: Sequence[str]) -> None:
        """Remove the subscriptions."""

    def read(self, headers: Mapping[str, str], body: bytes, secret: str, at: datetime) -> Sequence[News]:
        """Return the news of a call with a valid secret; raise Refused otherwise. Skip unknown events."""
