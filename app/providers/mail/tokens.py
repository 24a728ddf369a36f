"""Access tokens of mailboxes: requested when needed and refreshed before they expire."""

import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256

from app.core import clock
from app.ports import AccountRef, LoggedOut
from app.providers.json_api import JsonApi, Reply, number_of
from app.providers.mail.oauth import MICROSOFT_SCOPES, NOT_REGISTERED, UNKNOWN_CLIENT, Consents, microsoft_path

GOOGLE, MICROSOFT = "https://oauth2.googleapis.com", "https://login.microsoftonline.com"
EARLY = timedelta(minutes=5)  # before its end a token is replaced
USUAL_LIFE, LONGEST_LIFE = 3600, 86_400  # seconds
_GONE = ("invalid_grant", "interaction_required")


class Tokens:
    """OAuth tokens of Google and Microsoft, cached in this process until they expire.

    Mailboxes whose owners let this installation in (`consent`) are asked for in the name of `ours`.
    """

    def __init__(self, google: JsonApi, microsoft: JsonApi, ours: Consents | None = None) -> None:
        self._google, self._microsoft, self._ours = google, microsoft, ours
        self._known: dict[str, tuple[str, datetime]] = {}
        self._lock = threading.Lock()

    def of(self, account: AccountRef) -> str:
        """Return a token valid for some minutes; raise LoggedOut that says what to do without one."""
        key = _key(account)
        with self._lock:
            known = self._known.get(key)
        if known and known[1] - EARLY > clock.now():
            return known[0]
        token, life, renewed = self._ask(account)
        if renewed and renewed != account.settings.get("refresh_token") and account.keep:
            account.keep(renewed)
        with self._lock:
            now = clock.now()
            self._known = {name: kept for name, kept in self._known.items() if kept[1] > now}
            self._known[key] = token, now + timedelta(seconds=life)
        return token

    def forget(self, account: AccountRef) -> None:
        """Drop a token that a server refused."""
        with self._lock:
            self._known.pop(_key(account), None)

    def _client(self, account: AccountRef) -> Mapping[str, str]:
        """Return client id, secret and tenant for the token request."""
        said = account.settings
        if not said.get("consent"):
            return said
        ours = self._ours.application(said.get("auth", "")) if self._ours else None
        if ours is None:
            raise LoggedOut(NOT_REGISTERED)
        return {"client_id": ours.client_id, "client_secret": ours.client_secret, "tenant": ours.tenant}

    def _ask(self, account: AccountRef) -> tuple[str, int, str]:
        said, client = account.settings, self._client(account)
        form = {
            "grant_type": "refresh_token",
            "refresh_token": said.get("refresh_token", ""),
            "client_id": client.get("client_id", ""),
        }
        if client.get("client_secret"):
            form["client_secret"] = client["client_secret"]
        if said.get("auth") == "google":
            who, reply = "Google", self._google.ask("POST", "/token", {}, form=form)
        else:
            path = f"{microsoft_path(client.get('tenant') or 'common')}/token"
            who, reply = "Microsoft", self._microsoft.ask("POST", path, {}, form=form | {"scope": MICROSOFT_SCOPES})
        token = reply.part("access_token")
        if reply.status != 200 or not (isinstance(token, str) and token.isascii() and token.isprintable()):
            raise _refused(who, reply)
        life = number_of(reply.part("expires_in")) or USUAL_LIFE
        renewed = reply.part("refresh_token")
        return token, min(life, LONGEST_LIFE), renewed if isinstance(renewed, str) else ""


def _key(account: AccountRef) -> str:
    said = account.settings
    secret = "|".join(said.get(name, "") for name in ("auth", "tenant", "client_id", "refresh_token"))
    return sha256(secret.encode()).hexdigest()


def _refused(who: str, reply: Reply) -> LoggedOut:
    """Return what the owner must do, without the answer's text, which may hold a secret."""
    error = reply.part("error")
    if error in _GONE:
        return LoggedOut(f"{who} ended this mailbox's sign-in. Allow access again, then reconnect.", about="token")
    if error in UNKNOWN_CLIENT:
        return LoggedOut(f"{who} rejected the client ID or client secret. Check both, then reconnect.", about="client")
    shown = error if isinstance(error, str) and error.replace("_", "").isalpha() else f"status {reply.status}"
    sentence = f"{who} didn't issue a token for this mailbox ({shown[:60]}). Check what you pasted, then reconnect."
    return LoggedOut(sentence, about="token")
