"""Parse emails from untrusted bytes: headers, parts and text. Never fails."""

import re
from collections.abc import Iterator
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses

from app.core import text_encodings
from app.providers.mail import html_text

LONGEST, MOST_PARTS = 20_000, 200
LONGEST_HEADER = 16_000
_COMMENTS = re.compile(r"\([^()<>@]*\)?")
ADDRESS = re.compile(r"[^\s<>;:,\"'()\[\]]{1,64}@[^\s<>;:,\"'()\[\]]{1,255}")
_IS_HTML = re.compile(r"<(?:!doctype html|html|head|body|div|p|br|table|span|meta)\b[^<>]{0,300}>", re.IGNORECASE)
_NAMED_INSIDE = re.compile(rb"^[> \t]{0,20}Message-ID:\s{0,10}(<[0-9a-f]{32}@[^<>\s]{1,255}>)", re.I | re.M)


def header(message: Message, name: str) -> str:
    """Return a decoded header."""
    value = message.get(name)
    return "" if value is None else decoded_words(str(value))


def decoded_words(value: str) -> str:
    """Return the text of a header's encoded words, and of bytes that it should not hold."""
    try:
        parts = decode_header(value)
    except (ValueError, TypeError, AssertionError):
        parts = [(value, None)]
    said = []
    for part, label in parts:
        content = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        said.append(text_encodings.decode(content, label or ""))
    text = " ".join("".join(said).split())
    return "".join(sign for sign in whole_signs(text) if sign.isprintable())


def addresses_of(message: Message, name: str) -> list[tuple[str, str]]:
    """Return the names and addresses of a header: parsed as they stand, so that a decoded comma divides nothing.

    Nested comments, which the standard parser follows, are cut.
    """
    raw = _COMMENTS.sub("", " ".join(str(message.get(name) or "")[:LONGEST_HEADER].split()))
    found = _with_address(raw)
    if not found and "=?" in raw:  # the address itself was encoded
        found = _with_address(decoded_words(raw))
    return [(decoded_words(called), address) for called, address in found]


def _with_address(raw: str) -> list[tuple[str, str]]:
    found = [one for one in getaddresses([raw], strict=False) if ADDRESS.fullmatch(one[1])]
    if not found and (bare := ADDRESS.search(raw)):
        found = [("", bare[0])]
    return found


def address_of(message: Message, name: str) -> tuple[str, str]:
    """Return the name and the address of a header; without an address, what stands there as a name."""
    found = addresses_of(message, name)
    return found[0] if found else ("", header(message, name))


def whole_signs(text: str) -> str:
    """Return the text without halves of characters, which no database takes."""
    return "".join(sign for sign in text if not "\ud800" <= sign <= "\udfff")


def parts(message: Message, *, letters: bool = False) -> Iterator[Message]:
    """Yield the parts with content, without those of attached messages, which come whole with `letters`."""
    waiting, seen = [message], 0
    while waiting and seen < MOST_PARTS:
        part, seen = waiting.pop(0), seen + 1
        if not part.is_multipart():
            yield part
        elif part.get_content_maintype() == "multipart":
            waiting = [*_inside(part), *waiting]
        elif letters:
            yield part


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
    """Return the text, quotations marked by ">": of the HTML where its program marks them, else of the plain part."""
    found = {"text/plain": "", "text/html": ""}
    for part in parts(message):
        kind = part.get_content_type()
        if kind in found and not found[kind].strip() and part.get_content_disposition() != "attachment":
            found[kind] = decoded(part)
    plain = found["text/plain"].strip()
    if _IS_HTML.match(plain):  # some programs send HTML under the label of plain text
        found["text/html"], plain = found["text/html"] or plain, ""
    told = html_text.read(found["text/html"]) if found["text/html"].strip() else html_text.Told("", False)
    text = told.text if told.text and (told.is_marked or not plain) else plain
    return text.replace("\r\n", "\n").replace("\0", "").strip("\r\n \t")[:LONGEST]


def words_of(part: Message) -> str:
    """Return the text of one part without tags."""
    text = decoded(part)
    return without_tags(text) if part.get_content_type() == "text/html" else text.replace("\r\n", "\n")


def payload_of(part: Message) -> bytes:
    """Return the bytes of a part, or of the message inside it."""
    try:
        inner = _inside(part)
        content = inner[0].as_bytes() if inner else part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AttributeError):
        return b""
    return content if isinstance(content, bytes) else b""


def decoded(part: Message) -> str:
    """Decode a part by the charset that fits."""
    try:
        content = part.get_payload(decode=True)
        named = str(part.get_param("charset") or "")
    except (ValueError, LookupError, TypeError):
        return ""
    content = content if isinstance(content, bytes) else b""
    return whole_signs(text_encodings.decode(content, named))


def without_tags(html: str) -> str:
    """Return the text of an HTML page."""
    return html_text.read(html).text if html.strip() else ""


def ours_inside(raw: bytes) -> str:
    """Return the Message-ID of our message inside another one."""
    found = _NAMED_INSIDE.findall(raw)
    return found[-1].decode(errors="replace") if found else ""


def token_of(name: str) -> str:
    """Return the token of the action that sent our message."""
    return name[1:33]
