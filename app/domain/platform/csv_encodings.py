"""Detect the encoding of a text file by its letters: those of a language, in words that are written as people write.

General detectors are trained on sentences; files of people are short names, of which they tell a third wrong.
"""

import tomllib
import unicodedata
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

USUAL = {
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
}
_MOST = 1500  # signs that are looked at
_ENOUGH = 0.6  # below this the bytes are no text of an encoding
_AFTER_A_WORD, _ELSEWHERE = frozenset("’”…°®™ºª»·´–—\xa0"), frozenset("‘“„‚«•€£§©¿¡")
# Where the usual characters of the Chinese and Japanese standards stand: the first byte of each.
_USUAL_SIGNS = {
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5": ("big5", 0xA4, 0xC6),
    "cp932": ("euc_jp", 0xB0, 0xCF),
    "euc_jp": ("euc_jp", 0xB0, 0xCF),
    "cp949": ("euc_kr", 0xB0, 0xC8),
}


class Encoding(NamedTuple):
    """An encoding by its name in Python, what pages call it, and the letters of each of its languages."""

    name: str
    label: str
    languages: tuple[frozenset[str], ...]


@cache
def known() -> tuple[Encoding, ...]:
    """Return the encodings without a mark of their own, those first that win a tie."""
    table = tomllib.loads(resources.files(__package__).joinpath("csv_encodings.toml").read_text("utf-8"))
    alphabets = {name: frozenset(letters.split()) for name, letters in table["languages"].items()}
    return tuple(
        Encoding(one["name"], one["label"], tuple(alphabets[name] for name in one["languages"]))
        for one in table["encodings"]
    )


def labels() -> dict[str, str]:
    """Return what every encoding is called that a file can be read in."""
    return USUAL | {one.name: one.label for one in known()}


def detect(raw: bytes) -> str:
    """Return the encoding in which these lines read best; '' when they are text in none.

    `raw` is neither UTF-8 nor UTF-16.
    """
    best = ("", 0.0)
    for encoding in known():
        try:
            written = raw.decode(encoding.name)
        except UnicodeDecodeError:
            continue
        score = _score(written, encoding)
        if score > best[1]:
            best = (encoding.name, score)
    return best[0] if best[1] >= _ENOUGH else ""


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
    shares = [sum(letter in language for letter in letters) / len(letters) for language in encoding.languages]
    together = frozenset().union(*encoding.languages)
    whole = sum(letter in together for letter in letters) / len(letters)
    return fit * (max(shares) + whole) / 2


def _fits(before: str, sign: str) -> float:
    """Return whether the sign may follow the one before: no capital in a word, no sign or other script within one."""
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
    if sign.isupper() and before.islower():
        return 0.0
    return 1.0 if _script(before) == _script(sign) else 0.2


@cache
def _script(sign: str) -> str:
    word = unicodedata.name(sign, "").partition(" ")[0]
    return "EAST" if word in ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA") else word


@cache
def _is_usual(sign: str, standard: str, first: int, last: int) -> float:
    name = unicodedata.name(sign, "")
    if _script(sign) == "EAST" and not name.startswith("CJK UNIFIED"):
        return 0.3 if name.startswith("HANGUL") != (standard == "euc_kr") or not _has(sign, standard) else 1.0
    if not _has(sign, standard):
        return 0.2
    return 1.0 if first <= sign.encode(standard)[0] <= last else 0.5


def _has(sign: str, standard: str) -> bool:
    try:
        sign.encode(standard)
    except UnicodeEncodeError:
        return False
    return True
