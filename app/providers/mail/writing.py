"""E-mails as they go out: the same bytes for every attempt at an action, and nothing in a header but its value."""

import re
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from app.ports import AccountRef, Deed, Refused

WIDE = SMTP.clone(max_line_length=900)  # a name of a message is never folded
_ADDRESS = re.compile(r"[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,255}")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,300}>")
_BREAKS = re.compile(r"[\r\n\0]")


def message_id(account: AccountRef, deed: Deed) -> str:
    """The name of the message, which only we can have given: the action's token at the sender's domain."""
    return f"<{deed.token}@{domain(account)}>"


def domain(account: AccountRef) -> str:
    """Where the sender's address lives."""
    return account.address.rpartition("@")[2].encode("idna").decode("ascii").lower()


def recipient(deed: Deed) -> str:
    """The address it goes to; Refused when no mail server could be told."""
    if not deed.person.email:
        raise Refused("No e-mail address is known.")
    if not _ADDRESS.fullmatch(deed.person.email):
        raise Refused("The e-mail address has characters that mail servers do not take.")
    return deed.person.email


def written(account: AccountRef, deed: Deed) -> bytes:
    """The whole message; Refused when a header would break in two."""
    name = f"{deed.person.first_name} {deed.person.last_name}".strip()
    for what, value in (("subject", deed.subject), ("name", name), ("sender's name", account.name)):
        if _BREAKS.search(value):
            raise Refused(f"The {what} holds a line break.")
    message = EmailMessage(policy=SMTP)
    message["Message-ID"] = message_id(account, deed)
    message["Date"] = format_datetime(_moment(account, deed))
    message["From"] = Address(account.name, addr_spec=account.address)
    message["To"] = Address(name, addr_spec=recipient(deed))
    message["Subject"] = deed.subject
    if _MESSAGE_ID.fullmatch(deed.in_reply_to):
        message["In-Reply-To"] = deed.in_reply_to
        message["References"] = deed.in_reply_to
    message["List-Unsubscribe"] = f"<mailto:{account.address}?subject=unsubscribe>"
    message.set_content(deed.text.replace("\0", ""), cte="quoted-printable")
    return message.as_bytes(policy=WIDE)


def _moment(account: AccountRef, deed: Deed) -> datetime:
    return deed.intended_at or account.at
