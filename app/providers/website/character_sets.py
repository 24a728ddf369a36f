"""A page's bytes as text, in whatever charset they were written."""

import codecs
import re

_CHARSET = re.compile(r"charset=[\"']?([A-Za-z0-9_.:-]{2,40})", re.IGNORECASE)
_META = re.compile(
    rb"<meta[^>]{0,200}?charset=[\"']?\s*([A-Za-z0-9_.:-]{2,40})|<\?xml[^>]{0,100}encoding=[\"']([\w-]+)", re.IGNORECASE
)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_NEVER_A_PAGE = ("idna", "punycode", "undefined", "unicode", "raw", "utf-7", "mbcs", "oem")
# Pages that name one of these are written in its superset.
_REALLY = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}


def text(body: bytes, content_type: str) -> str:
    """Decode the body by its byte-order mark, header or own declaration, else by what fits."""
    for mark, name in _BOMS:
        if body.startswith(mark):
            return body.decode(name, errors="replace").replace("\0", "")
    meta = _META.search(body[:4096])
    named = _CHARSET.search(content_type)
    for candidate in (named and named[1], meta and (meta[1] or meta[2]).decode("ascii"), "utf-8"):
        codec = _codec(candidate or "")
        if codec:
            try:
                return body.decode(codec).replace("\0", "")
            except UnicodeDecodeError:
                continue
    from trafilatura.utils import detect_encoding

    for guess in [*detect_encoding(body[:50_000]), "cp1252"]:
        codec = _codec(guess)
        if codec:
            return body.decode(codec, errors="replace").replace("\0", "")
    return ""


def _codec(name: str) -> str:
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return ""
    if not getattr(found, "_is_text_encoding", True) or found.name.startswith(_NEVER_A_PAGE):
        return ""
    return _REALLY.get(found.name, found.name)
