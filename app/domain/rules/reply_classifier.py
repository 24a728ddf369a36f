"""Classify replies: positive, negative, neutral, out-of-office, "not now", referral, opt-out. No network, no model."""

import re
from dataclasses import dataclass
from datetime import datetime

from app.domain.rules import out_of_office, postponement, referral
from app.domain.rules.own_words import own_and_quoted
from app.domain.rules.postponement import Postponement
from app.domain.rules.referral import Referral
from app.models.conversations import Sentiment


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"\b(" + "|".join(phrases) + r")\b", re.IGNORECASE)


_OUT = _any(
    r"unsubscribe",
    r"opt[- ]?out",
    r"remove me",
    r"take me off",
    r"stop (messag|contact|writ|email|e-mail|send|reach)\w*",
    r"(do not|don'?t|never) (contact|message|write|e-?mail|reach)( to)? (me|us)",
    r"leave me alone",
    r"no more (messages|e-?mails)",
    r"(do not|don'?t) (wish|want) to (receive|get|be contacted|hear)",
    r"(remove|delete|erase) my (contact |personal )?(details|data|address|number|e-?mail|profile)",
    r"(do not|don'?t|never) write (to me )?again",
    r"report(ing)? (you|this)( as spam)?",
    r"this is spam",
    r"gdpr",
)
_OUT_ALONE = re.compile(r"^\W*(stop|unsubscribe|remove)\W*$", re.IGNORECASE)
_NO = _any(
    r"not (really )?(interested|for (me|us)|a (good )?fit|looking|relevant|a priority|now|right now|in the market)",
    r"not (at|for) (this|the) (time|moment)",
    r"no,? (thanks?|thank you|interest|need|budget|thx)",
    r"(i'?ll|we'?ll|i will|we will|have to) pass",
    r"(please )?(don'?t|do not) (follow up|pitch)",
    r"already (have|use|using|work with|covered|sorted)",
    r"(we|i)('re| are|'m| am) (all set|good|happy with|covered|fine)",
    r"(never|didn'?t) ask(ed)? for",
    r"waste of",
    r"hard pass",
    r"nope",
    r"kindly decline",
    r"we decline",
    r"(don'?t|do not|no) (have (a|any) )?need",
    r"(is|was)n?'?t? not (right|relevant|suitable) for (me|us)",
    r"(isn'?t|is not|not) (relevant|suitable|right)",
    r"thank(s| you),? but no",
    r"rather not",
)
_YES = _any(
    r"(sounds|looks) (good|great|interesting|useful|promising)",
    r"(i'?m|i am|we'?re|we are|very|definitely|certainly|quite) (very |definitely |quite )?interested",
    r"interested in (hearing|learning|a|your|seeing|more)",
    r"tell me more",
    r"(happy|glad|love|keen|open) to (chat|talk|connect|meet|learn|hear|discuss|have|see|take|jump|find|know)",
    r"let'?s (talk|chat|speak|connect|meet|do|have|set|find|schedule|book|hop|jump)",
    r"(book|schedule|set up|arrange|grab) (a|some|time)",
    r"send (me |us |over )?(more|the|your|some|a|details|info\w*|over)",
    r"share (more|some|the|your|a)",
    r"(works|free|available|suits) (for me|on|this|next|tomorrow|at|me)",
    r"(next|this) week works",
    r"my calendar",
    r"calendly",
    r"what (does|would) (it|this|that) cost",
    r"how much",
    r"pricing",
    r"(could|can) you (share|send|tell|show)",
    r"would love",
    r"i'?d like to",
    r"count me in",
    r"(good|perfect) timing",
    r"yes,? (please|sure|let|i|we|that|sounds|happy|go)",
    r"sure",
    r"absolutely",
    r"great idea",
    r"demo",
    r"(is|was) (very |quite )?relevant (for|to) (me|us)",
    r"send (me )?an? (invite|invitation)",
    r"right moment",
)
_YES_ALONE = re.compile(r"^\W*(yes|yep|yeah|sure|definitely|absolutely|👍|interested)\W*($|[!.])", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What a message says. A postponement or a referral may come with any sentiment; an opt-out goes before both."""

    sentiment: str
    away_until: datetime | None = None
    wants_out: bool = False
    postponement: Postponement | None = None
    referral: Referral | None = None


def read(text: str, at: datetime, automatic: bool = False) -> Reading:
    """Classify an inbound message, without the text it quotes."""
    own, quoted = own_and_quoted(text[:20_000].replace("’", "'"))
    if automatic or (not quoted and _is_away(own)):  # machines do not quote what they answer
        return Reading(Sentiment.GENERIC, away_until=out_of_office.back(own, at), referral=referral.read(own))
    if _OUT.search(own) or _OUT_ALONE.match(own):
        return Reading(Sentiment.NEGATIVE, wants_out=True)
    return Reading(_tone(own), postponement=postponement.read(text, at), referral=referral.read(text))


def _tone(own: str) -> Sentiment:
    if _NO.search(own):
        return Sentiment.NEGATIVE
    if _YES.search(own) or _YES_ALONE.match(own):
        return Sentiment.POSITIVE
    return Sentiment.GENERIC


def _is_away(text: str) -> bool:
    """Return whether it is an out-of-office message, not a reply that mentions a holiday."""
    return out_of_office.is_one(text) and not _OUT.search(text) and not (_NO.search(text) or _YES_ALONE.match(text))
