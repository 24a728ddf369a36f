"""A page's bytes as text, in whatever charset they were written."""

import re

from app.core import text_encodings

_CHARSET = re.compile(r"charset=[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_META = re.compile(
    rb"<meta[^>]{0,200}?charset=[\"']?\s*([A-Za-z0-9_.:-]{2,40})|<\?xml[^>]{0,100}encoding=[\"']([\w-]+)", re.IGNORECASE
)


def text(body: bytes, content_type: str) -> str:
    """Decode the body by its byte-order mark, header or own declaration, else by what fits."""
    named, meta = _CHARSET.search(content_type), _META.search(body[:4096])
    labels = [named[1] if named else "", (meta[1] or meta[2]).decode("ascii") if meta else ""]
    return text_encodings.decode(body, *labels).replace("\0", "")
