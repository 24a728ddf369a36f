"""Mailbox OAuth at Google and Microsoft: OAuth 2.0 with authorization code and PKCE (RFC 6749, RFC 7636)."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from app.ports import Consent, Refused
from app.providers.json_api import JsonApi, Reply, text_of

GOOGLE_MAIL = "https://mail.google.com/"
MICROSOFT_SCOPES = (
    "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access"
)
AGAIN = "Start again."


@dataclass(frozen=True)
class Application:
    """What an installation is registered as at a provider, and where the provider is asked."""

    title: str
    client_id: str
    client_secret: str = field(repr=False)
    page: str
    scopes: str
    more: Mapping[str, str]
    api: JsonApi
    token_path: str
    needed: str  # the scope without which a mailbox cannot be read
    tenant: str = ""


def google(client_id: str, client_secret: str, sign_in_url: str, api: JsonApi) -> Application:
    """Return a Web OAuth client of the Google Cloud console."""
    return Application(
        "Google",
        client_id,
        client_secret,
        page=f"{sign_in_url}/o/oauth2/v2/auth",
        scopes=f"openid email profile {GOOGLE_MAIL}",
        more={"access_type": "offline", "prompt": "consent"},
        api=api,
        token_path="/token",
        needed=GOOGLE_MAIL,
    )


def microsoft(client_id: str, client_secret: str, tenant: str, url: str, api: JsonApi) -> Application:
    """Return a registered application of Microsoft Entra."""
    return Application(
        "Microsoft",
        client_id,
        client_secret,
        page=f"{url}{microsoft_path(tenant)}/authorize",
        scopes=f"openid email profile {MICROSOFT_SCOPES}",
        more={"response_mode": "query", "prompt": "select_account"},
        api=api,
        token_path=f"{microsoft_path(tenant)}/token",
        needed="IMAP.AccessAsUser.All",
        tenant=tenant,
    )


def microsoft_path(tenant: str) -> str:
    """Return Microsoft's path for the tenant."""
    return f"/{quote(tenant, safe='')}/oauth2/v2.0"


class Consents:
    """See MailConsent."""

    def __init__(self, applications: Mapping[str, Application]) -> None:
        self._applications = {way: one for way, one in applications.items() if one.client_id and one.client_secret}

    def ways(self) -> Mapping[str, str]:
        return {way: one.title for way, one in self._applications.items()}

    def page(self, way: str, *, state: str, challenge: str, back: str, address: str = "") -> str:
        one = self._applications[way]
        asked = {
            "response_type": "code",
            "client_id": one.client_id,
            "redirect_uri": back,
            "scope": one.scopes,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
            **one.more,
        }
        return f"{one.page}?{urlencode(asked | ({'login_hint': address} if address else {}))}"

    def redeem(self, way: str, *, code: str, verifier: str, back: str) -> Consent:
        one = self._applications[way]
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "code_verifier": verifier,
            "redirect_uri": back,
            "client_id": one.client_id,
            "client_secret": one.client_secret,
        }
        reply = one.api.ask("POST", one.token_path, {}, form=form)
        token, claims = reply.part("refresh_token"), _claims(reply.part("id_token"))
        if reply.status != 200:
            raise Refused(_why(one, reply))
        scopes = reply.part("scope")
        if isinstance(scopes, str) and one.needed.lower() not in scopes.lower():
            raise Refused(f"{one.title} didn't get permission to read and send email. {AGAIN}")
        if not (isinstance(token, str) and token.isascii() and token.isprintable()):
            raise Refused(f"{one.title} granted no long-term access. {AGAIN}")
        address = text_of(claims.get("email") or claims.get("preferred_username"))
        if claims.get("aud") != one.client_id or "@" not in address:
            raise Refused(f"{one.title} didn't say whose mailbox it is. {AGAIN}")
        return Consent(address.lower(), token, text_of(claims.get("name")))


def _claims(token: Any) -> dict[str, Any]:
    """Return an ID token's claims. It came straight over TLS, so its signature adds nothing."""
    middle = token.split(".")[1] if isinstance(token, str) and token.count(".") == 2 else ""
    try:
        found = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _why(one: Application, reply: Reply) -> str:
    """Return what a person can do, without the answer's text, which may hold a secret."""
    error = reply.part("error")
    if error == "invalid_grant":
        return f"{one.title} rejected this sign-in. {AGAIN}"
    if error in ("invalid_client", "unauthorized_client", "redirect_uri_mismatch"):
        return (
            f"{one.title} doesn't recognize this server. Your server admin must check client id, "
            "secret and redirect address."
        )
    return f"{one.title} refused access (status {reply.status}). {AGAIN}"
