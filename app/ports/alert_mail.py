"""Email of the server itself."""

from typing import Protocol


class AlertMail(Protocol):
    """Sends alerts, invitations and links to new passwords to users. Every method may raise a ProviderError."""

    def check(self) -> None:
        """The server lets us in."""
        ...

    def send(self, address: str, subject: str, text: str, link: str = "") -> None:
        """The email was handed over; `link` is a path of ours, whose whole address stands below the text."""
        ...
