"""People with real mailboxes, who behave by their addresses, and what the servers know of what they were sent.

writes-…   answers the first e-mail
away-…     is away; a machine answers the first e-mail with that, and until when
gone-…     has no mailbox any more
others     have one and are silent
"""

import email
import re
import smtplib
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from email.utils import parseaddr
from pathlib import Path

from tests.mail.daemons import Daemons

ABSENCE = timedelta(days=3)
_NAMED = re.compile(r"postfix/cleanup\[\d+\]: (\w+): message-id=<([0-9a-f]{32})@")
_QUEUED = re.compile(r"postfix/qmgr\[\d+\]: (\w+): from=<")
_OURS = re.compile(r"^Message-ID: <([0-9a-f]{32})@", re.MULTILINE)


def residents(names: Iterable[str]) -> list[str]:
    """The addresses of those who have a mailbox."""
    return [f"{name}@people.example" for name in names if not name.startswith("gone-")]


class Neighbours:
    """Everyone at people.example."""

    def __init__(self, daemons: Daemons, begin: datetime) -> None:
        self._daemons, self._until = daemons, f"{begin + ABSENCE:%-d %B %Y}"
        self._answered: dict[str, str] = {}

    def answer(self) -> set[str]:
        """Everyone who answers and was written to has answered; who of them did so in person by now."""
        for who in (self._daemons.folder / "mail").glob("*@people.example"):
            kind = who.name.partition("-")[0]
            letters = (
                [*(who / "new").glob("*")] if kind in ("writes", "away") and who.name not in self._answered else []
            )
            if letters:
                self._answered[who.name] = kind
                self._write(who.name, letters[0], away=kind == "away")
        return {who.partition("@")[0] for who, kind in self._answered.items() if kind == "writes"}

    def _write(self, who: str, letter: Path, away: bool) -> None:
        """An absence is told as Exchange does it: also to what can be unsubscribed from, which Sieve does not."""
        heard = email.message_from_bytes(letter.read_bytes())
        to = parseaddr(heard["From"])[1]
        head = f"From: {who}\r\nTo: {to}\r\nMessage-ID: <re-{letter.name}@people>\r\n"
        head += f"Subject: Re: {heard['Subject']}\r\nIn-Reply-To: {heard['Message-ID']}\r\n"
        text = "Sounds great, tell me more."
        if away:
            head, text = f"{head}Auto-Submitted: auto-replied\r\n", f"I am out of the office until {self._until}."
        with smtplib.SMTP("127.0.0.1", self._daemons.ports["inward"]) as server:
            server.sendmail(who, to, f"{head}\r\n{text}\r\n".encode())


def taken(daemons: Daemons) -> Counter[str]:
    """How often Postfix took each of our messages, by its token."""
    log = daemons.log()
    queued = set(_QUEUED.findall(log))
    return Counter(token for number, token in set(_NAMED.findall(log)) if number in queued)


def delivered(daemons: Daemons) -> Counter[tuple[str, str]]:
    """How often each of our messages lies in which mailbox, by the name of its owner and its token."""
    found: Counter[tuple[str, str]] = Counter()
    for path in (daemons.folder / "mail").glob("*@people.example/*/*"):
        if path.parent.name in ("new", "cur") and (name := _OURS.search(path.read_text(errors="replace"))):
            found[path.parts[-3].partition("@")[0], name[1]] += 1
    return found
