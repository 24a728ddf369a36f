"""Decode text of mails whose label is wrong, missing, or names less than what programs write under it."""

import codecs

from app.core import text_encodings

# What programs write under a label (WHATWG Encoding Standard, and what Outlook and old systems call theirs).
_MEANT = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "hz-gb-2312": "hz",
    "x-gbk": "gb18030",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "ms_kanji": "cp932",
    "iso-2022-jp": "iso2022_jp_ext",
    "cp50220": "iso2022_jp_ext",
    "x-euc-jp": "euc_jp",
    "ks_c_5601-1987": "cp949",
    "ks_c_5601": "cp949",
    "ksc5601": "cp949",
    "euc-kr": "cp949",
    "windows-949": "cp949",
    "big5": "big5hkscs",
    "big5-hkscs": "big5hkscs",
    "x-x-big5": "big5hkscs",
    "windows-874": "cp874",
    "tis-620": "cp874",
    "iso-8859-11": "cp874",
    "iso-8859-8-i": "cp1255",
    "iso-8859-8-e": "cp1255",
    "iso-8859-8": "cp1255",
    "iso-8859-6-i": "iso8859_6",
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "iso-8859-9": "cp1254",
    "x-mac-roman": "mac_roman",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "koi8-ru": "koi8_u",
    "koi": "koi8_r",
    "utf8": "utf-8",
    "utf8mb4": "utf-8",
    "unicode-1-1-utf-7": "utf-7",
    "unicode": "utf-16",
}
# Labels that programs put where they know none.
_SAYS_NOTHING = {"", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "8bit", "binary", "default"}
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ANY_BYTES = {"cp1252", "cp874", "cp1254", "cp1255"}  # nearly every sequence of bytes is text in these


def decode(content: bytes, label: str = "") -> str:
    """Decode by the label where it fits, else as UTF-8, else by what the bytes look like. Never fails."""
    label = label.strip().strip("\"'").lower()
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace")
    meant = _codec(_MEANT.get(label, label))
    if content.isascii() and not (meant in ("utf-7", "hz", "iso2022_jp_ext") or b"\x1b$" in content):
        return content.decode("ascii")
    if b"\x1b$" in content and content.isascii():
        meant = "iso2022_jp_ext"
    single = not meant or meant in _ANY_BYTES or _is_single(meant)
    for name in ("utf-8", meant) if single else (meant, "utf-8"):
        if name and (text := _strictly(content, name)) is not None:
            return text
    text = _strictly(content, text_encodings.detect(content) or "cp1252")
    return text if text is not None else content.decode(meant or "cp1252", "replace")


def _codec(name: str) -> str:
    if name in _SAYS_NOTHING:
        return ""
    try:
        b"a".decode(name)
    except LookupError:  # unknown, or none of texts
        return ""
    except ValueError:
        pass
    return name


def _is_single(name: str) -> bool:
    return name.startswith(("iso-8859", "iso8859", "windows-", "cp125", "koi8", "mac_", "latin"))


def _strictly(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name)
    except (ValueError, LookupError):
        return None
