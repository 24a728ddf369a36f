"""Reading replies: interest, a no, neither; away until when; and the wish to hear nothing more. No network, no model."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from app.models.conversations import Sentiment

AWAY_DEFAULT = timedelta(days=14)
LONGEST_ABSENCE = timedelta(days=120)

_QUOTED = re.compile(r"^\s*(>|On .{5,120} wrote:$|-{2,}\s*Original Message|From: .+@)", re.IGNORECASE | re.MULTILINE)
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
_AWAY = re.compile(
    r"\b(out of (the )?office|ooo\b|on (annual |parental |maternity |paternity |sick |medical )?leave|on (vacation|holiday)s?"
    r"|on pto|away from (my )?(desk|keyboard|work|the office)|(currently|i am|i'm) (away|travell?ing|off)"
    r"|limited access to (my )?e-?mails?|auto(matic)?[- ]?reply|autoresponder|(will be|i'?m|am) back (in the office )?(on|by)"
    r"|return(ing)? to (the office|work)|abwesend|nicht im b[üu]ro|absent du bureau|fuera de la oficina)",
    re.IGNORECASE,
)
_AWAY_FOR = re.compile(
    r"\b(?:for|in) (?:the next )?(?P<count>\d+|a|one|two|three|four) (?P<unit>day|week|month)s?\b", re.I
)
_COUNTS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_OUT = re.compile(
    r"\b(unsubscribe|opt[- ]?out|remove me|take me off|stop (messag|contact|writ|email|e-mail|send|reach)\w*"
    r"|(do not|don'?t|never) (contact|message|write|e-?mail|reach)( to)? (me|us)\b|leave me alone|no more (messages|e-?mails)"
    r"|report(ing)? (you|this)( as spam)?|this is spam|gdpr)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(not (really )?(interested|for (me|us)|a (good )?fit|looking|relevant|a priority|now|at (this|the) (time|moment)"
    r"|in the market|right now)|no,? (thanks?|thank you|interest|need|budget)|no thx|(i'?ll|we'?ll|i will|we will|have to) pass"
    r"|(please )?(don'?t|do not) (follow up|pitch)|already (have|use|using|work with|covered|sorted)"
    r"|(we|i)('re| are|'m| am) (all set|good|happy with|covered|fine)|wrong person|not my (area|department)"
    r"|(never|didn'?t) ask(ed)? for|waste of|hard pass|nope|kindly decline|we decline|no longer (work|with))\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"\b((sounds|looks) (good|great|interesting|useful|promising)|(i'?m|i am|we'?re|we are|very|definitely|certainly|quite)"
    r" (very |definitely |quite )?interested|interested in (hearing|learning|a|your|seeing|more)|tell me more|(happy|glad|love|keen|open)"
    r" to (chat|talk|connect|meet|learn|hear|discuss|have|see|take|jump|find|know)|let'?s (talk|chat|connect|meet|do|set|find"
    r"|schedule|book|hop|jump)|(book|schedule|set up|arrange|grab) (a|some|time)|send (me |us |over )?(more|the|your|some|a|details"
    r"|info\w*|over)|share (more|some|the|your|a)|(works|free|available|suits) (for me|on|this|next|tomorrow|at|me)"
    r"|(next|this) week works|my calendar|calendly|what (does|would) (it|this|that) cost|how much|pricing"
    r"|could you (share|send|tell)|can you (share|send|tell|show)|would love|i'?d like to|count me in|good timing|perfect timing"
    r"|yes,? (please|sure|let|i|we|that|sounds|happy|go)|sure,|absolutely|great idea|demo)\b",
    re.IGNORECASE,
)
_YES_ALONE = re.compile(r"^\W*(yes|yep|yeah|sure|ok|okay|definitely|absolutely|👍|interested)\W*$", re.IGNORECASE)


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
    if _OUT.search(own):
        return Reading(Sentiment.NEGATIVE, wants_out=True)
    if _NO.search(own):
        return Reading(Sentiment.NEGATIVE)
    if _YES.search(own) or _YES_ALONE.search(own):
        return Reading(Sentiment.POSITIVE)
    return Reading(Sentiment.GENERIC)


def _own_words(text: str) -> str:
    text = text[:20_000].replace("’", "'")
    quoted = _QUOTED.search(text)
    return text[: quoted.start()] if quoted and quoted.start() > 0 else text


def _is_away(text: str) -> bool:
    """An absence note, and not a person who mentions a holiday while saying yes or no."""
    return bool(_AWAY.search(text)) and not _OUT.search(text) and not (_NO.search(text) or _YES_ALONE.search(text))


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
