"""Connections to mail servers: vetted and pinned addresses, encrypted, with a hard deadline."""

import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from app.ports import LoggedOut, Refused, Unreachable
from app.providers import addresses
from app.providers.addresses import Resolve, look_up
from app.providers.outbound import remaining

CONNECT, ONE_ANSWER = 10.0, 30.0  # seconds
MOST_ADDRESSES = 4
ENCRYPTED = (465, 993)  # ports on which TLS begins at once
SMTP_PORTS, IMAP_PORTS = (587, 465, 2525, 25), (993, 143)

HINTS = {  # by what is found in the answer of a server, in lower case
    "application-specific password": "Create an app password in the Google account and use it.",
    "5.7.139": "Ask the mailbox's admin to turn on Authenticated SMTP.",
    "basicauthblocked": "Microsoft doesn't allow passwords here. Connect with a Microsoft token.",
    "basic authentication is disabled": "Microsoft doesn't allow passwords here. Connect with a Microsoft token.",
    "webloginrequired": "Google wants you to confirm this sign-in in a browser first.",
    "imap access is disabled": "Turn on IMAP in the mailbox's settings.",
    "not enabled for imap": "Turn on IMAP in the mailbox's settings.",
}
# What a server says of a user name alone; most say no more than that one of the two is wrong.
_NO_USER = re.compile(r"(?i)\b(?:(?:unknown|no such) user|user (?:is )?(?:unknown|not found))\b(?! (?:name|or) )")


@dataclass(frozen=True)
class Rules:
    """What holds for every connection of this installation."""

    allow_private: bool = False
    tls: Callable[[], ssl.SSLContext] = ssl.create_default_context
    resolve: Resolve = look_up


class MailConnection:
    """A connection to one server, for the client of a protocol; closed and its alarm gone when left."""

    def __init__(self, host: str, port: int, usual: tuple[int, ...], rules: Rules, deadline: float) -> None:
        self.host, self.port, self.rules, self.deadline = host.strip().rstrip("."), port, rules, deadline
        self.may_be_plain = False  # only inside a private network, where the operator allows it
        self._usual, self._alarm, self._twin = usual, threading.Timer(0, int), socket.socket()

    def __enter__(self) -> "MailConnection":
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._alarm.cancel()
        self._twin.close()

    def open(self) -> socket.socket:
        """Return a connected socket, with TLS from the start if the port needs it."""
        self._check()
        connected = self._dial()
        self._twin.close()
        self._twin = socket.socket(fileno=os.dup(connected.fileno()))
        self._alarm = threading.Timer(remaining(self.deadline), self._cut)
        self._alarm.daemon = True
        self._alarm.start()
        connected.settimeout(min(ONE_ANSWER, remaining(self.deadline)))
        if self.port in ENCRYPTED:
            return self.rules.tls().wrap_socket(connected, server_hostname=self.host)
        return connected

    def require_encryption(self, offered: bool) -> bool:
        """Return whether to switch to TLS; raise LoggedOut if the server would read the password in the clear."""
        if not offered and not self.may_be_plain:
            raise LoggedOut(f"{self.host} offers no encryption (STARTTLS) on port {self.port}. Use another port.")
        return offered

    def _cut(self) -> None:
        with suppress(OSError):
            self._twin.shutdown(socket.SHUT_RDWR)

    def _check(self) -> None:
        if not (self.port in self._usual or (self.rules.allow_private and 0 < self.port < 65536)):
            ports = ", ".join(map(str, self._usual))
            raise Unreachable(f"Port {self.port} of {self.host} is not allowed. Use one of {ports}.")
        try:
            addresses.split(f"https://{self.host}", self.rules.allow_private)
        except Refused:
            raise Unreachable(f"“{self.host[:80]}” is not a mail server on the public internet.") from None

    def _dial(self) -> socket.socket:
        """Resolve the name once and connect; every address must be allowed."""
        try:
            found = addresses.places(
                self.host, self.port, allow_private=self.rules.allow_private, resolve=self.rules.resolve
            )
        except Unreachable:
            raise Unreachable(f"We couldn't find {self.host}. Check the name or try again.") from None
        except Refused:
            raise Unreachable(f"{self.host} points to an address that is not on the public internet.") from None
        until = min(time.monotonic() + CONNECT, self.deadline)
        for place in found[:MOST_ADDRESSES]:
            try:
                connected = socket.create_connection(place, remaining(until))
            except OSError:
                continue
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.may_be_plain = not addresses.allowed(place[0], False)
            return connected
        raise Unreachable(f"{self.host} doesn't respond on port {self.port}.")


@contextmanager
def plainly(host: str, *protocol: type[Exception]) -> Iterator[None]:
    """Turn connection errors into Unreachable, and a wrong certificate into LoggedOut, with a sentence.

    Also what the clients of the standard library stumble over when an answer is none.
    """
    stumbled: tuple[type[Exception], ...] = (*protocol, ValueError, LookupError, TypeError, AttributeError)
    try:
        yield
    except ssl.SSLCertVerificationError as problem:
        raise LoggedOut(f"The certificate of {host} is not valid: {problem.verify_message}.") from None
    except TimeoutError:
        raise Unreachable(f"{host} took too long to respond.") from None
    except (OSError, EOFError) as problem:
        raise Unreachable(f"The connection to {host} was lost ({type(problem).__name__}).") from None
    except stumbled as problem:
        raise Unreachable(f"We couldn't read {host}'s response ({type(problem).__name__}).") from None


def said(answer: Any) -> str:
    """Return a server's answer as part of a sentence that is shown to a person."""
    text = answer.decode(errors="replace") if isinstance(answer, bytes) else str(answer)
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable())[:200].rstrip(". ")


def bearer(username: str, token: str) -> str:
    """Return the first message of XOAUTH2, before encoding."""
    return f"user={username}\1auth=Bearer {token}\1\1"


def not_accepted(host: str, answer: str, by_token: bool = False) -> LoggedOut:
    """Return the failure for a refused sign-in, with the field that is wrong and what to do if the answer says so."""
    unknown = not by_token and _NO_USER.search(answer)
    what = "token" if by_token else "user name" if unknown else "user name and password"
    hint = next((hint for words, hint in HINTS.items() if words in answer.lower()), "")
    about = "token" if by_token else "username" if unknown else "password"
    return LoggedOut(f"{host} rejected this {what}: {answer}.{hint and ' ' + hint}", about=about)
