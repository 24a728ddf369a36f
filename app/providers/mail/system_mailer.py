"""Email of the server itself over SMTP: alerts, invitations, and links for passwords and addresses."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, make_msgid, parseaddr
from urllib.parse import unquote, urlsplit

from app.core import clock
from app.core.text import shorten, squeeze
from app.ports import Refused
from app.providers.mail.connections import SMTP_PORTS, MailConnection, Rules
from app.providers.mail.smtp import SmtpSender
from app.providers.outbound import release_database

WHOLE_CALL = 30.0  # seconds
IMPLICIT_TLS, SUBMISSION = 465, 587


class SystemMailer:
    """See AlertMail. The server is the operator's choice and may live in a private network."""

    def __init__(self, url: str, sender: str, base_url: str = "", rules: Rules | None = None) -> None:
        parts = urlsplit(url)
        self._host = parts.hostname or ""
        self._port = parts.port or (IMPLICIT_TLS if parts.scheme == "smtps" else SUBMISSION)
        self._username, self._password = unquote(parts.username or ""), unquote(parts.password or "")
        self._sender, self._base_url = sender, base_url
        self._address = parseaddr(sender)[1]
        self._rules = rules or Rules(allow_private=True)

    def check(self) -> None:
        release_database()
        with self._outbox():
            pass

    def send(self, address: str, subject: str, text: str, link: str = "") -> None:
        release_database()
        message = self._written(address, subject, f"{text}\n\n{self._base_url}{link}" if link else text)
        with self._outbox() as outbox:
            outbox.hand_over(self._address, address, message)

    @contextmanager
    def _outbox(self) -> Iterator[SmtpSender]:
        with MailConnection(self._host, self._port, SMTP_PORTS, self._rules, time.monotonic() + WHOLE_CALL) as line:
            outbox = SmtpSender(line, self._username, self._password, self._domain)
            try:
                outbox.sign_in()
                yield outbox
            finally:
                outbox.close()

    @property
    def _domain(self) -> str:
        return self._address.rpartition("@")[2]

    def _written(self, address: str, subject: str, words: str) -> bytes:
        """Return the message, marked as automatic so that no out-of-office message answers it."""
        if not address.isascii():
            raise Refused("The email address has characters that mail servers reject.")
        message = EmailMessage(policy=SMTP)
        message["Message-ID"] = make_msgid(domain=self._domain)
        message["Date"] = format_datetime(clock.now())
        message["From"] = self._sender
        message["To"] = address
        message["Subject"] = shorten(squeeze(subject), 200)
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(words.replace("\0", ""), cte="quoted-printable")
        return message.as_bytes(policy=SMTP)
