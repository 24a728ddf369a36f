"""Mailboxes of any provider, over SMTP and IMAP."""

from collections.abc import Mapping
from typing import Any

from app.providers.mail.lines import Rules
from app.providers.mail.system import MailSystem

__all__ = ["MailSystem", "mail_system"]


def mail_system(settings: Mapping[str, Any]) -> MailSystem:
    """The adapter as this installation wants it. Links in e-mails are for pages that strangers can reach."""
    private, base = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"], settings["BASE_URL"]
    return MailSystem(Rules(allow_private=private), base=base if private or base.startswith("https://") else "")
