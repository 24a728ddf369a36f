"""Mailbox OAuth at Google and Microsoft: OAuth 2.0 with authorization code and PKCE (RFC 6749, RFC 7636)."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from app import ports
from app.ports import ClientLogin, Consent, Refused
from app.providers.json_api import JsonApi, Reply, text_of

GOOGLE_MAIL = "https://mail.google.com/"
MICROSOFT_SCOPES = (
    "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access"
)
AGAIN = "Start again."
NOT_REGISTERED = "This server is no longer registered with the mailbox's provider. Ask your server admin."
UNKNOWN_CLIENT = ("invalid_client", "unauthorized_client")


@dataclass(frozen=True)
class Application:
    """What an installation is registered as at a provider, and where the provider is asked."""

    title: str
    client_id: str
    client_secret: str = field(repr=False)
    tenant: str
    page: str
    scopes: str
    more: Mapping[str, str]
    api: JsonApi
    token_path: str
    needed: str  # the scope without which a mailbox cannot be read


def google(sign_in_url: str, api: JsonApi, client: ClientLogin) -> Application:
    """Return a Web OAuth client of the Google Cloud console."""
    return Application(
        "Google",
        client.client_id,
        client.client_secret,
        "",
        page=f"{sign_in_url}/o/oauth2/v2/auth",
        scopes=f"openid email profile {GOOGLE_MAIL}",
        more={"access_type": "offline", "prompt": "consent"},
        api=api,
        token_path="/token",
        needed=GOOGLE_MAIL,
    )


def microsoft(url: str, api: JsonApi, client: ClientLogin) -> Application:
    """Return a registered application of Microsoft Entra."""
    tenant = client.tenant or "common"
    return Application(
        "Microsoft",
        client.client_id,
        client.client_secret,
        tenant,
        page=f"{url}{microsoft_path(tenant)}/authorize",
        scopes=f"openid email profile {MICROSOFT_SCOPES}",
        more={"response_mode": "query", "prompt": "select_account"},
        api=api,
        token_path=f"{microsoft_path(tenant)}/token",
        needed="IMAP.AccessAsUser.All",
    )


def microsoft_path(tenant: str) -> str:
    """Return Microsoft's path for the tenant."""
    return f"/{quote(tenant, safe='')}/oauth2/v2.0"


class Consents:
    """See MailConsent. `makers` make the application of each way; `fixed` are clients of the environment's settings."""

    def __init__(
        self, makers: Mapping[str, Callable[[ClientLogin], Application]], fixed: Mapping[str, ClientLogin]
    ) -> None:
        self._makers, self._fixed = makers, fixed

    def application(self, way: str) -> Application | None:
        """Return the application of a way; None where this installation is not registered."""
        client = self._fixed.get(way) or ports.oauth_clients().entered().get(way)
        return self._makers[way](client) if client else None

    def ways(self) -> Mapping[str, str]:
        known = {**ports.oauth_clients().entered(), **self._fixed}
        return {way: make(known[way]).title for way, make in self._makers.items() if way in known}

    def fixed(self) -> Mapping[str, ClientLogin]:
        return self._fixed

    def check(self, way: str, client: ClientLogin) -> None:
        one = self._makers[way](client)
        form = {"grant_type": "refresh_token", "refresh_token": "none"}  # refused, but only after the client is known
        form |= {"client_id": one.client_id, "client_secret": one.client_secret}
        reply = one.api.ask("POST", one.token_path, {}, form=form)
        if reply.part("error") in UNKNOWN_CLIENT:
            raise Refused(f"{one.title} doesn't recognize this client ID and secret. Copy both again.")

    def page(self, way: str, *, state: str, challenge: str, back: str, address: str = "") -> str:
        one = self._registered(way)
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
        one = self._registered(way)
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
            raise Refused(f"You didn't let us read and send email with {one.title}. {AGAIN}")
        if not (isinstance(token, str) and token.isascii() and token.isprintable()):
            raise Refused(f"{one.title} didn't grant long-term access. {AGAIN}")
        address = text_of(claims.get("email") or claims.get("preferred_username"))
        if claims.get("aud") != one.client_id or "@" not in address:
            raise Refused(f"{one.title} didn't say whose mailbox it is. {AGAIN}")
        return Consent(address.lower(), token, text_of(claims.get("name")))

    def _registered(self, way: str) -> Application:
        one = self.application(way)
        if one is None:
            raise Refused(NOT_REGISTERED)
        return one


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
    if error in (*UNKNOWN_CLIENT, "redirect_uri_mismatch"):
        return (
            f"{one.title} doesn't recognize this server. Your server admin must check the client "
            "ID, the secret and the redirect address."
        )
    return f"{one.title} refused access (status {reply.status}). {AGAIN}"
