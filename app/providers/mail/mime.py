"""Parse emails from untrusted bytes: headers, parts and text. Never fails."""

import re
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr

from selectolax.lexbor import LexborHTMLParser

LONGEST, MOST_PARTS = 20_000, 200
_COMMENTS = re.compile(r"\([^()<>@]*\)?")
ADDRESS = re.compile(r"[^\s<>;:,\"'()\[\]]{1,64}@[^\s<>;:,\"'()\[\]]{1,255}")
_NAMED_INSIDE = re.compile(rb"^[> \t]{0,20}Message-ID:\s{0,10}(<[0-9a-f]{32}@[^<>\s]{1,255}>)", re.I | re.M)


def header(message: Message, name: str) -> str:
    """Return a decoded header."""
    value = message.get(name)
    if value is None:
        return ""
    try:
        text = str(make_header(decode_header(value)))
    except (LookupError, ValueError, TypeError, AssertionError):
        text = str(value)
    return "".join(sign for sign in whole_signs(" ".join(text.split())) if sign.isprintable())


def address_of(message: Message, name: str) -> tuple[str, str]:
    """Return the name and the address of a header; nested comments, which the standard parser follows, are cut."""
    return parseaddr(_COMMENTS.sub("", header(message, name)))


def whole_signs(text: str) -> str:
    """Return the text without halves of characters, which no database takes."""
    return "".join(sign for sign in text if not "\ud800" <= sign <= "\udfff")


def parts(message: Message) -> Iterator[Message]:
    """Yield the parts with content, without those of attached messages."""
    waiting, seen = [message], 0
    while waiting and seen < MOST_PARTS:
        part, seen = waiting.pop(0), seen + 1
        if not part.is_multipart():
            yield part
        elif part.get_content_maintype() == "multipart":
            waiting = [*_inside(part), *waiting]


def _inside(part: Message) -> list[Message]:
    # Only a list is asked for: the standard library decodes text here, by whatever charset a message names.
    inner = part.get_payload() if part.is_multipart() else []
    return [one for one in inner if isinstance(one, Message)] if isinstance(inner, list) else []


def blocks(message: Message) -> Iterator[Message]:
    """Yield the fields of a delivery report: for the message, then for each recipient (RFC 3464)."""
    for part in message.walk():
        if part.get_content_type() == "message/delivery-status":
            yield from _inside(part)


def text_of(message: Message) -> str:
    """Return the text of the plain part, or else of the HTML."""
    found = {"text/plain": "", "text/html": ""}
    for part in parts(message):
        kind = part.get_content_type()
        if kind in found and not found[kind] and part.get_content_disposition() != "attachment":
            found[kind] = decoded(part)
    plain = found["text/plain"].strip() or without_tags(found["text/html"])
    return plain.replace("\r\n", "\n").replace("\0", "").strip()[:LONGEST]


def words_of(part: Message) -> str:
    """Return the text of one part without tags."""
    text = decoded(part)
    return without_tags(text) if part.get_content_type() == "text/html" else text.replace("\r\n", "\n")


def decoded(part: Message) -> str:
    """Decode a part by the charset that fits."""
    try:
        content = part.get_payload(decode=True)
        named = part.get_content_charset() or ""
    except (ValueError, LookupError, TypeError):
        return ""
    content = content if isinstance(content, bytes) else b""
    for charset in (named, "utf-8", "cp1252"):
        try:
            return whole_signs(content.decode(charset or "utf-8"))
        except (LookupError, ValueError):
            continue
    return content.decode("utf-8", "replace")


def without_tags(html: str) -> str:
    """Return the text of an HTML page, without what it quotes."""
    if not html.strip():
        return ""
    tree = LexborHTMLParser(html)
    for node in tree.css("script, style, head, blockquote"):
        node.decompose()
    text = tree.body.text(separator="\n") if tree.body else ""
    return re.sub(r"\n\s*\n+", "\n", text)


def ours_inside(raw: bytes) -> str:
    """Return the Message-ID of our message inside another one."""
    found = _NAMED_INSIDE.findall(raw)
    return found[-1].decode(errors="replace") if found else ""


def token_of(name: str) -> str:
    """Return the token of the action that sent our message."""
    return name[1:33]
