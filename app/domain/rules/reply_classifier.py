"""Classify replies: positive, negative, neutral, out-of-office, opt-out. No network, no model."""

import re
from dataclasses import dataclass
from datetime import datetime

from app.domain.rules import out_of_office
from app.models.conversations import Sentiment

_QUOTED = re.compile(
    r"^[ \t]*(>|(On|Am|Le|El|Il|Op) [^\n]{5,120}(\n[^\n]{1,120})?"
    r"(wrote|schrieb|a écrit|escribió|ha scritto|schreef)[^\n]{0,80}:$"
    r"|-{2,}\s*(Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)|_{20,}[ \t]*$"
    r"|(From|Von|De|Da|Van): .+(@|\n(Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Date|Datum)\s?:))",
    re.IGNORECASE | re.MULTILINE,
)


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
    """What a message says."""

    sentiment: str
    away_until: datetime | None = None
    wants_out: bool = False


def read(text: str, at: datetime, automatic: bool = False) -> Reading:
    """Classify an inbound message, without the text it quotes."""
    own, quoted = own_and_quoted(text[:20_000].replace("’", "'"))
    if automatic or (not quoted and _is_away(own)):  # machines do not quote what they answer
        return Reading(Sentiment.GENERIC, away_until=out_of_office.back(own, at))
    if _OUT.search(own) or _OUT_ALONE.match(own):
        return Reading(Sentiment.NEGATIVE, wants_out=True)
    if _NO.search(own):
        return Reading(Sentiment.NEGATIVE)
    if _YES.search(own) or _YES_ALONE.match(own):
        return Reading(Sentiment.POSITIVE)
    return Reading(Sentiment.GENERIC)


def own_and_quoted(text: str) -> tuple[str, str]:
    """Split a text into what they wrote and what they quote below it."""
    quoted = _QUOTED.search(text[:20_000])
    return (text[: quoted.start()].rstrip(), text[quoted.start() :]) if quoted and quoted.start() > 0 else (text, "")


def _is_away(text: str) -> bool:
    """Return whether it is an out-of-office message, not a reply that mentions a holiday."""
    return out_of_office.is_one(text) and not _OUT.search(text) and not (_NO.search(text) or _YES_ALONE.match(text))
