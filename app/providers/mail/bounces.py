"""Detect bounced emails and dead addresses, from delivery reports (RFC 3464) and plain text."""

from datetime import datetime
from email.message import Message
from email.utils import getaddresses

import tldextract

from app.ports import Bounced
from app.providers.mail import bounce_words as words
from app.providers.mail.mime import ADDRESS, LONGEST, address_of, blocks, header, ours_inside, parts, token_of, words_of

MOST_ADDRESSES = 50
_registered = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
_NO_FAILURES = ("delayed", "delivered", "relayed", "expanded")


def bounced(message: Message, raw: bytes, at: datetime, ref: str, own: str) -> list[Bounced] | None:
    """Return the failed deliveries of a report, [] for a mere delay; None when it is no report."""
    named = [*blocks(message)]
    if named and any(header(block, "Action") or header(block, "Final-Recipient") for block in named):
        return _in_form(named, raw, at, ref)
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
        return not (answers and subject.lower().startswith("re:"))
    told = _told(message)
    by_subject = words.SUBJECT.match(subject) or words.SUBJECT_ENDS.search(subject)
    if answers or not (by_subject or words.OPENING.search(told[:400])):
        return False
    return header(message, "Return-Path") == "<>" or bool(words.SAYS_SO.search(told) and ADDRESS.search(told))


def _in_form(named: list[Message], raw: bytes, at: datetime, ref: str) -> list[Bounced]:
    ours, found = ours_inside(raw), []
    for block in named:
        given = [header(block, name) for name in ("Original-Recipient", "Final-Recipient")]
        if not any(given) or header(block, "Action").lower().startswith(_NO_FAILURES):
            continue
        addresses = [_cleaned(match[0]) for one in given if (match := ADDRESS.search(one.partition(";")[2] or one))]
        if addresses or ours:
            status, diagnosis = header(block, "Status"), header(block, "Diagnostic-Code")
            found.append(_one(addresses[0] if addresses else "", ours, status, diagnosis, at, ref))
    return _each_once(found)


def _one(address: str, ours: str, status: str, diagnosis: str, at: datetime, ref: str) -> Bounced:
    why = diagnosis.partition(";")[2].strip() or diagnosis or f"status {status}"
    sentence = f"The email to {address or 'this address'} bounced: {why[:200].rstrip('. ')}."
    return Bounced(address, at, ref, sentence, _is_final(status, why), token_of(ours), ours)


def _each_once(found: list[Bounced]) -> list[Bounced]:
    named: dict[str, Bounced] = {}
    for one in found:
        named.setdefault(one.person, one)
    return list(named.values())[:MOST_ADDRESSES]


def _is_final(status: str, why: str) -> bool:
    """Return whether the address does not exist, unlike a full mailbox or refused mail."""
    codes = [found.groups() for found in (words.DETAIL.search(why), words.DETAIL.search(status)) if found]
    known = next((code for code in codes if code[1:] != ("0", "0")), None)
    if known is None:
        return bool(words.UNKNOWN_RECIPIENT.search(why)) or (
            bool(codes) and codes[0][0] == "5" and not words.POLICY.search(why)
        )
    kind, subject, detail = known
    if kind != "5":
        return False
    return subject == "1" or (subject, detail) in (("2", "1"), ("4", "4"), ("0", "0"))


def _in_words(message: Message, raw: bytes, at: datetime, ref: str, own: str) -> list[Bounced]:
    """Parse a report that is meant for people only."""
    told = _told(message)
    if words.LATER.search(told) and not words.FOR_GOOD.search(told):
        return []
    failed = [found[1] for found in getaddresses([header(message, "X-Failed-Recipients")]) if found[1]]
    addresses = (
        [_cleaned(one) for one in failed]
        or _bare(message, told)
        or _addresses(message, told, own)
        or _written_to(raw, own)
    )
    ours, gone = ours_inside(raw), words.UNKNOWN_RECIPIENT.search(told)
    why = gone[0] if gone else "the mail server gave it back"
    detail = words.DETAIL.search(told)
    final = bool(gone) and not (detail and (detail[1] == "4" or detail[2] == "7"))
    named = addresses if not ours else addresses[:1] or [""]
    sentence = "The email to {} bounced: {}."
    about = (final, token_of(ours), ours)
    return [Bounced(one, at, ref, sentence.format(one or "this address", why), *about) for one in named]


def _told(message: Message) -> str:
    """Return the server's own text, without the copy of the message."""
    told = []
    for part in parts(message):
        if part.get_content_type() in ("text/plain", "text/html") and part.get_content_disposition() != "attachment":
            text = words_of(part)[:LONGEST]
            copy = words.COPY.search(text, 1)
            told.append(text[: copy.start()] if copy else text)
            if copy:
                break
    return "\n".join(told)[:20_000]


def _bare(message: Message, told: str) -> list[str]:
    """Return listed recipients without a domain: they are the server's own."""
    host = address_of(message, "From")[1].rpartition("@")[2]
    where = _registered(host).top_domain_under_public_suffix or host
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
    """Return whether it is a spam complaint (RFC 5965)."""
    report = str(message.get_param("report-type", "", unquote=True) or "").lower()
    return message.get_content_type() == "multipart/report" and report == "feedback-report"


def complained(raw: bytes, at: datetime, ref: str) -> list[Bounced]:
    """Return the complaints, so that these people are not written to again."""
    ours, sentence = ours_inside(raw), "The recipient reported the email as spam."
    named = words.COMPLAINED.findall(raw)
    addresses = list(dict.fromkeys(_cleaned(one.decode("ascii", "replace")) for one in named))
    known = addresses or ([""] if ours else [])
    return [Bounced(address, at, ref, sentence, True, token_of(ours), ours) for address in known[:MOST_ADDRESSES]]
