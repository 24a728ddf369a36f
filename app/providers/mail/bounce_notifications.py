"""Read what Amazon SES tells of emails by SNS, forwarded to the mailbox: JSON instead of a report."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from email.message import Message
from typing import Any

from app.ports import Bounced
from app.providers.mail import bounce_causes
from app.providers.mail.mime import ADDRESS, address_of, text_of

SENDER = "no-reply@sns.amazonaws.com"
COMPLAINT = "The recipient reported the email as spam."


def notified(message: Message, at: datetime, ref: str) -> list[Bounced] | None:
    """Return what a notification tells, [] for a delivery; None when it is no notification."""
    if address_of(message, "From")[1].lower() != SENDER:
        return None
    told = _notification(text_of(message))
    kind = str(told.get("notificationType") or told.get("eventType") or "")
    if kind == "Complaint":
        return [
            Bounced(address, at, ref, COMPLAINT, True, ours=True)
            for address, _ in _named(told, "complaint", "complainedRecipients")
        ]
    return [_one(address, about, at, ref) for address, about in _named(told, "bounce", "bouncedRecipients")]


def sentence(address: str, why: str) -> str:
    """Return what a person reads of a bounce."""
    return f"The email to {address or 'this address'} bounced: {why[:200].rstrip('. ')}."


def _one(address: str, about: Mapping[str, Any], at: datetime, ref: str) -> Bounced:
    status, said = str(about.get("status") or ""), str(about.get("diagnosticCode") or "")
    why = said.partition(";")[2].strip() or said
    cause = bounce_causes.judge(status, why)
    return Bounced(address, at, ref, sentence(address, why or f"status {status}"), cause.gone, ours=cause.ours)


def _named(told: Mapping[str, Any], part: str, people: str) -> list[tuple[str, Mapping[str, Any]]]:
    within = told.get(part)
    listed = within.get(people) if isinstance(within, dict) else None
    found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    named = [(str(one.get("emailAddress") or "").strip().lower(), one) for one in found]
    return [(address, one) for address, one in named if ADDRESS.fullmatch(address)]


def _notification(text: str) -> Mapping[str, Any]:
    """Return the notification, which SNS may wrap in one of its own."""
    start, end = text.find("{"), text.rfind("}")
    found = _object(text[start : end + 1] if start >= 0 else "")
    return _object(found["Message"]) if isinstance(found.get("Message"), str) else found


def _object(text: str) -> Mapping[str, Any]:
    pieces: Sequence[str] = (text, text.replace("\n", ""))  # a mail server may have broken its long lines
    for piece in pieces:
        try:
            found = json.loads(piece, strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return {}
