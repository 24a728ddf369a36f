"""Mailboxes of any provider, over SMTP and IMAP."""

from collections.abc import Mapping
from typing import Any

from app.providers.fetching import HttpClient
from app.providers.json_api import JsonApi
from app.providers.mail import tokens
from app.providers.mail.lines import Rules
from app.providers.mail.system import MailSystem

__all__ = ["MailSystem", "mail_system"]


def mail_system(settings: Mapping[str, Any]) -> MailSystem:
    """The adapter as this installation wants it. Links in e-mails are for pages that strangers can reach."""
    private, base = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"], settings["BASE_URL"]
    google = _api("Google", settings["OVERTURE_GOOGLE_TOKEN_URL"], tokens.GOOGLE)
    microsoft = _api("Microsoft", settings["OVERTURE_MICROSOFT_TOKEN_URL"], tokens.MICROSOFT)
    return MailSystem(
        Rules(allow_private=private),
        base=base if private or base.startswith("https://") else "",
        tokens=tokens.Tokens(google, microsoft),
    )


def _api(name: str, url: str, usual: str) -> JsonApi:
    chosen = url != usual
    return JsonApi(HttpClient(allow_private=chosen, plain=chosen), name, url)
