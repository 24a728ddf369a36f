"""Decode emails, pages and files whose encoding label is wrong, missing, or means a superset of the encoding it names.

An encoding is scored by its letters: whether they belong to one language and form plausible words.
General detectors are trained on sentences; in lists of short names they get a third wrong. So the letters are scored
first, and a general detector decides only between encodings with similar scores.
"""

import codecs
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any, NamedTuple

import chardet

USUAL = {
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
}
_MOST = 1500  # signs that are looked at
_ENOUGH = 0.6  # the least score for text in an encoding
ALIKE = 0.05  # scores that differ by less count as equal
LONGEST = 20_000  # bytes that are looked at
RARE = 0.6  # the weight of a letter that is rare in its language; a common one weighs 1
_AFTER_A_WORD, _ELSEWHERE = frozenset("’”…°®™ºª»·´–—\xa0"), frozenset("‘“„‚«•€£§©¿¡")
# Where the usual characters of the Chinese and Japanese standards stand: the first byte of each.
_USUAL_SIGNS = {
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5": ("big5", 0xA4, 0xC6),
    "cp932": ("euc_jp", 0xB0, 0xCF),
    "euc_jp": ("euc_jp", 0xB0, 0xCF),
    "cp949": ("euc_kr", 0xB0, 0xC8),
}
# Encodings that programs use under a standard label, besides the supersets (WHATWG Encoding Standard).
_MEANT = {"big5": "big5hkscs", "iso2022_jp": "iso2022_jp_ext", "iso8859_8": "cp1255"}
# Labels that programs use when they do not know the encoding.
_SAYS_NOTHING = {"", "us-ascii", "ascii", "ansi_x3.4-1968", "unknown-8bit", "x-unknown", "8bit", "binary", "default"}
_NO_TEXT = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode", "mbcs", "oem")
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_ONE_BYTE = ("iso8859", "cp125", "cp874", "koi8", "mac_")  # nearly every sequence of bytes is text in these


class Encoding(NamedTuple):
    """An encoding by its name in Python, what pages call it, and the letters of its languages by their weight."""

    name: str
    label: str
    languages: tuple[Mapping[str, float], ...]


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("text_encodings.toml").read_text("utf-8"))


@cache
def known() -> tuple[Encoding, ...]:
    """Return the encodings without a mark of their own, those first that win a tie."""
    table = _table()
    alphabets = {
        name: {letter: 1.0 if letter in table["common"].get(name, letters) else RARE for letter in letters.split()}
        for name, letters in table["languages"].items()
    }
    return tuple(
        Encoding(one["name"], one["label"], tuple(alphabets[name] for name in one["languages"]))
        for one in table["encodings"]
    )


def labels() -> dict[str, str]:
    """Return what every encoding is called that a file can be read in."""
    return USUAL | {one.name: one.label for one in known()}


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
    for name in ("utf-8", detect(content) or "cp1252"):
        if (text := _strictly(content, name)) is not None:
            return text
    return content.decode(meant[0] if meant else "cp1252", "replace")


def _codec(label: str) -> str:
    """Return Python's name of what a label means; '' for a label that is unknown or names no encoding of texts."""
    try:
        found = codecs.lookup(str(_table()["called"].get(label, label)))
    except (LookupError, ValueError):
        return ""
    name = superset(found.name)
    is_text = getattr(found, "_is_text_encoding", True) and not name.startswith(_NO_TEXT)
    return _MEANT.get(name, name) if is_text and label not in _SAYS_NOTHING else ""


def _strictly(content: bytes, name: str) -> str | None:
    try:
        return content.decode(name)
    except (ValueError, LookupError):
        return None


def detect(raw: bytes) -> str:
    """Return the encoding in which these bytes read best; '' when they are text in none.

    `raw` is neither UTF-8 nor UTF-16. Between encodings that read it about equally well, chardet's model decides.
    """
    sample = raw[:LONGEST]
    scores = {}
    for encoding in known():
        try:
            written = codecs.getincrementaldecoder(encoding.name)().decode(sample)  # the last character may be cut
        except UnicodeDecodeError:
            continue
        scores[encoding.name] = _score(written, encoding)
    best = max(scores, key=lambda name: scores[name], default="")
    if not best or scores[best] < _ENOUGH:
        return ""
    sentences = _of_sentences(sample)
    return sentences if scores.get(sentences, 0.0) >= scores[best] - ALIKE else best


def _of_sentences(sample: bytes) -> str:
    """Return what chardet finds, by our name for it; '' for an encoding that is not among ours."""
    found = chardet.detect(sample, encoding_era=chardet.EncodingEra.ALL, prefer_superset=True)["encoding"]
    try:
        return superset(codecs.lookup(str(found)).name)
    except LookupError:
        return ""


def superset(name: str) -> str:
    """Return the larger encoding that programs mean when they name this one; both are Python's names."""
    name = name.replace("-", "_")
    return str(_table()["supersets"].get(name, name))


def _score(written: str, encoding: Encoding) -> float:
    """Return how much of the text beyond ASCII is letters as words of one language have them, from 0 to 1."""
    signs = [(before, sign) for before, sign in pairwise(" " + written) if not sign.isascii()][:_MOST]
    if not signs or any(unicodedata.category(sign) in ("Cc", "Co", "Cn") for _, sign in signs):
        return 0.0
    fit = sum(_fits(before, sign) for before, sign in signs) / len(signs)
    letters = [
        sign if sign == "İ" else sign.lower()
        for _, sign in signs
        if sign not in _AFTER_A_WORD and sign not in _ELSEWHERE
    ]
    if not letters:
        return fit * _ENOUGH
    if usual := _USUAL_SIGNS.get(encoding.name):
        return fit * sum(_is_usual(sign, *usual) for sign in letters) / len(letters)
    shares = [sum(language.get(letter, 0.0) for letter in letters) / len(letters) for language in encoding.languages]
    together = frozenset().union(*encoding.languages)
    whole = sum(letter in together for letter in letters) / len(letters)
    return fit * (max(shares) + whole) / 2


def _fits(before: str, sign: str) -> float:
    """Return (0 to 1) how plausible `sign` is after `before`: a symbol or another script within a word is not."""
    if sign in _AFTER_A_WORD:
        return 1.0 if before.isalnum() or sign in "’”–—\xa0" else 0.3
    if sign in _ELSEWHERE:
        return 0.1 if before.isalpha() else 1.0
    if not (sign.isalpha() or unicodedata.category(sign) in ("Mn", "Lm")):
        return 0.3
    if not before.isalpha():
        if unicodedata.category(sign) == "Mn":
            return 0.2
        return 0.95 if sign.islower() else 1.0  # most names begin with a capital, in scripts that have them
    if sign.isupper():
        return 0.0 if before.islower() else 0.9  # a text in capitals is rarer than one in small letters
    return 1.0 if _script(before) == _script(sign) else 0.2


@cache
def _script(sign: str) -> str:
    word = unicodedata.name(sign, "").partition(" ")[0]
    return "EAST" if word in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA") else word


@cache
def _is_usual(sign: str, standard: str, first: int, last: int) -> float:
    name = unicodedata.name(sign, "")
    if _script(sign) == "EAST" and not name.startswith("CJK UNIFIED"):  # all three standards have kana, one writes it
        home = "euc_kr" if name.startswith("HANGUL") else "euc_jp"
        return 1.0 if standard == home and _has(sign, standard) else 0.3
    if not _has(sign, standard):
        return 0.2
    return 1.0 if first <= sign.encode(standard)[0] <= last else 0.5


def _has(sign: str, standard: str) -> bool:
    try:
        sign.encode(standard)
    except UnicodeEncodeError:
        return False
    return True
