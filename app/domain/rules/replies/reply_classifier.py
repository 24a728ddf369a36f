"""Classify replies: positive, negative, neutral, out-of-office, "not now", referral, opt-out. No network, no model.

In English, German, French, Spanish, Italian, Dutch and Portuguese; absences, postponements and referrals in ten.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from app.domain.rules import out_of_office, postponement, referral
from app.domain.rules.languages import Phrases, likely
from app.domain.rules.own_words import own_and_quoted, plain
from app.domain.rules.postponement import Postponement
from app.domain.rules.referral import Referral
from app.domain.rules.replies import reply_words
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
_OUT_ALONE = re.compile(
    r"^\W*(stop|unsubscribe|remove)(\W+(please|thanks?|spam|merci|bitte|danke|gracias|grazie|svp|aub|obrigad[oa]))*\W*$"
    r"|^\W*stop ?[-–,.!]",
    re.IGNORECASE,
)
# "We already have one, but tell me more": what follows counts when it asks for something.
_YET = re.compile(
    r"\b(but|however|though|aber|allerdings|jedoch|dennoch|trotzdem|mais|cependant|pero|aunque|ma|per[oò]|tuttavia|maar|echter"
    r"|mas|por[eé]m|contudo)\b",
    re.IGNORECASE,
)
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
_TELLING = 12  # words; the language of fewer can't be told
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
    if _wants_out(own):
        return Reading(Sentiment.NEGATIVE, wants_out=True)
    return Reading(_tone(own), postponement=postponement.read(text, at), referral=referral.read(text))


def _wants_out(own: str) -> bool:
    return bool(_OUT.search(own) or _OUT_ALONE.match(own)) or _says(reply_words.OUT, own)


def _tone(own: str) -> Sentiment:
    if _is_no(own):
        yet = _YET.search(own)
        return Sentiment.POSITIVE if yet and _is_yes(own[yet.end() :]) else Sentiment.NEGATIVE
    return Sentiment.POSITIVE if _is_yes(own) else Sentiment.GENERIC


def _is_no(own: str) -> bool:
    return bool(_NO.search(own)) or _says(reply_words.NO, own)


def _is_yes(own: str) -> bool:
    said = _YES.search(own) or _YES_ALONE.match(own) or _says(reply_words.YES, own)
    return bool(said) and not _is_no(own)


def _says(phrases: Phrases, own: str) -> bool:
    """Return whether one of the phrases stands in the text, in a language that it may be in."""
    words = plain(own).lower()
    languages = likely(own) if len(words.split()) > _TELLING else phrases
    return any(phrases[language].search(words) for language in languages if language in phrases)


def _is_away(text: str) -> bool:
    """Return whether it is an out-of-office message, not a reply that mentions a holiday."""
    return out_of_office.is_one(text) and not (_wants_out(text) or _is_no(text) or _YES_ALONE.match(text))
