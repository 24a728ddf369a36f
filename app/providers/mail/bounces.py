"""Detect bounced emails and dead addresses, from delivery reports (RFC 3464) and plain text."""

from collections.abc import Collection, Iterator
from datetime import datetime
from email.message import Message
from email.utils import getaddresses

from app.core import domains
from app.ports import Bounced
from app.providers.mail import bounce_causes
from app.providers.mail import bounce_words as words
from app.providers.mail.bounce_causes import Cause
from app.providers.mail.bounce_notifications import COMPLAINT, sentence
from app.providers.mail.mime import (
    ADDRESS,
    LONGEST,
    address_of,
    blocks,
    decoded,
    header,
    ours_inside,
    parts,
    token_of,
    words_of,
)

MOST_ADDRESSES = 50
_NAMES = ("Original-Recipient", "Final-Recipient")
_NO_FAILURES = ("delayed", "delivered", "relayed", "expanded")


def bounced(message: Message, raw: bytes, at: datetime, ref: str, own: str) -> list[Bounced] | None:
    """Return the failed deliveries of a report, [] for a mere delay; None when it is no report."""
    named = [*blocks(message)]
    if named and any(header(block, "Action") or header(block, "Final-Recipient") for block in named):
        found = _in_form(message, named, raw, at, ref)
        failed = any(header(block, "Action").lower() == "failed" for block in named)
        return found if found or not failed else _in_words(message, raw, at, ref, own)
    if not (named or _is_report(message)):
        return None
    return _in_words(message, raw, at, ref, own)


def _is_report(message: Message) -> bool:
    """Return whether a mail server wrote it, by the sender's name or the subject of a non-reply."""
    if message.get("X-Failed-Recipients"):
        return True
    name, address = address_of(message, "From")
    local = address.partition("@")[0] or name
    answers = bool(message.get("In-Reply-To")) and not header(message, "Auto-Submitted")
    subject = header(message, "Subject")
    if words.POSTMAN.match(local) or (words.CALLED.search(name) and not answers):
        looks_answered = answers and subject.lower().startswith("re:")
        return not looks_answered or bool(
            words.POSTMAN.match(local) and words.FINAL_ANSWER.search(_server_text(message))
        )
    told = _server_text(message)
    by_subject = words.SUBJECT.match(subject) or words.SUBJECT_ENDS.search(subject)
    if answers or not (by_subject or words.OPENING.search(told[:400])):
        return False
    return header(message, "Return-Path") == "<>" or bool(words.SAYS_SO.search(told) and ADDRESS.search(told))


def _in_form(message: Message, named: list[Message], raw: bytes, at: datetime, ref: str) -> list[Bounced]:
    ours, found = ours_inside(raw), []
    told, every = _server_text(message), [address for block in named for address in _named(block)]
    for block in named:
        if not any(block.get(name) for name in _NAMES) or header(block, "Action").lower().startswith(_NO_FAILURES):
            continue
        addresses = _named(block)
        if addresses or ours:
            status, diagnosis = header(block, "Status"), header(block, "Diagnostic-Code")
            found.append(
                _one(addresses, ours, status, diagnosis, _about(next(iter(addresses), ""), told, every), at, ref)
            )
    return _each_once(found)


def _named(block: Message) -> list[str]:
    given = [header(block, name) for name in _NAMES]
    return [_cleaned(match[0]) for one in given if (match := ADDRESS.search(one.partition(";")[2] or one))]


def _one(addresses: list[str], ours: str, status: str, diagnosis: str, told: str, at: datetime, ref: str) -> Bounced:
    address = addresses[0] if addresses else ""
    why = diagnosis.partition(";")[2].strip() or diagnosis
    cause = bounce_causes.judge(status, why)
    if not cause.known:
        cause = _cause_of_letter(told, status)
    said = sentence(address, why or f"status {status}")
    return Bounced(address, at, ref, said, cause.gone, token_of(ours), ours, cause.ours)


def _about(address: str, told: str, all_: Collection[str]) -> str:
    """Return the lines about this one of several recipients; all lines if it is the only one."""
    if len({*all_}) < 2:
        return told
    theirs, lines = False, []
    for line in filter(lambda one: not words.ACCEPTED.match(one), told.splitlines()):
        named = {_cleaned(found[0]) for found in ADDRESS.finditer(line)}.intersection(all_)
        theirs = address in named if named else theirs
        if theirs:
            lines.append(line)
    return "\n".join(lines)


def _each_once(found: list[Bounced]) -> list[Bounced]:
    named: dict[str, Bounced] = {}
    for one in found:
        named.setdefault(one.person, one)
    return list(named.values())[:MOST_ADDRESSES]


def _in_words(message: Message, raw: bytes, at: datetime, ref: str, own: str) -> list[Bounced]:
    """Parse a report that is meant for people only."""
    told = _server_text(message)
    if words.LATER.search(told) and not words.FOR_GOOD.search(told):
        return []
    failed = [found[1] for found in getaddresses([header(message, "X-Failed-Recipients")]) if found[1]]
    addresses = (
        [_cleaned(one) for one in failed]
        or _bare(message, told)
        or _addresses(message, told, own)
        or _written_to(raw, own)
    )
    ours, found = ours_inside(raw), []
    for one in addresses if not ours else addresses[:1] or [""]:
        about = _about(one, told, addresses)
        cause = _cause_of_letter(about)
        said = sentence(one, _reason(about) or "the mail server returned the email")
        found.append(Bounced(one, at, ref, said, cause.gone, token_of(ours), ours, cause.ours))
    return found


def _with_context(lines: list[str], place: int) -> Iterator[str]:
    """Yield the line with a server's answer, the line before it, and the lines that continue it."""
    if place and lines[place - 1].rstrip().endswith(":"):
        yield lines[place - 1].strip()
    yield lines[place].strip()
    for line in lines[place + 1 : place + 4]:
        if not line.strip() or words.ANSWER.search(line):
            return
        yield line.strip()


def _cause_of_letter(told: str, status: str = "") -> Cause:
    """Judge a server's letter by the lines that quote an answer, or by its whole text if these are unclear."""
    lines = told.splitlines()
    for answer in (words.FINAL_ANSWER, words.ANSWER):
        quoted = " ".join(
            " ".join(_with_context(lines, place)) for place, line in enumerate(lines) if answer.search(line)
        )
        cause = bounce_causes.judge(status, quoted) if quoted else bounce_causes.UNSAID
        if cause.known:
            return cause
    return bounce_causes.judge(status, told)


def _reason(told: str) -> str:
    """Return the line that says why, for a person."""
    lines = [" ".join(line.split()) for line in told.splitlines()]
    said = [line for line in lines if line and bounce_causes.judge("", line).known]
    return said[0] if said else ""


def _server_text(message: Message) -> str:
    """Return the server's own text, without the copy of the message."""
    told = []
    for part in parts(message):
        if part.get_content_type() in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
            text = words_of(part)[:LONGEST]
            copy = words.COPY.search(text, 1)
            told.append(text[: copy.start()] if copy else text)
            if copy:
                break
    if not any(map(str.strip, told)):  # a report whose parts are not where its head says
        text = "\n".join(decoded(part) for part in parts(message)).replace("\r\n", "\n")[:LONGEST]
        copy = words.COPY.search(text, 1)
        told = [text[: copy.start()] if copy else text]
    return "\n".join(told)[:LONGEST]


def _bare(message: Message, told: str) -> list[str]:
    """Return listed recipients without a domain: they are the server's own."""
    host = address_of(message, "From")[1].rpartition("@")[2]
    where = domains.registered(host) or host
    lines, names = told.splitlines(), []
    for place, line in enumerate(lines):
        opens = line.rstrip().endswith(":") and words.LISTED.search(" ".join(lines[max(0, place - 1) : place + 1]))
        for following in lines[place + 1 :] if where and opens else ():
            found = words.NAME.match(following)
            if found:
                names.append(f"{found[1]}@{where}".lower())
            elif names or following.strip():
                break
    return names[:MOST_ADDRESSES]


def _addresses(message: Message, told: str, own: str) -> list[str]:
    """Return the addresses that the text is about, in order."""
    others = {own.lower(), address_of(message, "From")[1].lower(), address_of(message, "To")[1].lower()}
    found: dict[str, None] = {}
    for line in told.splitlines():
        for match in ADDRESS.finditer(line):
            address = _cleaned(match[0])
            before = line[max(0, match.start() - 40) : match.start()]
            if address in others or words.OTHERS.search(before) or words.POSTMAN.match(address.partition("@")[0]):
                continue
            found.setdefault(address)
    return list(found)[:MOST_ADDRESSES]


def _written_to(raw: bytes, own: str) -> list[str]:
    """Return the recipients of the original message, from the SMTP dialogue or copy in the report."""
    _, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    found = words.RECIPIENT.findall(body) or words.TO.findall(body)
    theirs = [one.decode("utf-8", "replace") for one in found]
    addresses = [_cleaned(address) for _, address in getaddresses(theirs) if "@" in address]
    return [one for one in dict.fromkeys(addresses) if one != own.lower()][:MOST_ADDRESSES]


def _cleaned(address: str) -> str:
    return address.strip("<>()[]{}\"'`,;:.!?*|= ").lower().removeprefix("mailto:").removeprefix("smtp=")


def is_complaint(message: Message) -> bool:
    """Return whether it is a report of a provider (RFC 5965), or Hotmail's copy of what a person called spam."""
    if any(part.get_content_type() == "message/feedback-report" for part in message.walk()):
        return True
    report = str(message.get_param("report-type", "", unquote=True) or "").lower()
    if message.get_content_type() == "multipart/report" and report == "feedback-report":
        return True
    return any(header(part, "X-HmXmrOriginalRecipient") for part in message.walk() if part is not message)


def complained(raw: bytes, at: datetime, ref: str) -> list[Bounced]:
    """Return the complaints, so that these people are not written to again.

    A failed authentication is reported in the same form: it is the sender's fault, and says nothing of the person.
    """
    ours, failed = ours_inside(raw), words.AUTHENTICATION.search(raw) is not None
    said = "The email failed sender checks (SPF, DKIM or DMARC)." if failed else COMPLAINT
    named = words.COMPLAINED.findall(raw) or ([] if ours else words.TO.findall(raw.partition(b"\n\n")[2]))
    found = (match[0] for one in named if (match := ADDRESS.search(_cleaned(one.decode("ascii", "replace")))))
    addresses = [one for one in dict.fromkeys(found) if "redacted" not in one]
    about = (said, not failed, token_of(ours), ours, True)
    return [Bounced(address, at, ref, *about) for address in (addresses or [""])[:MOST_ADDRESSES]]
