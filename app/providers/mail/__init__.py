"""Mailboxes of any provider, over SMTP and IMAP."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from app.core import installation
from app.ports import ClientLogin
from app.providers.egress import Egress
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi
from app.providers.mail import oauth, tokens
from app.providers.mail.connections import Rules
from app.providers.mail.mailbox import MailSystem
from app.providers.mail.oauth import Consents

__all__ = ["Consents", "MailSystem", "mail_consents", "mail_system"]


def mail_system(settings: Mapping[str, Any], rules: Rules | None = None) -> MailSystem:
    """Return the mailbox adapter. Links in emails use the public address of this installation."""
    private, base = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"], settings["BASE_URL"]
    return MailSystem(
        rules or Rules(allow_private=private, tls=Egress.of(settings).tls),
        base=base if private or installation.is_public(base) else "",
        tokens=tokens.Tokens(_google(settings), _microsoft(settings), mail_consents(settings)),
    )


def mail_consents(settings: Mapping[str, Any]) -> Consents:
    """Return the OAuth registrations at mailbox providers: those of the settings, else those entered by the admin."""
    fixed = {
        way: ClientLogin(client_id, settings[f"OVERTURE_{way.upper()}_CLIENT_SECRET"], tenant)
        for way, tenant in (("google", ""), ("microsoft", settings["OVERTURE_MICROSOFT_TENANT"]))
        if (client_id := settings[f"OVERTURE_{way.upper()}_CLIENT_ID"])
    }
    makers = {
        "google": partial(oauth.google, settings["OVERTURE_GOOGLE_SIGN_IN_URL"], _google(settings)),
        "microsoft": partial(oauth.microsoft, settings["OVERTURE_MICROSOFT_TOKEN_URL"], _microsoft(settings)),
    }
    return Consents(makers, fixed)


def _google(settings: Mapping[str, Any]) -> JsonApi:
    return _api(settings, "Google", settings["OVERTURE_GOOGLE_TOKEN_URL"], tokens.GOOGLE)


def _microsoft(settings: Mapping[str, Any]) -> JsonApi:
    return _api(settings, "Microsoft", settings["OVERTURE_MICROSOFT_TOKEN_URL"], tokens.MICROSOFT)


def _api(settings: Mapping[str, Any], name: str, url: str, usual: str) -> JsonApi:
    chosen = url != usual
    return JsonApi(HttpClient(allow_private=chosen, plain=chosen, egress=Egress.of(settings)), name, url)
