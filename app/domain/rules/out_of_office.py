"""Detect out-of-office replies and their return dates. No network, no model."""

import re
from datetime import UTC, date, datetime, timedelta

AWAY_DEFAULT = timedelta(days=14)
LONGEST_ABSENCE = timedelta(days=120)
READ = 5000  # characters; a note says it at its beginning

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier enero gennaio januari janeiro",
            "february feb februar février fevrier febrero febbraio februari fevereiro",
            "march mar märz maerz mars marzo maart março",
            "april apr avril abril aprile",
            "may mai mayo maggio mei maio",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août aout agosto augustus",
            "september sept sep septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre decembre diciembre dicembre dezembro",
        ),
        1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATES = [
    re.compile(r"\b(?P<year>20\d\d)-(?P<month>\d{1,2})-(?P<day>\d{1,2})\b"),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?(?: of| de| di)? (?P<name>{_MONTH})\b\.?"
        r"(?:,? (?:de )?(?P<year>20\d\d))?",
        re.I,
    ),
    re.compile(rf"\b(?P<name>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>20\d\d))?", re.I),
    re.compile(r"\b(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>20\d\d)?"),
    re.compile(r"\b(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>20\d\d))?\b"),
    re.compile(r"\b(?P<day>1[3-9]|2\d|3[01])/(?P<month>\d{1,2})(?:/(?P<year>20\d\d))?\b"),
]
_WEEKDAYS = [
    "monday|montag|lundi|lunes|lunedì|maandag|segunda",
    "tuesday|dienstag|mardi|martes|martedì|dinsdag|terça",
    "wednesday|mittwoch|mercredi|miércoles|mercoledì|woensdag|quarta",
    "thursday|donnerstag|jeudi|jueves|giovedì|donderdag|quinta",
    "friday|freitag|vendredi|viernes|venerdì|vrijdag|sexta",
    "saturday|samstag|samedi|sábado|sabato|zaterdag",
    "sunday|sonntag|dimanche|domingo|domenica|zondag",
]
_BACK = r"until|till|back|return\w*|on|by|bis|ab|am|jusqu'au|le|hasta|el|fino a|tot|op|até"
_SPAN = re.compile(
    r"\b(?:for|in|für|pour|durante|per|voor)(?: the)?(?: next)? "
    r"(?P<count>\d{1,3}|an?|one|two|three|four|eine|zwei|drei|vier|une|deux|trois|quatre|una|dos|tres|cuatro"
    r"|due|tre|een|twee|drie) "
    r"(?P<unit>day|week|month|tag|woche|monat|jour|semaine|mois|día|dia|semana|mes|giorn|settiman|dag|maand)",
    re.I,
)
_COUNTS = {
    **dict.fromkeys("a an one eine une una een".split(), 1),
    **dict.fromkeys("two zwei deux dos due twee".split(), 2),
    **dict.fromkeys("three drei trois tres tre drie".split(), 3),
    **dict.fromkeys("four vier quatre cuatro".split(), 4),
}
_WEEKS, _LONG = ("week", "woche", "sema", "setti"), ("mo", "mes", "maand")


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(r"\b(" + "|".join(phrases) + r")\b", re.IGNORECASE)


_AWAY = _any(
    r"out of (the )?office(?! (space|hours|supplies|furniture|politics))",
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
    r"nicht im (b[üu]ro|haus)",
    r"im urlaub",
    r"absente? du bureau",
    r"en (congés?|vacances)",
    r"fuera de la oficina",
    r"de vacaciones",
    r"fuori (ufficio|sede)",
    r"in ferie",
    r"afwezig",
    r"niet op kantoor",
    r"ausente do escritório",
    r"de férias",
)
# A person who asks something or proposes a next step reads our messages, wherever they are.
_IN_PERSON = _any(
    r"let'?s",
    r"your (proposal|offer|idea|question|note|suggestion|tool|product|company|team|mail about|timing)",
    r"(sounds|looks) (good|great|interesting|useful)",
    r"(can|could|shall|should) (we|you|i)",
    r"(talk|speak|chat|meet) (then|after|when|next|on|in)",
    r"(works|suits|suit|work) (me )?(better|best|for me|for us)",
    r"(try|ping|write|mail|ask|remind|call) me (again )?(then|after|when|once|in|next|later)",
    r"sorry for the (late|slow|delay)",
    r"(just|only) (got|came|come) back",
    r"was (out|away|off|on)",
    r"(melden|schreiben|rufen) sie (sich|mich|mir)",
    r"(ihr|ihre|dein|deine) (vorschlag|angebot|frage|idee)",
    r"(können|sollen) wir",
    r"votre (proposition|offre|idée|question)",
    r"(pouvons|pourrions)-nous",
    r"(su|tu) (propuesta|oferta|idea|pregunta)",
    r"podemos",
    r"(sua|tua) (proposta|ideia|idea|offerta)",
    r"(uw|je|jouw) (voorstel|vraag|idee)",
)
_QUESTION = re.compile(r"[^.!?\n]{0,300}\?")
_URGENT = re.compile(r"urgen|dringen|eilig|help|importan|emergency|spoed|anliegen", re.IGNORECASE)


def is_one(text: str) -> bool:
    """Return whether a text is an out-of-office note, not a reply that mentions a holiday."""
    text = text[:READ]
    if not _AWAY.search(text) or _IN_PERSON.search(text):
        return False
    return all(_URGENT.search(found[0]) for found in _QUESTION.finditer(text))


def back(text: str, at: datetime) -> datetime:
    """Return when they are back: the latest date named, else a span or a weekday named, else in two weeks."""
    text = text[:READ]
    named = [moment for pattern in _DATES for match in pattern.finditer(text) if (moment := _moment(match, at))]
    if named:
        return max(named)
    if span := _SPAN.search(text):
        count, unit = span["count"].lower(), span["unit"].lower()
        days = 7 if unit.startswith(_WEEKS) else 30 if unit.startswith(_LONG) else 1
        return at + min(timedelta(days=days * (_COUNTS.get(count) or int(count))), LONGEST_ABSENCE)
    for index, weekday in enumerate(_WEEKDAYS):
        if re.search(rf"\b({_BACK}) (on )?(next |am )?({weekday})\b", text, re.IGNORECASE):
            return at + timedelta(days=(index - at.weekday() - 1) % 7 + 1)
    return at + AWAY_DEFAULT


def _moment(match: re.Match[str], at: datetime) -> datetime | None:
    """Return the morning of a date in the text if it is in the future and plausible."""
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
