"""What a mailbox signs in with: checked before it is kept, the password sealed, and shown to nobody but its adapter."""

import logging
from dataclasses import dataclass

import sqlalchemy as sa

from app.core import text
from app.core.crypto import keyring
from app.core.db import session
from app.domain import sealing
from app.models.accounts import Account
from app.models.mailboxes import MailboxLogin

LOG = logging.getLogger("app.domain.logins")
LONGEST_SECRET = 500
# They put what they send into the Sent folder themselves; a second copy would only confuse.
KEEP_COPIES = ("gmail.com", "googlemail.com", "office365.com", "outlook.com", "zoho.com", "zoho.eu")


@dataclass(frozen=True)
class Servers:
    """What the owner of a mailbox has to say of it. `copies`: `server` or `ours`; '' chooses by the provider."""

    smtp_host: str
    imap_host: str
    username: str
    password: str
    smtp_port: int = 587
    imap_port: int = 993
    copies: str = ""

    def __repr__(self) -> str:
        return f"Servers({self.smtp_host!r}, {self.imap_host!r})"

    def problems(self) -> list[tuple[str, str]]:
        """What is missing, by the name of its field."""
        found = []
        for field, host, port in (("smtp", self.smtp_host, self.smtp_port), ("imap", self.imap_host, self.imap_port)):
            if not 1 <= len(host.strip()) <= 253:
                found.append((f"{field}Host", f"Give the {field.upper()} server, such as {field}.example.com."))
            if not 0 < port < 65536:
                found.append((f"{field}Port", "Give the number of a port."))
        if not _typed(self.username):
            found.append(("username", "Give the user name, with plain characters only. Often it is the address."))
        if not _typed(self.password):
            found.append(("password", "Give the password, with plain characters only. An app password is best."))
        if self.copies not in ("", "server", "ours"):
            found.append(("copies", "Use server or ours."))
        return found

    def settings(self) -> dict[str, str]:
        """What is kept in the open."""
        by_itself = self.smtp_host.lower().strip(". ").endswith(KEEP_COPIES)
        return {
            "smtp_host": text.squeeze(self.smtp_host),
            "smtp_port": str(self.smtp_port),
            "imap_host": text.squeeze(self.imap_host),
            "imap_port": str(self.imap_port),
            "username": self.username,
            "copies": self.copies or ("server" if by_itself else "ours"),
        }

    def login(self) -> dict[str, str]:
        """Everything, for the adapter."""
        return {**self.settings(), "password": self.password}


def _typed(secret: str) -> bool:
    return 1 <= len(secret) <= LONGEST_SECRET and secret.isascii() and secret.isprintable()


def keep(account: Account, servers: Servers) -> None:
    """The mailbox signs in with these from now on. Inside a transaction."""
    kept = session().scalars(sa.select(MailboxLogin).where(MailboxLogin.account_id == account.id)).one_or_none()
    if kept is None:
        kept = MailboxLogin(workspace_id=account.workspace_id, account_id=account.id, sealed=None)
        session().add(kept)
    kept.settings = dict(servers.settings())
    session().flush()
    kept.sealed = keyring().seal(servers.password.encode(), _bound_to(kept))


def of(account_id: int) -> dict[str, str]:
    """What the adapter of a mailbox needs; {} when nothing is kept, or sealed with a key that is gone."""
    kept = session().scalars(sa.select(MailboxLogin).where(MailboxLogin.account_id == account_id)).one_or_none()
    if kept is None or kept.sealed is None:
        return {}
    try:
        password = keyring().unseal(kept.sealed, _bound_to(kept)).decode()
    except ValueError:
        LOG.error("The password of a mailbox cannot be opened", extra={"fields": {"account": account_id}})
        return {}
    return {**kept.settings, "password": password}


def _bound_to(kept: MailboxLogin) -> str:
    return sealing.bound_to(MailboxLogin.sealed, id=kept.id, workspace_id=kept.workspace_id)
