"""Read a mailbox by IMAP: folders by purpose, messages by id or number, and copies of sent messages."""

import imaplib
import re
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes
from typing import Any

from app.ports import Unreachable
from app.providers.mail.connections import MailConnection, bearer, not_accepted, plainly, said
from app.providers.mail.mime import header

LONGEST_LINE = 1_000_000  # bytes; search results of large folders are long
LARGEST = 256 * 1024  # bytes read of a message; the text comes first
HEADERS = 16 * 1024
MOST_COMPARED = 5
MOST_READ = 96 * 1024 * 1024
SENT_NAMES = ("sent", "sent items", "sent messages", "sent mail", "[gmail]/sent mail", "inbox.sent", "gesendet")
JUNK_NAMES = (
    "junk",
    "spam",
    "junk e-mail",
    "junk email",
    "bulk mail",
    "bulk",
    "[gmail]/spam",
    "inbox.junk",
    "inbox.spam",
)
_FOLDER = re.compile(rb'\((?P<flags>[^)]*)\) (?:"(?:\\.|[^"])*"|NIL) (?P<name>.+)')
_UID = re.compile(rb"\bUID (\d+)")
_BUSY = re.compile(r"\[(UNAVAILABLE|LIMIT|SERVERBUG|INUSE)\]|too many|try again", re.IGNORECASE)


class _Client(imaplib.IMAP4):
    """The standard client on a connection of ours, which reads no more than an honest server sends."""

    def __init__(self, line: MailConnection) -> None:
        self._line, self._left = line, MOST_READ
        super().__init__(line.host, line.port, 30)

    def open(self, host: str = "", port: int = 143, timeout: float | None = None) -> None:
        """Connect through our own connection, which checks and pins the address."""
        self.host, self.port, self.sock = host, port, self._line.open()
        self._stream = self.sock.makefile("rb")

    def start_tls(self, context: ssl.SSLContext) -> None:
        """Switch to TLS; what was read before the switch is dropped."""
        answer, words = self.xatom("STARTTLS")
        if answer != "OK":
            raise self.error(f"STARTTLS was refused: {words}")
        self._stream.close()
        self.sock = context.wrap_socket(self.sock, server_hostname=self.host)
        self._stream = self.sock.makefile("rb")

    def read(self, size: int) -> bytes:
        """Read a literal, within what an honest server sends."""
        self._left -= size
        if self._left < 0:
            raise self.abort("more than any honest answer")
        return self._stream.read(size)

    @property
    def taken(self) -> int:
        """Return how many bytes of literals were read."""
        return MOST_READ - self._left

    def readline(self) -> bytes:
        """Read a line."""
        line = self._stream.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise self.error("a line longer than any honest answer")
        return line

    def shutdown(self) -> None:
        """Close the connection."""
        self._stream.close()
        with suppress(OSError):  # the server may have closed it first
            self.sock.shutdown(socket.SHUT_RDWR)
        self.sock.close()


@dataclass(frozen=True)
class FetchedMessage:
    """A message as it lies in a folder."""

    uid: int
    at: datetime
    raw: bytes


class Mailbox:
    """A mailbox that was opened with a password, or with a token."""

    def __init__(self, line: MailConnection, username: str, password: str, token: str = "") -> None:
        self._line, self._token = line, token
        self._listed: list[Any] | None = None
        with self._plainly():
            self._client = _Client(line)
        try:
            with self._plainly():
                if line.port != 993 and line.require_encryption("STARTTLS" in self._client.capabilities):
                    self._client.start_tls(line.rules.tls())
                self._sign_in(username, password)
                _, able = self._client.capability()  # many servers say the whole of it only now
                self._able = b" ".join(line for line in able if line).upper().split()
        except BaseException:
            self.close()
            raise

    def _plainly(self) -> Any:
        return plainly(self._line.host, imaplib.IMAP4.error)

    def _sign_in(self, username: str, password: str) -> None:
        client = self._client
        try:
            if self._token:
                words = bearer(username, self._token).encode()
                client.authenticate("XOAUTH2", lambda challenge: b"" if challenge else words)
            elif "LOGINDISABLED" in client.capabilities or "AUTH=PLAIN" in client.capabilities:
                client.authenticate("PLAIN", lambda _: f"\0{username}\0{password}".encode())
            else:
                client.login(quoted(username), password)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as problem:
            answer = said(problem.args[0] if problem.args else "")
            if _BUSY.search(answer):
                raise Unreachable(f"{self._line.host} is busy: {answer}.") from None
            raise not_accepted(self._line.host, answer, bool(self._token)) from None

    def close(self) -> None:
        """Sign out and close the connection."""
        with suppress(OSError, imaplib.IMAP4.error):
            self._client.logout()
        with suppress(OSError):
            self._client.shutdown()

    @property
    def read_so_far(self) -> int:
        """Return the bytes of messages that were read."""
        return self._client.taken

    def sent_folder(self) -> str:
        """Return the Sent folder; '' without one."""
        return self._folder(b"\\sent", SENT_NAMES)

    def junk_folder(self) -> str:
        """Return the folder for spam, where answers land, too; '' without one."""
        return self._folder(b"\\junk", JUNK_NAMES)

    def _folder(self, purpose: bytes, names: Sequence[str]) -> str:
        """Return the folder of that purpose (RFC 6154), else the first that has one of the names; '' without one."""
        if self._listed is None:
            with self._plainly():
                _, self._listed = self._client.list()
        named: dict[str, str] = {}
        for line in self._listed:
            found = _FOLDER.match(line) if isinstance(line, bytes) else None
            if found:
                name = found["name"].decode("ascii", "replace").strip().strip('"').replace('\\"', '"')
                if purpose in found["flags"].lower():
                    return name
                named[name.lower()] = name
        return next((named[name] for name in names if name in named), "")

    def choose(self, folder: str, *, change: bool = False) -> tuple[int, int]:
        """Open the folder; return its UIDVALIDITY and the UID of its next message."""
        with self._plainly():
            kind, words = self._client.select(quoted(folder), readonly=not change)
            if kind != "OK":
                raise Unreachable(f"The folder {folder} cannot be opened: {said(words[0] or b'')}.")
            return self._number("UIDVALIDITY"), self._number("UIDNEXT")

    def _number(self, name: str) -> int:
        _, found = self._client.response(name)
        return int(found[0]) if found and found[0] else 0

    def search(self, *criteria: str) -> list[int]:
        """Return the UIDs of matching messages in the open folder, ascending."""
        with self._plainly():
            kind, found = self._client.uid("SEARCH", *criteria)
            if kind != "OK":
                raise Unreachable(f"{self._line.host} can't search the mailbox.")
            return sorted(int(uid) for line in found if line for uid in line.split())

    def by_name(self, message_id: str) -> int:
        """Return the UID of the message with that Message-ID in the open folder; 0 without one."""
        return self.by_header("Message-ID", message_id)

    def by_header(self, name: str, value: str) -> int:
        """Return the UID of the message with that header in the open folder; 0 without one.

        A copy is the proof that an email was sent, so what the server found is compared: some find any message.
        """
        for uid in self.search("HEADER", name, quoted(value))[-MOST_COMPARED:]:
            if any(value in header(message_from_bytes(one.raw), name) for one in self.fetch([uid], HEADERS)):
                return uid
        return 0

    def flags(self, uid: int) -> str:
        """Return the flags of a message in lower case."""
        with self._plainly():
            _, found = self._client.uid("FETCH", str(uid), "(FLAGS)")
        return b" ".join(line for line in found if isinstance(line, bytes)).decode("ascii", "replace").lower()

    def fetch(self, uids: Sequence[int], size: int = LARGEST) -> list[FetchedMessage]:
        """Fetch these messages, at most `size` bytes of each; deleted ones are left out."""
        if not uids:
            return []
        with self._plainly():
            names = ",".join(map(str, uids))
            _, found = self._client.uid("FETCH", names, f"(UID INTERNALDATE BODY.PEEK[]<0.{size}>)")
        letters = []
        for place, part in enumerate(found):
            if not isinstance(part, tuple):
                continue
            after = found[place + 1] if place + 1 < len(found) and isinstance(found[place + 1], bytes) else b""
            number = _UID.search(part[0]) or _UID.search(after)
            if number:
                letters.append(FetchedMessage(int(number.group(1)), _arrival(part[0] + b" " + after), part[1]))
        return sorted(letters, key=lambda letter: letter.uid)

    def append(self, folder: str, message: bytes, flags: str) -> None:
        """Append the message to the folder."""
        with self._plainly():
            kind, words = self._client.append(quoted(folder), flags, None, message)
        if kind != "OK":
            raise Unreachable(f"{self._line.host} did not save a copy in {folder}: {said(words[0] or b'')}.")

    def mark(self, uid: int, change: str, flags: str) -> None:
        """Change the flags of a message: `+FLAGS` or `-FLAGS`."""
        with self._plainly():
            kind, words = self._client.uid("STORE", str(uid), change, flags)
        if kind != "OK":
            raise Unreachable(f"{self._line.host} could not change the mailbox: {said(words[0] or b'')}.")

    def remove(self, uid: int) -> None:
        """Delete the message."""
        self.mark(uid, "+FLAGS", r"(\Deleted)")
        with self._plainly():
            if b"UIDPLUS" in self._able:
                self._client.uid("EXPUNGE", str(uid))


def quoted(text: str) -> str:
    """Return a string quoted for IMAP; raise ValueError when it would break the line."""
    if any(sign in text for sign in "\r\n\0"):
        raise ValueError("This must be one line.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _arrival(answer: bytes) -> datetime:
    moment = imaplib.Internaldate2tuple(answer)
    if moment is None:
        return datetime.max.replace(tzinfo=UTC)
    return datetime(*moment[:6]).astimezone().astimezone(UTC)


def date_of_search(at: datetime) -> str:
    """Return a day as IMAP searches write it, in any locale."""
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    return f"{at.day:02d}-{months[at.month - 1]}-{at.year}"
