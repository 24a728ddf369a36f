"""Reading replies: interest, a no, neither; away until when; the wish to hear nothing more. No network, no model."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from app.models.conversations import Sentiment

AWAY_DEFAULT = timedelta(days=14)
LONGEST_ABSENCE = timedelta(days=120)

_QUOTED = re.compile(
    r"^[ \t]*(>|(On|Am|Le|El|Il|Op) [^\n]{5,120}(\n[^\n]{1,120})?"
    r"(wrote|schrieb|a écrit|escribió|ha scritto|schreef)[^\n]{0,80}:$"
    r"|-{2,}\s*(Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original)|_{20,}[ \t]*$"
    r"|(From|Von|De|Da|Van): .+(@|\n(Sent|Gesendet|Envoyé|Enviado|Inviato|Verzonden|Date|Datum)\s?:))",
    re.IGNORECASE | re.MULTILINE,
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep"
        "|october oct|november nov|december dec".split("|"),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = [
    re.compile(r"\b(?P<year>20\d\d)-(?P<month>\d{1,2})-(?P<day>\d{1,2})\b"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<name>{_MONTH})\b\.?(?:,? (?P<year>20\d\d))?", re.I),
    re.compile(rf"\b(?P<name>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>20\d\d))?", re.I),
    re.compile(r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)?"),
    re.compile(r"\b(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>20\d\d))?\b"),
]
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"\b(" + "|".join(phrases) + r")\b", re.IGNORECASE)


_AWAY = _any(
    r"out of (the )?office",
    r"ooo",
    r"on (annual |parental |maternity |paternity |sick |medical )?leave",
    r"on (vacation|holidays?|pto)",
    r"away from (my )?(desk|keyboard|work|the office)",
    r"(currently|i am|i'm) (away|travell?ing|off)",
    r"limited access to (my )?(e-?mails?|inbox|mailbox|messages)",
    r"auto(matic)?[- ]?reply",
    r"autoresponder",
    r"(will be|i'?m|am) back (in the office )?(on|by)",
    r"return(ing)? to (the office|work)",
    r"abwesend",
    r"nicht im b[üu]ro",
    r"absent du bureau",
    r"fuera de la oficina",
)
_AWAY_FOR = re.compile(
    r"\b(?:for|in) (?:the next )?(?P<count>\d+|a|one|two|three|four) (?P<unit>day|week|month)s?\b", re.I
)
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
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
    """What an inbound message means. Quoted text is not theirs and is not read."""
    own = _own_words(text)
    if automatic or _is_away(own):
        return Reading(Sentiment.GENERIC, away_until=_return(own, at))
    if _OUT.search(own) or _OUT_ALONE.match(own):
        return Reading(Sentiment.NEGATIVE, wants_out=True)
    if _NO.search(own):
        return Reading(Sentiment.NEGATIVE)
    if _YES.search(own) or _YES_ALONE.match(own):
        return Reading(Sentiment.POSITIVE)
    return Reading(Sentiment.GENERIC)


def own_and_quoted(text: str) -> tuple[str, str]:
    """What they wrote themselves, and what they quote below it."""
    quoted = _QUOTED.search(text[:20_000])
    return (text[: quoted.start()].rstrip(), text[quoted.start() :]) if quoted and quoted.start() > 0 else (text, "")


def _own_words(text: str) -> str:
    return own_and_quoted(text[:20_000].replace("’", "'"))[0]


def _is_away(text: str) -> bool:
    """An absence note, and not a person who mentions a holiday while saying yes or no."""
    return bool(_AWAY.search(text)) and not _OUT.search(text) and not (_NO.search(text) or _YES_ALONE.match(text))


def _return(text: str, at: datetime) -> datetime:
    """When they are back: the latest date named, else a span or a weekday named, else two weeks."""
    named = [moment for pattern in _DATES for match in pattern.finditer(text) if (moment := _moment(match, at))]
    if named:
        return max(named)
    span = _AWAY_FOR.search(text)
    if span:
        number = _COUNTS.get(span["count"].lower()) or min(int(span["count"]), 120)
        days = number * {"day": 1, "week": 7, "month": 30}[span["unit"].lower()]
        return at + min(timedelta(days=days), LONGEST_ABSENCE)
    lowered = text.lower()
    for index, weekday in enumerate(_WEEKDAYS):
        if re.search(rf"\b(until|back|return\w*|on|by) (on )?(next )?{weekday}\b", lowered):
            return at + timedelta(days=(index - at.weekday() - 1) % 7 + 1)
    return at + AWAY_DEFAULT


def _moment(match: re.Match[str], at: datetime) -> datetime | None:
    """The morning of a date in the text, if it lies ahead and not absurdly far."""
    parts = match.groupdict()
    month = _MONTHS[parts["name"].lower()] if parts.get("name") else int(parts["month"])
    years = [int(parts["year"])] if parts.get("year") else [at.year, at.year + 1]
    for year in years:
        try:
            day = date(year, month, int(parts["day"]))
        except ValueError:
            return None
        moment = datetime(day.year, day.month, day.day, 8, tzinfo=UTC)
        if at < moment <= at + LONGEST_ABSENCE:
            return moment
    return None
