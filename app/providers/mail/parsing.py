"""Classify inbound email: a reply, an automatic message, a bounce, or unrelated."""

import email
import re
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from hashlib import sha256

from app.ports import Incoming, Received, Unreadable
from app.providers.mail import bounce_notifications, bounces
from app.providers.mail.mime import ADDRESS, LONGEST, address_of, header, text_of, token_of

__all__ = ["LONGEST", "incoming", "written_at"]
LONGEST_SUBJECT = 500
LARGEST_HEAD = 64 * 1024
OUR_NAME = re.compile(r"<[0-9a-f]{32}@[^<>\s]{1,255}>")
_AWAY = re.compile(
    r"^\W*(auto(matic|mated)?[- ]?(reply|response)|out of (the )?office(?! (space|hours|furniture))"
    r"|automatische antwort|abwesen\w*|r[ée]ponse automatique|absence( du bureau|\s*:|$)"
    r"|respuesta autom[áa]tica|risposta automatica|resposta autom[áa]tica|automatisch antwoord"
    r"|autosvar|automatiskt? svar|odpowied[źz] automatyczna|automatyczna odpowied[źz])",
    re.IGNORECASE,
)


def incoming(raw: bytes, at: datetime, own: str) -> list[Incoming]:
    """Parse a message into items with addresses as persons; [] when irrelevant, several for a report."""
    message = email.message_from_bytes(raw.replace(b"\0", b""))
    ref = " ".join(header(message, "Message-ID").split())[:300] or "mail:" + sha256(raw).hexdigest()[:40]
    if bounces.is_complaint(message):
        return [*bounces.complained(raw, at, ref)]
    lost = bounce_notifications.notified(message, at, ref)
    if lost is None:
        lost = bounces.bounced(message, raw, at, ref, own)
    if lost is not None:
        return [*lost]
    address = address_of(message, "From")[1].strip().lower()
    if not ADDRESS.fullmatch(address) or address == own.lower():
        return []
    subject = header(message, "Subject")[:LONGEST_SUBJECT]
    ours = _answers(message)
    automatic = _automatic(message, subject, bool(ours))
    said = (text_of(message) or subject, at, ref, subject, automatic)
    return [Received(address, "email", *said, token_of(ours), proof=ours)]


def set_aside(raw: bytes, at: datetime, fault: Exception) -> Unreadable:
    """Return what is known of a message that could not be read."""
    ref = "mail:" + sha256(raw).hexdigest()[:40]
    known = {"sender": "", "subject": ""}
    for name, field in (("From", "sender"), ("Subject", "subject")):
        found = re.search(rb"^%b:[ \t]*([^\r\n]{0,200})" % name.encode(), raw[:LARGEST_HEAD], re.I | re.M)
        shown = found[1].decode("ascii", "replace") if found else ""
        known[field] = "".join(sign for sign in shown if sign.isprintable())
    return Unreadable(ref, at, **known, why=type(fault).__name__)


def written_at(raw: bytes) -> datetime | None:
    """Return the time of the Date header."""
    try:
        moment = parsedate_to_datetime(header(email.message_from_bytes(raw), "Date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def signature(raw: bytes, own: str) -> str:
    """Return the DKIM signature of a message from that address or its domain; '' without one."""
    message = email.message_from_bytes(raw)
    domain = address_of(message, "From")[1].rpartition("@")[2].lower()
    return header(message, "DKIM-Signature")[:4000] if domain and domain == own.rpartition("@")[2].lower() else ""


def _answers(message: Message) -> str:
    """Return the Message-ID of our message that it replies to, the nearest first."""
    names = OUR_NAME.findall(header(message, "In-Reply-To")) or OUR_NAME.findall(header(message, "References"))
    return str(names[-1]) if names else ""


def _automatic(message: Message, subject: str, answers: bool) -> bool:
    """Return whether a machine wrote it (RFC 3834 and older marks). A reply by a mailing list is a person's."""
    marked = header(message, "Auto-Submitted").lower()
    if marked and not marked.startswith("no"):
        return True
    if any(message.get(name) for name in ("X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress")):
        return True
    precedence = header(message, "Precedence").lower()
    if precedence in ("auto_reply", "bulk", "junk") or (not answers and (precedence == "list" or message["List-Id"])):
        return True
    return header(message, "Return-Path") == "<>" or bool(_AWAY.match(subject))
