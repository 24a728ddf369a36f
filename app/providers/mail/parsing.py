"""What an e-mail that came in is: an answer of a person, of a machine, a bounce, or nothing of ours. Never fails."""

import email
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parseaddr, parsedate_to_datetime
from hashlib import sha256

from selectolax.lexbor import LexborHTMLParser

from app.ports import Bounced, Incoming, Received

LONGEST, LONGEST_SUBJECT, MOST_PARTS = 20_000, 500, 200
OUR_NAME = re.compile(r"<([0-9a-f]{32})@[^<>\s]{1,255}>")
_NAMED_INSIDE = re.compile(rb"^Message-ID:\s*<([0-9a-f]{32})@", re.IGNORECASE | re.MULTILINE)
_DETAIL = re.compile(r"\b([245])\.(\d{1,3})\.(\d{1,3})\b")
_ADDRESS = re.compile(r"[^\s<>;,\"']{1,64}@[^\s<>;,\"']{1,255}")
_POSTMAN = re.compile(r"^(mailer-daemon|postmaster|mail-daemon)$", re.IGNORECASE)
_NOBODY = re.compile(
    r"user unknown|unknown user|no such (user|recipient|mailbox|address)|does(n'?t| not) exist|unknown recipient"
    r"|invalid (recipient|mailbox|address)|recipient (address )?rejected|address (rejected|not found)"
    r"|mailbox (not found|unavailable)|couldn'?t be found|wasn'?t found|unrouteable address|account (is )?disabled",
    re.IGNORECASE,
)
_POLICY = re.compile(r"spam|blocked|blacklist|policy|reputation|dmarc|\bspf\b|quota|mailbox (is )?full", re.IGNORECASE)
_AWAY = re.compile(
    r"^\W*(auto(matic|mated)?[- ]?(reply|response)|out of (the )?office|automatische antwort|abwesen\w*"
    r"|r[ée]ponse automatique|absence|respuesta autom[áa]tica|risposta automatica)",
    re.IGNORECASE,
)


def incoming(raw: bytes, at: datetime, own: str) -> Incoming | None:
    """What it means for us, with the sender's address as the person; None when it is no answer to anybody."""
    message = email.message_from_bytes(raw.replace(b"\0", b""))
    address = parseaddr(_header(message, "From"))[1].strip().lower()
    ref = " ".join(_header(message, "Message-ID").split())[:300] or "mail:" + sha256(raw).hexdigest()[:40]
    report = str(message.get_param("report-type", "", unquote=True) or "").lower()
    if message.get_content_type() == "multipart/report" and report == "feedback-report":
        return _complaint(message, raw, at, ref)
    if message.get_content_type() == "multipart/report" and report == "delivery-status":
        return _report(message, raw, at, ref)
    text = _text(message)
    if _POSTMAN.match(address.partition("@")[0]):
        return _letter_of_a_postman(message, raw, text, at, ref)
    if not _ADDRESS.fullmatch(address) or address == own.lower():
        return None
    subject = _header(message, "Subject")[:LONGEST_SUBJECT]
    automatic, token = _automatic(message, subject), _answers(message)
    return Received(address, "email", text or subject, at, ref, subject, automatic, token)


def written_at(raw: bytes) -> datetime | None:
    """The moment in the Date header."""
    try:
        moment = parsedate_to_datetime(_header(email.message_from_bytes(raw), "Date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _header(message: Message, name: str) -> str:
    """A header as a person reads it, whatever it was encoded with."""
    value = message.get(name)
    if value is None:
        return ""
    try:
        text = str(make_header(decode_header(value)))
    except (LookupError, ValueError, TypeError, AssertionError):
        text = str(value)
    return "".join(sign for sign in " ".join(text.split()) if sign.isprintable() and not "\ud800" <= sign <= "\udfff")


def _answers(message: Message) -> str:
    """The token of the message of ours that it answers, the nearest first."""
    names = OUR_NAME.findall(_header(message, "In-Reply-To")) or OUR_NAME.findall(_header(message, "References"))
    return str(names[-1]) if names else ""


def _automatic(message: Message, subject: str) -> bool:
    """Whether a machine wrote it (RFC 3834, and what came before it)."""
    marked = _header(message, "Auto-Submitted").lower()
    if marked and not marked.startswith("no"):
        return True
    if any(message.get(name) for name in ("X-Autoreply", "X-Autorespond", "X-Auto-Response-Suppress", "List-Id")):
        return True
    if _header(message, "Precedence").lower() in ("auto_reply", "bulk", "junk", "list"):
        return True
    return message.get("Return-Path", "").strip() == "<>" or bool(_AWAY.match(subject))


def _parts(message: Message) -> Iterator[Message]:
    """The parts of a message that hold something, without those of messages inside it."""
    waiting, seen = [message], 0
    while waiting and seen < MOST_PARTS:
        part, seen = waiting.pop(0), seen + 1
        inner = part.get_payload()
        if isinstance(inner, list) and part.get_content_maintype() == "multipart":
            waiting = [one for one in inner if isinstance(one, Message)] + waiting
        elif not isinstance(inner, list):
            yield part


def _text(message: Message) -> str:
    """What it says, from its plain part or else from its HTML."""
    found = {"text/plain": "", "text/html": ""}
    for part in _parts(message):
        kind = part.get_content_type()
        if kind in found and not found[kind] and part.get_content_disposition() != "attachment":
            found[kind] = _decoded(part)
    plain = found["text/plain"].strip() or _without_tags(found["text/html"])
    return plain.replace("\r\n", "\n").replace("\0", "").strip()[:LONGEST]


def _decoded(part: Message) -> str:
    try:
        content = part.get_payload(decode=True)
    except (ValueError, LookupError):
        return ""
    content = content if isinstance(content, bytes) else b""
    named = part.get_content_charset() or ""
    for charset in (named, "utf-8", "cp1252"):
        try:
            return content.decode(charset or "utf-8")
        except (LookupError, UnicodeError):
            continue
    return content.decode("utf-8", "replace")


def _without_tags(html: str) -> str:
    if not html.strip():
        return ""
    tree = LexborHTMLParser(html)
    for node in tree.css("script, style, head, blockquote"):
        node.decompose()
    text = tree.body.text(separator="\n") if tree.body else ""
    return re.sub(r"\n\s*\n+", "\n", text)


def _token_inside(raw: bytes) -> str:
    """The token of a message of ours that another one carries."""
    found = _NAMED_INSIDE.findall(raw)
    return found[-1].decode() if found else ""


def _report(message: Message, raw: bytes, at: datetime, ref: str) -> Incoming | None:
    """A report on a delivery (RFC 3464): a bounce when it says that it failed for good."""
    token = _token_inside(raw)
    for block in _blocks(message):
        if _header(block, "Action").lower() != "failed":
            continue
        given = _header(block, "Original-Recipient") or _header(block, "Final-Recipient")
        found = _ADDRESS.search(given)
        address = found.group(0).lower() if found else ""
        if not (address or token):
            continue
        return _bounce(address, token, _header(block, "Status"), _header(block, "Diagnostic-Code"), at, ref)
    return None


def _blocks(message: Message) -> Iterator[Message]:
    """What the report says of each recipient."""
    for part in message.walk():
        inner = part.get_payload()
        if part.get_content_type() == "message/delivery-status" and isinstance(inner, list):
            yield from (block for block in inner if isinstance(block, Message))


def _bounce(address: str, token: str, status: str, diagnosis: str, at: datetime, ref: str) -> Bounced:
    why = diagnosis.partition(";")[2].strip() or diagnosis or f"status {status}"
    sentence = f"The e-mail to {address or 'this address'} came back: {why[:200].rstrip('. ')}."
    return Bounced(address, at, ref, sentence, _is_final(status, why), token)


def _is_final(status: str, why: str) -> bool:
    """Whether there is nobody at the address, as against full mailboxes and mail that is not wanted."""
    codes = [found.groups() for found in (_DETAIL.search(why), _DETAIL.search(status)) if found]
    known = next((code for code in codes if code[1:] != ("0", "0")), None)
    if known is None:
        return bool(_NOBODY.search(why)) or (bool(codes) and codes[0][0] == "5" and not _POLICY.search(why))
    kind, subject, detail = known
    if kind != "5":
        return False
    return subject == "1" or (subject, detail) in (("2", "1"), ("4", "4"), ("0", "0"))


def _letter_of_a_postman(message: Message, raw: bytes, text: str, at: datetime, ref: str) -> Bounced | None:
    """A bounce in words only; None when it is not about a message of ours, or has not failed yet."""
    token = _token_inside(raw) or _answers(message)
    failed = [found[1].lower() for found in getaddresses([_header(message, "X-Failed-Recipients")]) if found[1]]
    address = failed[0] if failed else ""
    gone = _NOBODY.search(text)
    if not (token or address) or not (gone or failed or re.search(r"\b5\d\d\b", text)):
        return None
    detail = _DETAIL.search(text)
    final = bool(gone) and not (detail and (detail.group(1) == "4" or detail.group(2) == "7"))
    why = gone.group(0) if gone else "the mail server gave it back"
    return Bounced(address, at, ref, f"The e-mail to {address or 'this address'} came back: {why}.", final, token)


def _complaint(message: Message, raw: bytes, at: datetime, ref: str) -> Bounced | None:
    """Somebody called a message of ours spam (RFC 5965): they are not written to again."""
    token = _token_inside(raw)
    found = re.search(rb"^Original-Rcpt-To:\s*<?([^\s<>]{3,320})", raw, re.IGNORECASE | re.MULTILINE)
    address = found.group(1).decode("ascii", "replace").lower() if found else ""
    if not (token or address):
        return None
    return Bounced(address, at, ref, "The recipient reported the e-mail as spam.", True, token)
