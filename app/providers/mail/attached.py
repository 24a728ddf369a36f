"""The files of an email: read from a stranger's message, written into one of ours. Nothing in them is ever run."""

import mimetypes
import re
from collections.abc import Sequence
from email.message import EmailMessage, Message

from app.ports import File
from app.providers.mail.mime import decoded_words, parts, payload_of

MOST_FILES, LONGEST_NAME = 20, 1000
SMALL_PICTURE = 30_000  # bytes; a smaller picture inside the text is the logo of a signature
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,90}")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")


def files(message: Message, *, cut: bool = False) -> list[File]:
    """Return the files of a message; the last one of a message that was `cut` is not whole, so it has no content."""
    found = [_file(part, number) for number, part in enumerate(parts(message, letters=True), 1) if _is_file(part)]
    kept = [one for one in found if one is not None]
    if cut and kept:
        kept[-1] = File(kept[-1].name, kept[-1].media_type, 0, None)
    return kept[:MOST_FILES]


def _is_file(part: Message) -> bool:
    kind, disposition = part.get_content_type(), part.get_content_disposition()
    if kind in _SIGNATURES or kind.startswith("message/delivery-status"):
        return False
    if kind in ("text/plain", "text/html"):
        return disposition == "attachment" or bool(_name(part))
    return True


def _file(part: Message, number: int) -> File | None:
    kind = part.get_content_type()
    kind = kind if _MEDIA_TYPE.fullmatch(kind) else "application/octet-stream"
    content = payload_of(part)
    inside = part.get("Content-ID") and part.get_content_disposition() != "attachment"
    if kind.startswith("image/") and inside and len(content) < SMALL_PICTURE:
        return None
    name = _name(part) or f"file-{number}{mimetypes.guess_extension(kind) or ''}"
    return File(name, kind, len(content), content)


def _name(part: Message) -> str:
    try:
        name = part.get_filename() or ""
    except (ValueError, LookupError, TypeError):
        name = ""
    return decoded_words(str(name)[:LONGEST_NAME])


def attach(message: EmailMessage, named: Sequence[File]) -> None:
    """Add the files to a message of ours."""
    for one in named:
        kind = one.media_type if _MEDIA_TYPE.fullmatch(one.media_type) else "application/octet-stream"
        main, _, sub = kind.partition("/")
        if main in ("message", "multipart"):  # a letter inside would have to be whole in every line
            main, sub = "application", "octet-stream"
        message.add_attachment(one.content or b"", maintype=main, subtype=sub, filename=one.name)
