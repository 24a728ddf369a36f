"""Phrases of mail servers: sender names, bounce reasons, and unknown recipients."""

import re
import tomllib
from importlib.resources import files

_TABLE = tomllib.loads(files(__package__).joinpath("bounce_words.toml").read_text("utf-8"))


def _any(*names: str, flags: int = 0) -> re.Pattern[str]:
    phrases = "|".join(phrase for name in names for phrase in _TABLE[name]["phrases"])
    return re.compile(f"{_TABLE[names[0]].get('begin', '')}({phrases})", re.IGNORECASE | flags)


POSTMAN = _any("postman")
CALLED = _any("called")
SUBJECT = _any("subject")
OPENING = _any("opening")
LATER = _any("later")
FOR_GOOD = _any("for_good")
SAYS_SO = _any("says_so", "for_good")
COPY = _any("copy", flags=re.MULTILINE)
OTHERS = _any("others")
LISTED = _any("listed")
RECEIPT = _any("receipt")
SUBJECT_ENDS = re.compile(rf"\s: ({'|'.join(_TABLE['subject_ends']['phrases'])})( \([^()]*\))?$", re.IGNORECASE)
NAME = re.compile(r"[ \t]+([\w.+-]{2,64})([ \t]{2,}.*)?$")
RECIPIENT = re.compile(rb"(?i)rcpt to:[ \t]*<?([^\s<>]{3,320})")
TO = re.compile(rb"(?im)^[> \t]{0,20}to:[ \t]*([^\r\n]{3,500})")
COMPLAINED = re.compile(
    rb"(?im)^(?:Original-Rcpt-To|Removal-Recipient|X-HmXmrOriginalRecipient):[ \t]*<?([^\s<>]{3,320})"
)
AUTHENTICATION = re.compile(rb"(?im)^Feedback-Type:[ \t]*auth-failure")
ACCEPTED = re.compile(r"[<\s]{0,8}2\d\d[ -]")  # a server's yes says nothing of what failed
FINAL_ANSWER = re.compile(r"(?<![\d.])5\d\d[ -]|(?<![\d.])#?5\.\d{1,3}\.\d{1,3}(?![\d.])")
ANSWER = re.compile(
    r"(?<![\d.])[45]\d\d[ -]|(?<![\d.])#?[45]\.\d{1,3}\.\d{1,3}(?![\d.])|\bsaid:|response was|reason:", re.IGNORECASE
)
