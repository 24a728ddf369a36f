"""Sources that the autopilot may read: who uses the product, who paid for it once, and whether a site is ours."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class FormerCustomer:
    """Somebody whose subscriptions have all ended. `public_id` is empty where only the address is known."""

    email: str
    first_name: str = ""
    last_name: str = ""
    company: str = ""
    title: str = ""
    public_id: str = ""
    profile_url: str = ""
    ended: str = ""  # a month, as it stands in a sentence


class AnalyticsSource(Protocol):
    """Where it is counted who looks at the website and the product. Every method may raise a ProviderError."""

    def check(self, key: str, region: str, project_id: str) -> str:
        """The project that the key may read; Refused, in a sentence, when the key opens nothing or too much."""
        ...


class PaymentsSource(Protocol):
    """Where subscriptions are paid. Every method may raise a ProviderError."""

    def check(self, key: str) -> None:
        """Return when the key may read customers and subscriptions; Refused, in a sentence, when it may not."""
        ...

    def former_customers(self, key: str, seed: int, most: int) -> Sequence[FormerCustomer]:
        """Up to `most` customers of canceled subscriptions who have no other that goes on, the latest first."""
        ...


class SiteProof(Protocol):
    """Whether a website carries a mark of ours."""

    def holds(self, address: str, mark: str) -> bool:
        """Whether the home page holds the mark. Unreachable or Refused, in a sentence, when it cannot be read."""
        ...


class AlertMail(Protocol):
    """Sends e-mails of the installation itself to its users."""

    def send(self, address: str, subject: str, text: str) -> None:
        """The e-mail was handed over. Raises a ProviderError."""
        ...
