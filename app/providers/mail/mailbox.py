"""A mailbox behind the port of senders: it sends by SMTP, and uses IMAP for copies, lookups and the inbox.

A sent message must be found again, or a lost answer would lead to a second email. If the mail server stores no copies
itself (`copies` is `ours`), the copy is put into the Sent folder as a flagged draft before the send. The flag is
removed just before the server can take the message, and the draft mark once it was taken. So no copy or a flagged draft
means surely not sent, any other draft means unknown, and any other copy means sent.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from app.ports import (
    AccountRef,
    Arrival,
    Inbound,
    Incoming,
    LoggedOut,
    ProviderError,
    Receipt,
    Received,
    Refused,
    SenderAction,
    Unknown,
    Unreachable,
    Unreadable,
)
from app.providers.mail import parsing, writing
from app.providers.mail.connections import IMAP_PORTS, SMTP_PORTS, MailConnection, Rules
from app.providers.mail.imap import HEADERS, LARGEST, MOST_READ, FetchedMessage, Mailbox, date_of_search, quoted
from app.providers.mail.smtp import SmtpSender
from app.providers.mail.tokens import Tokens
from app.providers.outbound import Deadline, release_database

LOG = logging.getLogger("app.providers.mail")
Signed = TypeVar("Signed", Mailbox, SmtpSender)
WHOLE_CALL = 100.0  # seconds
MOST_AT_ONCE = 50  # messages that one look takes in
AFTER_RENUMBERING = timedelta(days=3)  # how far back an inbox is read when its UIDs became invalid
WHOLE = 15 * 1024 * 1024  # bytes of a letter with files
MOST_WHOLE = MOST_READ - WHOLE - 2 * MOST_AT_ONCE * LARGEST  # read so far, that still leave room for one more
MOST_LOOKED_AT = 5  # messages of the mailbox's own domain, for how they are signed
SAME_DAY = timedelta(days=1)  # a search knows days, not hours, in the server's time zone
COPY_MISSING = "The Sent folder has no copy, so we can't tell whether the email was sent."
NOT_FOUND_AGAIN = "The copy we saved isn't in the Sent folder. Nothing was sent."


class MailSystem:
    """Mailboxes of any provider; a `ports.Sender`."""

    quarantine = 660  # a server may take ten minutes to answer after the last byte (RFC 5321)
    lateness = 0
    patience = 120
    parallel = 8

    def __init__(
        self, rules: Rules, *, base: str = "", tokens: Tokens | None = None, whole_call: float = WHOLE_CALL
    ) -> None:
        self._rules, self._base, self._tokens, self._whole_call = rules, base, tokens, whole_call

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        """Send the message, once per token."""
        release_database()
        if action.kind != "email":
            raise Refused("A mailbox can only send emails.")
        deadline = Deadline(self._whole_call)
        message, to = writing.written(account, action, self._base), writing.recipient(action)
        name = writing.message_id(account, action)
        with self._box(account) as box:
            copies = _Copies(box, account, action, message)
            if done := copies.sent():
                return done

            def leave() -> None:
                deadline.check()  # right before the server can take it: by then another worker may have the sender
                copies.leave()

            with self._outbox(account) as outbox:
                copies.begin(message)
                try:
                    outbox.hand_over(account.address, to, message, leave, writing.copied(action))
                except Unknown:
                    raise
                except ProviderError:
                    copies.take_back()
                    raise
            copies.keep()
        return Receipt(name, account.at)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        """Look the message up in the Sent folder."""
        release_database()
        with self._box(account) as box:
            return _Copies(box, account, action, writing.written(account, action, self._base)).found()

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """Return what came in since the cursor, into the inbox or the folder for spam.

        Without a cursor, from now on: older mail is private. A cursor is `validity:uid` of each folder, or `@date` for
        one that does not exist yet: once it is made, it is read from that day.
        """
        release_database()
        items: list[Incoming] = []
        unreadable: list[Unreadable] = []
        places: list[str] = []
        known = cursor.split(";")
        with self._box(account) as box:
            for number, folder in enumerate(("INBOX", box.junk_folder())):
                fresh, place = _fresh(box, folder, known[number] if number < len(known) else "", account.at)
                places.append(place)
                for uid in fresh:
                    for letter in box.fetch([uid]):
                        arrived = min(letter.at, account.at)
                        try:
                            items += self._read_whole(
                                box, letter, account, parsing.incoming(letter.raw, arrived, account.address)
                            )
                        except Exception as fault:  # noqa: BLE001  whatever a stranger wrote, the rest goes on
                            LOG.warning("A message could not be read", extra={"fields": {"why": type(fault).__name__}})
                            unreadable.append(parsing.set_aside(letter.raw, arrived, fault))
                            items += parsing.unreadable(letter.raw, arrived, account.address)
        return Inbound(items, ";".join(places), unreadable)

    def _read_whole(
        self, box: Mailbox, letter: FetchedMessage, account: AccountRef, items: list[Incoming]
    ) -> list[Incoming]:
        """Return the items with the files of a large letter, read to the end if it is from someone we write to."""
        letters = [one for one in items if isinstance(one, Received)]
        if len(letter.raw) < LARGEST or not letters:
            return items
        whole, addresses = letter, {address for one in letters for address in (one.person, one.alias) if address}
        wanted = letters[0].token or (account.knows and account.knows(addresses))
        if wanted and box.read_so_far <= MOST_WHOLE:
            whole = next(iter(box.fetch([letter.uid], WHOLE)), letter)
        return parsing.with_files(items, whole.raw, cut=whole is letter or len(whole.raw) >= WHOLE)

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
        """Return None: a mailbox can't say when something will come in."""
        release_database()
        return None

    def status(self, account: AccountRef) -> None:
        """Sign in at both servers; raise LoggedOut with the reason if one refuses."""
        release_database()
        with self._box(account) as box:
            box.choose("INBOX")
        with self._outbox(account):
            pass

    def signature(self, account: AccountRef) -> str:
        release_database()
        with self._box(account) as box:
            box.choose("INBOX")
            for uid in box.search("FROM", quoted("@" + writing.domain(account)))[-MOST_LOOKED_AT:][::-1]:
                for letter in box.fetch([uid], HEADERS):
                    if found := parsing.signature(letter.raw, account.address):
                        return found
        return ""

    def arrival(self, account: AccountRef, token: str) -> Arrival | None:
        release_database()
        with self._box(account) as box:
            junk = box.junk_folder()
            for folder in [one for one in ("INBOX", junk) if one]:
                box.choose(folder)
                if uid := box.by_header(parsing.OUR_HEADER, token):
                    for letter in box.fetch([uid], HEADERS):
                        return parsing.arrival(letter.raw, spam=folder == junk)
        return None

    def reconnect(self, account: AccountRef) -> None:
        """Check the login: no state is stored between calls."""
        self.status(account)

    @contextmanager
    def _box(self, account: AccountRef) -> Iterator[Mailbox]:
        said = account.settings
        with ExitStack() as lines:

            def sign_in(token: str) -> Mailbox:
                line = lines.enter_context(self._line(account, "imap", IMAP_PORTS))
                return Mailbox(line, said.get("username", ""), said.get("password", ""), token)

            box = self._signed_in(account, sign_in)
            try:
                yield box
            finally:
                box.close()

    @contextmanager
    def _outbox(self, account: AccountRef) -> Iterator[SmtpSender]:
        said, name = account.settings, writing.domain(account)
        with ExitStack() as lines:

            def sign_in(token: str) -> SmtpSender:
                line = lines.enter_context(self._line(account, "smtp", SMTP_PORTS))
                outbox = SmtpSender(line, said.get("username", ""), said.get("password", ""), name, token)
                lines.callback(outbox.close)
                outbox.sign_in()
                return outbox

            yield self._signed_in(account, sign_in)

    def _signed_in(self, account: AccountRef, sign_in: Callable[[str], Signed]) -> Signed:
        """Sign in with a token ('' for a password); try a new one when the token was withdrawn early."""
        if not (self._tokens and account.settings.get("refresh_token")):
            return sign_in("")
        token = self._tokens.of(account)
        try:
            return sign_in(token)
        except LoggedOut:
            self._tokens.forget(account)
        return sign_in(self._tokens.of(account))

    def _line(self, account: AccountRef, protocol: str, ports: tuple[int, ...]) -> MailConnection:
        said = account.settings
        host, port = said.get(f"{protocol}_host", ""), said.get(f"{protocol}_port", "")
        if not (host and port.isdigit() and (said.get("password") or said.get("refresh_token"))):
            raise LoggedOut("The servers or the password of this mailbox are missing. Connect the mailbox again.")
        return MailConnection(host, int(port), ports, self._rules, time.monotonic() + self._whole_call)


def _fresh(box: Mailbox, folder: str, place: str, at: datetime) -> tuple[list[int], str]:
    """Open the folder; return the UIDs of new messages, and the place up to which they are then read."""
    if not folder:
        return [], place or f"@{date_of_search(at - SAME_DAY)}"
    validity, following = box.choose(folder)
    known, _, last = place.partition(":")
    if not place:
        newest = following - 1 if following else max(box.search("ALL"), default=0)
        return [], f"{validity}:{newest}"
    if place.startswith("@"):
        fresh = box.search("SINCE", place[1:])
    elif known == str(validity):
        fresh = [uid for uid in box.search("UID", f"{int(last) + 1}:*") if uid > int(last)]
    else:
        fresh = box.search("SINCE", date_of_search(at - AFTER_RENUMBERING))
    taken = fresh[:MOST_AT_ONCE]
    newest = taken[-1] if taken else int(last) if known == str(validity) else following - 1
    return taken, f"{validity}:{newest}"


class _Copies:
    """What the Sent folder knows of one message."""

    def __init__(self, box: Mailbox, account: AccountRef, action: SenderAction, message: bytes) -> None:
        self._box, self._account, self._action, self._message = box, account, action, message
        self._name = writing.message_id(account, action)
        self._ours = account.settings.get("copies") != "server"
        self._folder, self._uid = box.sent_folder(), 0
        if self._folder:
            box.choose(self._folder, change=self._ours)
            self._uid = self._look()

    def _look(self) -> int:
        """Return the UID of the copy: by its Message-ID, which servers rewrite, by our header, or by what it says."""
        found = self._box.by_name(self._name) or self._box.by_header(parsing.OUR_HEADER, self._action.token)
        if found:
            return found
        said = parsing.comparable(self._message)
        since = date_of_search((self._action.intended_at or self._account.at) - SAME_DAY)
        named = self._box.search("SINCE", since, "TO", quoted(writing.recipient(self._action)))
        for uid in named[-MOST_LOOKED_AT:][::-1]:
            if any(
                parsing.comparable(one.raw) == said and not self._is_another(one.raw) for one in self._box.fetch([uid])
            ):
                return uid
        return 0

    def _is_another(self, raw: bytes) -> bool:
        """Return whether it is the copy of another message of ours that says the same."""
        token = parsing.token_inside(raw)
        return bool(token) and token != self._action.token

    def sent(self) -> Receipt | None:
        """Return the receipt of a message that was surely sent."""
        return None if self._draft() else self._receipt()

    def found(self) -> Receipt | None:
        """Return the receipt; None when it was surely not sent. Raise Unknown when the copy can't tell.

        A server that keeps copies itself may keep one late, or elsewhere: that there is none says nothing.
        """
        if not self._folder or not (self._ours or self._uid):
            raise Unknown(COPY_MISSING)
        if self._draft(r"\flagged"):
            return None
        if self._draft():
            raise Unknown("A copy was saved, but we can't confirm that the email was sent.")
        return self._receipt()

    def begin(self, message: bytes) -> None:
        """Store the copy as a flagged draft before the message leaves."""
        if self._ours and self._folder and not self._uid:
            self._box.append(self._folder, message, r"(\Seen \Draft)")
            self._box.choose(self._folder, change=True)
            self._uid = self._look()
            if not self._uid:
                raise Unreachable(NOT_FOUND_AGAIN)
        if self._ours and self._uid:  # only a copy that can be found again can lose its flag
            self._box.mark(self._uid, "+FLAGS", r"(\Flagged)")

    def leave(self) -> None:
        """Remove the flag: from here on, the copy can't tell whether the message left."""
        if self._ours and self._uid:
            self._box.mark(self._uid, "-FLAGS", r"(\Flagged)")

    def keep(self) -> None:
        """Mark the copy as sent; if that fails, a later lookup is unknown."""
        self._try(lambda: self._box.mark(self._uid, "-FLAGS", r"(\Draft \Deleted)"))

    def take_back(self) -> None:
        """Delete the copy of a message that surely did not leave."""
        self._try(lambda: self._box.remove(self._uid))

    def _try(self, change: Callable[[], None]) -> None:
        if not (self._ours and self._uid):
            return
        try:
            change()
        except ProviderError as problem:
            LOG.warning("A copy is not up to date", extra={"fields": {"why": problem.sentence}})

    def _draft(self, flag: str = "") -> bool:
        """Return whether the copy is a draft, with that flag if one is given."""
        flags = self._box.flags(self._uid) if self._ours and self._uid else ""
        return "\\draft" in flags and flag in flags

    def _receipt(self) -> Receipt | None:
        if not self._uid:
            return None
        letters = self._box.fetch([self._uid], HEADERS)
        written = parsing.written_at(letters[0].raw) if letters else None
        return Receipt(self._name, written or self._account.at.astimezone(UTC))
