"""The HTTP client of webhooks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Answer:
    """What an endpoint answered: status, the head of its body and the milliseconds it took."""

    status: int
    head: str
    milliseconds: int
    retry_after: int | None = None


class WebhookClient(Protocol):
    """Posts a signed body to an endpoint on the internet."""

    def objection(self, url: str) -> str:
        """Return why the address cannot be called, as a sentence; '' when it may be tried. Looks nothing up."""

    def post(self, url: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Return the answer of any status; raise Unreachable without one, Refused for a forbidden address."""
