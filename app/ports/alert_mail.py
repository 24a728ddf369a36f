"""Emails that the server sends to its users."""

from typing import Protocol


class AlertMail(Protocol):
    """Sends users alerts, invitations, and links for passwords and addresses. A method may raise a ProviderError."""

    def check(self) -> None:
        """Check that the mail server accepts the login."""

    def send(self, address: str, subject: str, text: str, link: str = "") -> None:
        """Send the email; `link` is a path of ours, appended below the text as a full address."""
