"""Mailboxes of any provider, over SMTP and IMAP."""

from collections.abc import Mapping
from typing import Any

from app.providers.egress import Egress
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi
from app.providers.mail import oauth, tokens
from app.providers.mail.connections import Rules
from app.providers.mail.mailbox import MailSystem
from app.providers.mail.oauth import Application, Consents

__all__ = ["Consents", "MailSystem", "mail_consents", "mail_system"]


def mail_system(settings: Mapping[str, Any], rules: Rules | None = None) -> MailSystem:
    """Return the mailbox adapter. Links in emails use the public address of this installation."""
    private, base = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"], settings["BASE_URL"]
    ours = _applications(settings)
    return MailSystem(
        rules or Rules(allow_private=private, tls=Egress.of(settings).tls),
        base=base if private or base.startswith("https://") else "",
        tokens=tokens.Tokens(ours["google"].api, ours["microsoft"].api, ours),
    )


def mail_consents(settings: Mapping[str, Any]) -> Consents:
    """Return the OAuth registrations at mailbox providers."""
    return Consents(_applications(settings))


def _applications(settings: Mapping[str, Any]) -> dict[str, Application]:
    """Return the OAuth applications by way of signing in; without an id where there is none."""
    google, microsoft = settings["OVERTURE_GOOGLE_TOKEN_URL"], settings["OVERTURE_MICROSOFT_TOKEN_URL"]
    return {
        "google": oauth.google(
            settings["OVERTURE_GOOGLE_CLIENT_ID"],
            settings["OVERTURE_GOOGLE_CLIENT_SECRET"],
            settings["OVERTURE_GOOGLE_SIGN_IN_URL"],
            _api(settings, "Google", google, tokens.GOOGLE),
        ),
        "microsoft": oauth.microsoft(
            settings["OVERTURE_MICROSOFT_CLIENT_ID"],
            settings["OVERTURE_MICROSOFT_CLIENT_SECRET"],
            settings["OVERTURE_MICROSOFT_TENANT"],
            microsoft,
            _api(settings, "Microsoft", microsoft, tokens.MICROSOFT),
        ),
    }


def _api(settings: Mapping[str, Any], name: str, url: str, usual: str) -> JsonApi:
    chosen = url != usual
    return JsonApi(HttpClient(allow_private=chosen, plain=chosen, egress=Egress.of(settings)), name, url)
