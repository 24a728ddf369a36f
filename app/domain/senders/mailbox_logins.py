"""Mailbox logins: tested before they are saved, encrypted, and shown only to the adapter."""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import end_read, in_new_session, session, transaction
from app.domain.platform import secret_rotation
from app.domain.senders.mailbox_auth import WAYS
from app.models.accounts import Account, MailboxLogin


@dataclass(frozen=True)
class Provider:
    """A provider of mailboxes: its servers, and the page on which app passwords are made there."""

    name: str
    smtp: str
    imap: str
    smtp_port: int = 587
    imap_port: int = 993
    passwords: str = ""


GMAIL = Provider("Google", "smtp.gmail.com", "imap.gmail.com", passwords="https://myaccount.google.com/apppasswords")
MICROSOFT = Provider("Microsoft", "smtp.office365.com", "outlook.office365.com")
ZOHO = Provider("Zoho", "smtp.zoho.com", "imap.zoho.com", passwords="https://accounts.zoho.com/home#security")
ZOHO_EU = Provider("Zoho", "smtp.zoho.eu", "imap.zoho.eu")
FASTMAIL = Provider(
    "Fastmail", "smtp.fastmail.com", "imap.fastmail.com", 465, passwords="https://app.fastmail.com/settings/security"
)
ICLOUD = Provider(
    "iCloud", "smtp.mail.me.com", "imap.mail.me.com", passwords="https://account.apple.com/account/manage"
)
YAHOO = Provider(
    "Yahoo", "smtp.mail.yahoo.com", "imap.mail.yahoo.com", 465, passwords="https://login.yahoo.com/account/security"
)
AOL = Provider("AOL", "smtp.aol.com", "imap.aol.com", 465)
GMX, GMX_COM = Provider("GMX", "mail.gmx.net", "imap.gmx.net"), Provider("GMX", "mail.gmx.com", "imap.gmx.com")
WEB_DE = Provider("WEB.DE", "smtp.web.de", "imap.web.de")
IONOS = Provider("IONOS", "smtp.ionos.com", "imap.ionos.com")
IONOS_DE = Provider("IONOS", "smtp.ionos.de", "imap.ionos.de")
OVH = Provider("OVH", "ssl0.ovh.net", "ssl0.ovh.net")
MAILBOX_ORG = Provider("mailbox.org", "smtp.mailbox.org", "imap.mailbox.org")
GANDI = Provider("Gandi", "mail.gandi.net", "mail.gandi.net")
APP_PASSWORDS = (GMAIL, ICLOUD, YAHOO, ZOHO, FASTMAIL)
BY_DOMAIN = {
    **dict.fromkeys(("gmail.com", "googlemail.com"), GMAIL),
    **dict.fromkeys(("outlook.com", "hotmail.com", "live.com", "msn.com", "outlook.de", "hotmail.fr"), MICROSOFT),
    **dict.fromkeys(("zoho.com", "zohomail.com"), ZOHO),
    "zohomail.eu": ZOHO_EU,
    **dict.fromkeys(("fastmail.com", "fastmail.fm"), FASTMAIL),
    **dict.fromkeys(("icloud.com", "me.com", "mac.com"), ICLOUD),
    **dict.fromkeys(("yahoo.com", "yahoo.de", "yahoo.fr", "yahoo.co.uk", "ymail.com"), YAHOO),
    "aol.com": AOL,
    **dict.fromkeys(("gmx.de", "gmx.net", "gmx.at", "gmx.ch"), GMX),
    "gmx.com": GMX_COM,
    "web.de": WEB_DE,
    "mailbox.org": MAILBOX_ORG,
}
BY_EXCHANGE = {  # by the end of the name of the server that takes a domain's mail
    "google.com": GMAIL,
    "googlemail.com": GMAIL,
    "mail.protection.outlook.com": MICROSOFT,
    "zoho.com": ZOHO,
    "zoho.eu": ZOHO_EU,
    "messagingengine.com": FASTMAIL,
    "icloud.com": ICLOUD,
    "ionos.com": IONOS,
    "ionos.de": IONOS_DE,
    "kundenserver.de": IONOS_DE,
    "ovh.net": OVH,
    "mailbox.org": MAILBOX_ORG,
    "gandi.net": GANDI,
}
LOG = logging.getLogger(__name__)
LONGEST_SECRET, LONGEST_TOKEN = 500, 4000
# These providers put sent mail into the Sent folder themselves; a second copy would only confuse.
KEEP_COPIES = ("gmail.com", "googlemail.com", "office365.com", "outlook.com", "zoho.com", "zoho.eu")
_BY_TOKEN = {"google": GMAIL, "microsoft": MICROSOFT}
PUBLIC_SETTINGS = ("smtp_host", "smtp_port", "imap_host", "imap_port", "username", "auth", "client_id", "tenant")


@dataclass(frozen=True)
class Servers:
    """The servers of a mailbox as its owner enters them. `copies`: `server` or `ours`; '' chooses by the provider.

    Hosts that are left out are those of the provider, where it is known. `auth` is one of WAYS.
    """

    smtp_host: str
    imap_host: str
    username: str
    password: str
    smtp_port: int = 587
    imap_port: int = 993
    copies: str = ""
    auth: str = "password"
    client_id: str = ""
    client_secret: str = ""
    refresh_token: str = ""
    tenant: str = ""
    consent: bool = False  # its owner let this installation in, so that the client is the installation's own

    def __repr__(self) -> str:
        return f"Servers({self.smtp_host!r}, {self.imap_host!r})"

    def problems(self) -> list[tuple[str, str]]:
        """Return what is missing, by the name of its field."""
        found = []
        for field, host, port in (("smtp", self.smtp_host, self.smtp_port), ("imap", self.imap_host, self.imap_port)):
            if not 1 <= len(host.strip()) <= 253:
                found.append((f"{field}Host", f"Enter the {field.upper()} server, such as {field}.example.com."))
            if not 0 < port < 65536:
                found.append((f"{field}Port", "Enter a port number."))
        if not _typed(self.username):
            found.append(("username", "Enter the user name (often the email address) in ASCII, without accents."))
        if self.copies not in ("", "server", "ours"):
            found.append(("copies", "Use “server” or “ours”."))
        return found + self._problems_of_secrets()

    def _problems_of_secrets(self) -> list[tuple[str, str]]:
        if self.auth not in WAYS:
            return [("auth", f"Use one of: {', '.join(WAYS)}.")]
        if self.auth == "password":
            fine = _typed(self.password)
            words = "Enter the password in ASCII, without accents. An app password is best."
            return [] if fine else [("password", words if self.password else "Enter the password.")]
        if self.consent:
            return [] if _typed(self.refresh_token, LONGEST_TOKEN) else [("refreshToken", "Sign in again.")]
        found = []
        if not _typed(self.client_id):
            found.append(("clientId", "Enter the client ID of your registered application."))
        if not _typed(self.refresh_token, LONGEST_TOKEN):
            found.append(("refreshToken", "Enter the refresh token without spaces or line breaks."))
        if self.client_secret and not _typed(self.client_secret):
            found.append(("clientSecret", "Enter the client secret as shown, or leave it blank."))
        if self.auth == "google" and not self.client_secret:
            found.append(("clientSecret", "Enter the client secret for this client ID."))
        if self.tenant and not (self.tenant.replace("-", "").replace(".", "").isalnum() and len(self.tenant) <= 100):
            found.append(("tenant", "Enter the tenant's ID or domain, or leave it blank."))
        return found

    def completed(self, address: str) -> "Servers":
        """Return the servers, completed with the provider's defaults. May call out."""
        if self.smtp_host and self.imap_host:
            return self
        known = _BY_TOKEN.get(self.auth) or provider_of(address)
        if known is None:
            return self
        smtp = {} if self.smtp_host else {"smtp_host": known.smtp, "smtp_port": known.smtp_port}
        imap = {} if self.imap_host else {"imap_host": known.imap, "imap_port": known.imap_port}
        return replace(self, **smtp, **imap)  # type: ignore[arg-type]

    def settings(self) -> dict[str, str]:
        """Return the settings that are stored in the clear."""
        by_itself = self.smtp_host.lower().strip(". ").endswith(KEEP_COPIES)
        shown = {
            "smtp_host": text.squeeze(self.smtp_host),
            "smtp_port": str(self.smtp_port),
            "imap_host": text.squeeze(self.imap_host),
            "imap_port": str(self.imap_port),
            "username": self.username,
            "copies": self.copies or ("server" if by_itself else "ours"),
        }
        if self.auth == "password":
            return shown
        if self.consent:
            return shown | {"auth": self.auth, "consent": "1"}
        return shown | {"auth": self.auth, "client_id": self.client_id, "tenant": self.tenant}

    def secrets(self) -> dict[str, str]:
        """Return the settings that are stored encrypted."""
        if self.auth == "password":
            return {"password": self.password}
        return {"refresh_token": self.refresh_token, "client_secret": self.client_secret}

    def login(self) -> dict[str, str]:
        """Return all settings, for the adapter."""
        return self.settings() | self.secrets()


def _typed(secret: str, most: int = LONGEST_SECRET) -> bool:
    return 1 <= len(secret) <= most and secret.isascii() and secret.isprintable()


def store(account: Account, servers: Servers) -> None:
    """Store the mailbox's login. Inside a transaction."""
    kept = _find(account.id)
    if kept is None:
        kept = MailboxLogin(workspace_id=account.workspace_id, account_id=account.id, sealed=None)
        session().add(kept)
    kept.settings = dict(servers.settings())
    session().flush()
    _seal(kept, servers.secrets())


def credentials_for(account_id: int) -> dict[str, str]:
    """Return the mailbox's login for the adapter; {} when there is none or it cannot be decrypted."""
    kept = _find(account_id)
    if kept is None or kept.sealed is None:
        return {}
    try:
        return {**kept.settings, **_opened(kept)}
    except ValueError:
        LOG.error("The password of a mailbox cannot be opened", extra={"fields": {"account": account_id}})
        return {}


def public_settings(account_id: int) -> dict[str, str]:
    """Return the settings that may be shown."""
    kept = _find(account_id)
    return {name: str(kept.settings.get(name, "")) if kept else "" for name in PUBLIC_SETTINGS}


def token_store(account_id: int) -> Callable[[str], None]:
    """Return a function that stores a new refresh token: a provider may replace it at every use."""
    return in_new_session(lambda token: _renew(account_id, token))


def _renew(account_id: int, token: str) -> None:
    with transaction():
        kept = _find(account_id, lock=True)
        if kept and kept.sealed and _typed(token, LONGEST_TOKEN):
            _seal(kept, _opened(kept) | {"refresh_token": token})


def _find(account_id: int, *, lock: bool = False) -> MailboxLogin | None:
    query = sa.select(MailboxLogin).where(MailboxLogin.account_id == account_id)
    if lock:
        query = query.with_for_update().execution_options(populate_existing=True)
    return session().scalars(query).one_or_none()


def _seal(kept: MailboxLogin, secrets: dict[str, str]) -> None:
    """Encrypt a password as plain text, and token secrets together as JSON."""
    plain = json.dumps(secrets) if kept.settings.get("auth") else secrets["password"]
    secret_rotation.seal(kept, MailboxLogin.sealed, plain)


def _opened(kept: MailboxLogin) -> dict[str, str]:
    """Decrypt the secrets; raise ValueError when their key is gone."""
    plain = secret_rotation.unseal(kept, MailboxLogin.sealed)
    return dict(json.loads(plain)) if kept.settings.get("auth") else {"password": plain}


def provider_of(address: str) -> Provider | None:
    """Return the provider of that address, or None. May call out, for the domain's mail servers."""
    domain = text.email(address).rpartition("@")[2]
    if domain in BY_DOMAIN or not domain:
        return BY_DOMAIN.get(domain)
    end_read()
    try:
        exchanges = ports.domain_records().mail_servers(domain)
    except ports.ProviderError:
        return None
    for host in exchanges:
        for ending, provider in BY_EXCHANGE.items():
            if host == ending or host.endswith("." + ending):
                return provider
    return None
