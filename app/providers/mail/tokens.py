"""Access tokens of mailboxes that sign in without a password: asked for when needed, and anew before they end."""

import threading
from datetime import datetime, timedelta
from hashlib import sha256
from urllib.parse import quote

from app.core import clock
from app.ports import AccountRef, LoggedOut
from app.providers.json_api import JsonApi, Reply, number_of

GOOGLE, MICROSOFT = "https://oauth2.googleapis.com", "https://login.microsoftonline.com"
EARLY = timedelta(minutes=5)  # before its end a token is replaced
USUAL_LIFE, LONGEST_LIFE = 3600, 86_400  # seconds
MICROSOFT_SCOPES = (
    "https://outlook.office.com/IMAP.AccessAsUser.All https://outlook.office.com/SMTP.Send offline_access"
)
_GONE, _CLIENT = ("invalid_grant", "interaction_required"), ("invalid_client", "unauthorized_client")


class Tokens:
    """Asks Google and Microsoft; what they gave is known to this process only, and ends by itself."""

    def __init__(self, google: JsonApi, microsoft: JsonApi) -> None:
        self._google, self._microsoft = google, microsoft
        self._known: dict[str, tuple[str, datetime]] = {}
        self._lock = threading.Lock()

    def of(self, account: AccountRef) -> str:
        """A token that is valid for some minutes at least; LoggedOut says what to do when there is none to be had."""
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
        """The token is not used again: a server did not accept it."""
        with self._lock:
            self._known.pop(_key(account), None)

    def _ask(self, account: AccountRef) -> tuple[str, int, str]:
        said = account.settings
        form = {
            "grant_type": "refresh_token",
            "refresh_token": said.get("refresh_token", ""),
            "client_id": said.get("client_id", ""),
        }
        if said.get("client_secret"):
            form["client_secret"] = said["client_secret"]
        if said.get("auth") == "google":
            who, reply = "Google", self._google.ask("POST", "/token", {}, form=form)
        else:
            path = f"/{quote(said.get('tenant') or 'common', safe='')}/oauth2/v2.0/token"
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
    """What its owner has to do; the words of the answer, which may hold a secret, stay out of it."""
    error = reply.part("error")
    if error in _GONE:
        return LoggedOut(f"{who} has ended the sign-in of this mailbox. Allow it there again, and connect it anew.")
    if error in _CLIENT:
        return LoggedOut(f"{who} does not know this client id and client secret. Check both, and connect it anew.")
    shown = error if isinstance(error, str) and error.replace("_", "").isalpha() else f"status {reply.status}"
    return LoggedOut(
        f"{who} gives no token for this mailbox ({shown[:60]}). Check what was pasted, and connect it anew."
    )
