"""Build outgoing emails: the same bytes for every attempt, and no header injection."""

import re
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from app.core.mail import markup
from app.ports import AccountRef, Refused, SenderAction
from app.providers.mail import attached
from app.providers.mail.parsing import OUR_HEADER

WIDE = SMTP.clone(max_line_length=900)  # a name of a message is never folded
LONGEST_THREAD = 20
_ADDRESS = re.compile(r"[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,255}")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,300}>")
_BREAKS = re.compile(r"[\r\n\0]")


def message_id(account: AccountRef, action: SenderAction) -> str:
    """Return the Message-ID: the action's token at the sender's domain, which only we can create."""
    return f"<{action.token}@{domain(account)}>"


def domain(account: AccountRef) -> str:
    """Return the domain of the sender's address."""
    return account.address.rpartition("@")[2].encode("idna").decode("ascii").lower()


def recipient(action: SenderAction) -> str:
    """Return the recipient's address; raise Refused when it is not valid for SMTP."""
    if not action.person.email:
        raise Refused("No email address.")
    if not _ADDRESS.fullmatch(action.person.email):
        raise Refused("The email address has characters that mail servers reject.")
    return action.person.email


def copied(action: SenderAction) -> list[str]:
    """Return the addresses in Cc; raise Refused for one that is not valid for SMTP."""
    for one in action.cc:
        if not _ADDRESS.fullmatch(one.address):
            raise Refused(f"The address “{one.address}” in Cc has characters that mail servers reject.")
    return [one.address for one in action.cc]


def written(account: AccountRef, action: SenderAction, base: str = "") -> bytes:
    """Return the whole message; raise Refused when a header would split. `base` is our public address."""
    name = f"{action.person.first_name} {action.person.last_name}".strip()
    for what, value in (("subject", action.subject), ("name", name), ("sender's name", account.name)):
        if _BREAKS.search(value):
            raise Refused(f"The {what} contains a line break.")
    message = EmailMessage(policy=SMTP)
    message["Message-ID"] = message_id(account, action)
    message["Date"] = format_datetime(_moment(account, action))
    message["From"] = Address(account.name, addr_spec=account.address)
    message["To"] = Address(name, addr_spec=recipient(action))
    if copies := copied(action):
        names = [_BREAKS.sub(" ", one.name) for one in action.cc]
        message["Cc"] = [Address(name, addr_spec=one) for name, one in zip(names, copies, strict=True)]
    if account.reply_to:
        message["Reply-To"] = Address(account.name, addr_spec=account.reply_to)
    message["Subject"] = action.subject
    message[OUR_HEADER] = action.token
    if _MESSAGE_ID.fullmatch(action.in_reply_to):
        message["In-Reply-To"] = action.in_reply_to
        message["References"] = " ".join(_references(action))
    _offer_a_way_out(message, account, action, base)
    text = _with_link(account, markup.signed(action.text, account.signature), action, base).replace("\0", "")
    message.set_content(markup.plain(text), cte="quoted-printable")
    message.add_alternative(markup.html(text), subtype="html", cte="quoted-printable")
    message.set_boundary(f"=_{action.token}")
    if action.files:
        attached.attach(message, action.files)
        message.set_boundary(f"=_files_{action.token}")
    return message.as_bytes(policy=WIDE)


def _references(action: SenderAction) -> list[str]:
    """Return the References of the thread: its first and its last message."""
    named = [one for one in action.thread if _MESSAGE_ID.fullmatch(one) and one != action.in_reply_to]
    return [*named[:1], *named[1:][-(LONGEST_THREAD - 2) :], action.in_reply_to]


def _offer_a_way_out(message: EmailMessage, account: AccountRef, action: SenderAction, base: str) -> None:
    """Add the List-Unsubscribe headers, one-click where the page is public (RFC 8058).

    Manual messages have none: they are no mailing, and automatic replies go only to personal mail.
    """
    if not action.way_out:
        return
    ways = [_by_mail(account, action)]
    if base:
        ways.insert(0, f"<{_page(action, base)}>")
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message["List-Unsubscribe"] = ", ".join(ways)


def _with_link(account: AccountRef, text: str, action: SenderAction, base: str) -> str:
    """Return the text with the unsubscribe link at the place its writer chose."""
    way = _page(action, base) if base else _by_mail(account, action)[1:-1]
    return markup.WAY_OUT.sub(lambda _: way, text) if action.way_out else text


def _page(action: SenderAction, base: str) -> str:
    return f"{base.rstrip('/')}/u/{action.way_out}"


def _by_mail(account: AccountRef, action: SenderAction) -> str:
    """Return the address for wishes by mail; the subject says whose it is, from whichever address it comes."""
    return f"<mailto:{account.address}?subject=unsubscribe%20%23{action.way_out}>"


def _moment(account: AccountRef, action: SenderAction) -> datetime:
    return action.intended_at or account.at
