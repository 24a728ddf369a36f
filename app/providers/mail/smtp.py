"""Send a message by SMTP, knowing at every moment whether the server may have accepted it."""

import re
import smtplib
from collections.abc import Callable, Sequence

from app.ports import LoggedOut, ProviderError, RecipientRefused, Refused, Throttled, Unknown, Unreachable
from app.providers.mail import bounce_causes
from app.providers.mail.bounce_notifications import sentence as bounce_sentence
from app.providers.mail.connections import MailConnection, bearer, not_accepted, plainly, said

HOUR, DAY = 3600, 86400
_DETAIL = re.compile(r"\b([245]\.\d{1,3}\.\d{1,3})\b")
_SIZE = re.compile(r"^552 (?!5\.2\.2\b)|\b5\.(2\.3|3\.4)\b")  # 5.2.2 is a full mailbox
_RATE = re.compile(r"\brate\b|too many|too fast|limit|quota|throttl|slow down", re.IGNORECASE)
_SENDING_QUOTA = re.compile(r"(daily|hourly|sending)[\w ]* (limit|quota)", re.IGNORECASE)


class SmtpSender:
    """An SMTP server that takes messages after a sign-in."""

    def __init__(self, line: MailConnection, username: str, password: str, name: str, token: str = "") -> None:
        self._line, self._username, self._password, self._token = line, username, password, token
        self._client = smtplib.SMTP(local_hostname=name, timeout=30)

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def sign_in(self) -> None:
        """Sign in; raise LoggedOut, Unreachable or Throttled, all before anything is sent."""
        line, client = self._line, self._client
        with plainly(line.host, smtplib.SMTPException):
            try:
                client.sock = line.open()
                code, words = client.getreply()
                if code != 220:
                    raise failure(code, words, line.host, about_sender=True)
                client.ehlo_or_helo_if_needed()
                if line.port != 465 and line.require_encryption(client.has_extn("starttls")):
                    self._start_tls()
                    client.ehlo_or_helo_if_needed()
                if self._token:
                    self._sign_in_with_token()
                elif self._username:  # a relay of one's own may ask for none
                    client.login(self._username, self._password)
            except smtplib.SMTPNotSupportedError:
                raise LoggedOut(f"{line.host} doesn't support sign-in with a password.", about="password") from None
            except smtplib.SMTPAuthenticationError as problem:
                raise _not_let_in(problem, line.host, bool(self._token)) from None
            except smtplib.SMTPResponseException as problem:
                raise failure(problem.smtp_code, problem.smtp_error, line.host, about_sender=True) from None

    def _start_tls(self) -> None:
        """Switch to TLS for the host's name; `SMTP.starttls` knows it only after its own connect."""
        client = self._client
        code, words = client.docmd("STARTTLS")
        if code != 220 or client.sock is None:
            raise smtplib.SMTPResponseException(code, words)
        client.sock = self._line.rules.tls().wrap_socket(client.sock, server_hostname=self._line.host)
        # RFC 3207: forget everything that the server said before.
        client.file = client.helo_resp = client.ehlo_resp = None
        client.esmtp_features, client.does_esmtp = {}, False

    def _sign_in_with_token(self) -> None:
        if "XOAUTH2" not in str(self._client.esmtp_features.get("auth", "")).upper().split():
            raise LoggedOut(f"{self._line.host} doesn't support sign-in with a token (XOAUTH2).", about="token")
        words = bearer(self._username, self._token)
        self._client.auth("XOAUTH2", lambda challenge=None: words if challenge is None else "")

    def hand_over(
        self,
        sender: str,
        recipient: str,
        message: bytes,
        leaving: Callable[[], None] = lambda: None,
        copies: Sequence[str] = (),
    ) -> None:
        """Hand the message to the server. Any error but Unknown means that it was surely not taken.

        Call `leaving` at the last moment before it can be taken. An address in Cc that is refused stops it for all.
        """
        host, client = self._line.host, self._client
        with plainly(host, smtplib.SMTPException):
            code, words = client.mail(sender)
            if code != 250:
                raise failure(code, words, host, about_sender=True)
            for address in (recipient, *copies):
                code, words = client.rcpt(address)
                if code not in (250, 251):
                    raise _rejection(code, words, host, recipient if address == recipient else "")
            code, words = client.docmd("DATA")
            if code != 354:
                raise failure(code, words, host)
            ends = b"" if message.endswith(b"\r\n") else b"\r\n"
            client.send(re.sub(rb"(?m)^\.", b"..", message) + ends)
        leaving()
        try:
            client.send(b".\r\n")
            code, words = client.getreply()
        except (OSError, smtplib.SMTPException):
            raise Unknown(f"The connection to {host} was lost while sending.") from None
        if 400 <= code < 600:
            raise _rejection(code, words, host, "" if copies else recipient, named=False)
        if not 200 <= code < 300:
            raise Unknown(f"We couldn't read {host}'s response to the message.")


def _not_let_in(problem: smtplib.SMTPAuthenticationError, host: str, by_token: bool) -> ProviderError:
    if 400 <= problem.smtp_code < 500:
        return failure(problem.smtp_code, problem.smtp_error, host)
    return not_accepted(host, said(problem.smtp_error), by_token)


def _rejection(code: int, words: bytes | str, host: str, recipient: str, *, named: bool = True) -> ProviderError:
    """Return a bounce where the answer is about the recipient, else the failure that it means.

    An answer to the whole message (not `named`) is about the recipient only if it says that the address is not there.
    A refusal of the sender, of what was written or of its size says nothing about the person.
    """
    problem, answer = failure(code, words, host), f"{code} {said(words)}".rstrip()
    cause, about_size = bounce_causes.judge("", answer), _SIZE.search(answer)
    if type(problem) is not Refused or not recipient or cause.ours or about_size or not (named or cause.gone):
        return problem
    return RecipientRefused(bounce_sentence(recipient, answer), cause.gone)


def failure(code: int, words: bytes | str, host: str, *, about_sender: bool = False) -> ProviderError:
    """Return the error that an SMTP answer means. None of them had an effect."""
    answer = said(words)
    detail = found.group(1) if (found := _DETAIL.search(answer)) else ""
    sentence = f"{host} returned {code} {answer}".rstrip() + "."
    if detail == "5.4.5" or (code >= 500 and _SENDING_QUOTA.search(answer)):
        return Throttled(sentence, DAY)
    if code in (530, 534, 535, 538):
        return LoggedOut(sentence)
    if code >= 500:
        return LoggedOut(sentence) if about_sender else Refused(sentence)
    if 400 <= code < 500 and (detail.startswith("4.7") or _RATE.search(answer)):
        return Throttled(sentence, HOUR)
    return Unreachable(sentence)
