"""Decode text of mails and pages whose label is wrong, missing, or names less than what programs write under it."""

import codecs

from app.core import text_encodings

# Labels that Python does not know.
_CALLED = {
    "gb_2312-80": "gb2312",
    "x-gbk": "gbk",
    "x-sjis": "shift_jis",
    "x-euc-jp": "euc_jp",
    "cp50220": "iso2022_jp",
    "windows-31j": "cp932",
    "windows-949": "cp949",
    "x-x-big5": "big5",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso8859-8",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-6-i": "iso8859-6",
    "x-mac-roman": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "koi8-ru": "koi8_u",
    "koi": "koi8_r",
    "utf8mb4": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
    "unicode": "utf-16",
}
# What programs write under a label beside what `text_encodings.superset` knows (WHATWG Encoding Standard).
_MEANT = {"big5": "big5hkscs", "iso2022_jp": "iso2022_jp_ext", "iso8859_8": "cp1255"}
# Labels that programs put where they know none.
_SAYS_NOTHING = {"", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "8bit", "binary", "default"}
_NO_TEXT = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode", "mbcs", "oem")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ONE_BYTE = ("iso8859", "cp125", "cp874", "koi8", "mac_")  # nearly every sequence of bytes is text in these


def decode(content: bytes, *labels: str) -> str:
    """Decode by the first label that fits, else as UTF-8, else by what the bytes look like. Never fails."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace")
    meant = [codec for label in labels if (codec := _codec(label.strip().strip("\"'").lower()))]
    if content.isascii():
        if b"\x1b$" in content:
            meant = ["iso2022_jp_ext"]
        elif not {"utf_7", "hz", "iso2022_jp_ext"}.intersection(meant):
            return content.decode("ascii")
    for codec in meant:
        for name in ("utf-8", codec) if codec.startswith(_ONE_BYTE) else (codec,):
            if (text := _strictly(content, name)) is not None:
                return text
    for name in ("utf-8", text_encodings.detect(content) or "cp1252"):
        if (text := _strictly(content, name)) is not None:
            return text
    return content.decode(meant[0] if meant else "cp1252", "replace")


def _codec(label: str) -> str:
    """Return Python's name of what a label means; '' for a label that is unknown or names no encoding of texts."""
    try:
        found = codecs.lookup(_CALLED.get(label, label))
    except (LookupError, ValueError):
        return ""
    name = text_encodings.superset(found.name)
    is_text = getattr(found, "_is_text_encoding", True) and not name.startswith(_NO_TEXT)
    return _MEANT.get(name, name) if is_text and label not in _SAYS_NOTHING else ""


def _strictly(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name)
    except (ValueError, LookupError):
        return None
