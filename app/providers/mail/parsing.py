"""Parse inbound email into what senders report: a letter, a bounce, or nothing of ours.

What a letter says is read elsewhere.
"""

import email
import re
from dataclasses import replace
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any

from app.ports import TEST, Arrival, Incoming, Parties, Party, Received, Unreadable
from app.providers.mail import attached, bounce_notifications, bounces
from app.providers.mail.bounce_words import RECEIPT
from app.providers.mail.mime import (
    ADDRESS,
    LONGEST,
    address_of,
    addresses_of,
    decoded,
    header,
    parts,
    text_of,
    token_of,
)

__all__ = ["LONGEST", "incoming", "written_at"]
LONGEST_SUBJECT, LONGEST_NAME, MOST_PARTIES = 500, 200, 50
OUR_HEADER = "X-Entity-Ref-ID"  # some servers write a Message-ID of their own into the copy they keep
LARGEST_HEAD = 64 * 1024
OUR_NAME = re.compile(r"(?<![\w.+-])[0-9a-f]{32}@[^<>\s,;]{1,255}")
_PARTSTAT = re.compile(r"PARTSTAT=\"?(ACCEPTED|DECLINED|TENTATIVE)", re.IGNORECASE)
_CALENDAR_REPLY = re.compile(r"^METHOD:\s*(REPLY|COUNTER)", re.IGNORECASE | re.MULTILINE)
LONGEST_RESULT = 2000
_COMMENT = re.compile(r"\([^()]*\)")
_VERDICT = re.compile(r"(?<![\w.-])(spf|dkim|dmarc)\s?=\s?([a-z]+)")
_SIGNER = re.compile(r"(?:^|;)\s{0,9}d\s{0,9}=\s{0,9}([\w.-]{1,253})")
_AUTHORS = ("From", "Sender", "Reply-To", "Return-Path")
UNREADABLE = "This email can't be read here. Open the email in your mailbox."
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime", "application/pgp-encrypted")
_LOST = "\ufffd"  # what stands for a byte that is no letter
MOST_LOST = 0.3  # of the letters


def incoming(raw: bytes, at: datetime, own: str) -> list[Incoming]:
    """Parse a message into items with addresses as persons; [] when irrelevant, several for a report."""
    message = email.message_from_bytes(raw.replace(b"\0", b""))
    ref = _ref(message, raw)
    if bounces.is_complaint(message):
        return [*bounces.complained(raw, at, ref)]
    form = _form(message)
    lost = bounce_notifications.notified(message, at, ref) if not form else None
    if lost is None and not form:
        lost = bounces.bounced(message, raw, at, ref, own)
    if lost is not None:
        return [*lost]
    text = text_of(message)
    sealed = not text.strip() and any(part.get_content_type() in _SEALED for part in parts(message))
    if sealed or text.count(_LOST) > MOST_LOST * max(len(text.split()), 1) + 2:
        form, text = "unreadable", UNREADABLE
    return _letter(message, raw, at, own, text, form)


def unreadable(raw: bytes, at: datetime, own: str) -> list[Incoming]:
    """Return a letter that no parser could read, if its head names its writer: they answered, whatever it says."""
    aside = set_aside(raw, at, ValueError())
    writer = ADDRESS.search(aside.sender)
    if writer is None or writer[0].lower() == own.lower():
        return []
    named = re.findall(rb"^(?:In-Reply-To|References):([^\r\n]{0,2000})", raw[:LARGEST_HEAD], re.I | re.M)
    ours = OUR_NAME.findall(" ".join(one.decode("ascii", "replace") for one in named))
    token, proof = (ours[0][:32], f"<{ours[0]}>") if ours else ("", "")
    said = (UNREADABLE, at, aside.ref, aside.subject)
    return [Received(writer[0].lower(), "email", *said, token=token, proof=proof, form="unreadable")]


def _letter(message: Message, raw: bytes, at: datetime, own: str, text: str, form: str) -> list[Incoming]:
    named = [address.lower() for name in _AUTHORS for _, address in addresses_of(message, name)]
    authors = [one for one in dict.fromkeys(named) if one != own.lower() and ADDRESS.fullmatch(one)]
    is_test = header(message, OUR_HEADER).startswith(TEST)
    if not authors or is_test or address_of(message, "From")[1].strip().lower() == own.lower():
        return []
    subject = header(message, "Subject")[:LONGEST_SUBJECT]
    ours = _answers(message)
    said = (text or subject, at, _ref(message, raw), subject, _automatic(message, bool(ours)))
    alias = next((address.lower() for _, address in addresses_of(message, "Reply-To")), "")
    more: dict[str, Any] = {"parties": _parties(message), "files": attached.files(message)}
    return [Received(authors[0], "email", *said, token_of(ours), alias=alias, proof=ours, form=form, **more)]


def _parties(message: Message) -> Parties:
    named = {name: _named(message, name) for name in ("From", "To", "Cc")}
    return Parties(next(iter(named["From"]), None), named["To"], named["Cc"])


def _named(message: Message, name: str) -> list[Party]:
    found = [Party(called[:LONGEST_NAME], address) for called, address in addresses_of(message, name)]
    return [one for one in found if ADDRESS.fullmatch(one.address)][:MOST_PARTIES]


def with_files(items: list[Incoming], raw: bytes, *, cut: bool) -> list[Incoming]:
    """Return letters with the files of the whole message, of which the first part alone was read before."""
    files = attached.files(email.message_from_bytes(raw), cut=cut)
    return [replace(one, files=files) if isinstance(one, Received) else one for one in items]


def _ref(message: Message, raw: bytes) -> str:
    return " ".join(header(message, "Message-ID").split())[:300] or "mail:" + sha256(raw).hexdigest()[:40]


def _form(message: Message) -> str:
    """Return "receipt" for a notification that a mail was read, what a calendar answered, or ''."""
    if str(message.get_param("report-type", "") or "").lower() == "disposition-notification":
        return "receipt"
    if message.get_content_type() == "application/ms-tnef" and RECEIPT.search(header(message, "Subject")):
        return "receipt"  # Outlook's own form of it, a file that nothing else reads
    for part in parts(message):
        if part.get_content_type() == "message/disposition-notification":
            return "receipt"
        if part.get_content_type() == "text/calendar":
            told = decoded(part)
            method = str(part.get_param("method") or "").upper()
            if method in ("REPLY", "COUNTER") or _CALENDAR_REPLY.search(told):
                answer = _PARTSTAT.search(told)
                return answer[1].lower() if answer else "accepted" if method == "REPLY" else "tentative"
    return ""


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


def comparable(raw: bytes) -> tuple[str, str]:
    """Return what two copies of one mail have in common: the subject and the words, without spaces and line breaks."""
    message = email.message_from_bytes(raw)
    return header(message, "Subject"), "".join(text_of(message).split())


def token_inside(raw: bytes) -> str:
    """Return the token of the action that the head of a copy names; '' where a server left none."""
    message = email.message_from_bytes(raw[:LARGEST_HEAD])
    named = OUR_NAME.search(header(message, "Message-ID"))
    return header(message, OUR_HEADER) or (named[0][:32] if named else "")


def signature(raw: bytes, own: str) -> str:
    """Return the DKIM signature of a message from that address or its domain; '' without one."""
    message = email.message_from_bytes(raw)
    domain = address_of(message, "From")[1].rpartition("@")[2].lower()
    return header(message, "DKIM-Signature")[:4000] if domain and domain == own.rpartition("@")[2].lower() else ""


def arrival(raw: bytes, *, spam: bool) -> Arrival:
    """Return what the headers say that the receiving server adds (RFC 8601), and those that its users meet."""
    message = email.message_from_bytes(raw)
    results = [str(one)[:LONGEST_RESULT] for one in message.get_all("Authentication-Results", [])]
    server = results[0].partition(";")[0].split()[:1] if results else []
    # Several filters of one server each add a header; what a server before it says is not theirs to trust.
    said = " ".join(_COMMENT.sub(" ", one) for one in results if one.partition(";")[0].split()[:1] == server)
    found: dict[str, str] = {}
    for method, verdict in _VERDICT.findall(said.lower()):
        found[method] = verdict if found.get(method) != "pass" else "pass"
    found.setdefault("spf", (header(message, "Received-SPF").lower().split() or [""])[0])
    signer = _SIGNER.search(header(message, "DKIM-Signature")[:LONGEST_RESULT])
    return Arrival(
        spam,
        **{method: found.get(method, "") for method in ("spf", "dkim", "dmarc")},
        signed_by=signer[1].lower() if signer else "",
        unsubscribe=" ".join(header(message, "List-Unsubscribe").split())[:LONGEST_RESULT],
        one_click=header(message, "List-Unsubscribe-Post").strip().lower() == "list-unsubscribe=one-click",
    )


def _answers(message: Message) -> str:
    """Return the Message-ID of our message that it replies to, the nearest first."""
    names = OUR_NAME.findall(header(message, "In-Reply-To")) or OUR_NAME.findall(header(message, "References"))
    return f"<{names[-1]}>" if names else ""


def _automatic(message: Message, answers: bool) -> bool:
    """Return whether its headers say that a machine wrote it (RFC 3834 and older marks).

    Marks that ask other machines to be silent, or that lists and help desks put on what people write, say nothing.
    """
    marked = header(message, "Auto-Submitted").lower()
    if marked and not marked.startswith("no"):
        return True
    if any(message.get(name) for name in ("X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-Auto-Reply")):
        return True
    precedence = header(message, "Precedence").lower()
    if precedence == "auto_reply" or header(message, "Return-Path") == "<>":
        return True
    return not answers and (precedence in ("bulk", "junk", "list") or bool(message["List-Id"]))
