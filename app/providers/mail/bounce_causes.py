"""Judge why an email bounced, from a mail server's status and words: a dead address, the sender's fault, or neither.

Only a server that says that the address or its domain isn't there makes it a dead one. What is the sender's fault
(reputation, sign-in, signatures, rates, content taken for spam) says nothing about the person. When several things are
said, the sender's fault counts first, then what may pass (a full mailbox, an outage), then the dead address.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cause:
    """`gone` when the address does not exist, `ours` when the sender has to change something; `known` if either."""

    gone: bool = False
    ours: bool = False
    known: bool = True


LONGEST = 4000  # signs of a server's words
GONE, OURS, PASSING, UNSAID = Cause(gone=True), Cause(ours=True), Cause(), Cause(known=False)


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.IGNORECASE)


_WORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_SURELY_GONE, _THEIRS = _any(*_WORDS["surely_gone"]), _any(*_WORDS["theirs"])
_OURS, _PASSING, _GONE = _any(*_WORDS["ours"]), _any(*_WORDS["passing"]), _any(*_WORDS["gone"])
_CODE = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_GONE_CODES = {("1", "1"), ("1", "2"), ("1", "3"), ("1", "6"), ("1", "10"), ("4", "4"), ("7", "17")}


def judge(status: str, why: str) -> Cause:
    """Return the cause that a status code (RFC 3463, or empty) and a server's words tell."""
    why = why[:LONGEST]
    linked = re.sub(r"(?<!//)<[^<>\s/]+>|\b[\w.+=-]{1,64}@[\w.-]{1,255}", " ", why)
    words = re.sub(r"<?\bhttps?://\S+", " ", linked)
    if _SURELY_GONE.search(why):
        return GONE
    if _THEIRS.search(words):
        return PASSING
    if _OURS.search(linked):
        return OURS
    if _PASSING.search(words):
        return PASSING
    if _GONE.search(words):
        return GONE
    return _by_code(status, why)


def _by_code(status: str, why: str) -> Cause:
    codes = [found.groups() for text in (why, status) for found in _CODE.finditer(text)]
    said = next((code for code in codes if code[1:] != ("0", "0")), None)
    if said is None:
        return UNSAID
    if said[1] == "7" and said[2] != "17":
        return OURS
    return GONE if said[0] == "5" and said[1:] in _GONE_CODES else UNSAID
