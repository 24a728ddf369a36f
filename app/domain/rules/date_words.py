"""Dates in a text, in the words of ten languages: "16 March", "in two weeks", "Q3", "after the summer". No model.

Words are compared without accents. A period (a month, a quarter, "next year") is known by its first and last day.
Seasons begin as in meteorology: spring on 1 March, summer on 1 June, autumn on 1 September, winter on 1 December.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from app.domain.rules.own_words import plain

HALF_A_YEAR = timedelta(days=183)


@dataclass(frozen=True)
class DateWords:
    """A day or a period named in a text, and where."""

    first: date
    last: date
    begin: int
    end: int
    exact: bool = True  # a day, not a month or "in a few weeks"
    year: bool = False  # the year is said
    inclusive: bool = False  # the last day of a range, such as the 20th in "12-20 October"


_MONTH_NAMES = (
    "january jan januar jaenner janner janvier janv enero ene gennaio gen januari janeiro stycznia styczen styczniu",
    "february feb februar februari fevrier fevr febrero febbraio fevereiro fev lutego luty lutym februar",
    "march mar marz maerz mrz mars marzo maart mrt marco marca marzec marcu marts",
    "april apr avril avr abril abr aprile kwietnia kwiecien kwietniu",
    "may mai mayo maggio mag mei maio maja maju maj",
    "june jun juni juin junio giugno giu junho czerwca czerwiec czerwcu",
    "july jul juli juillet juil julio luglio lug julho lipca lipiec lipcu",
    "august aug aout agosto ago augustus augusti sierpnia sierpien sierpniu",
    "september sept sep septembre septiembre setiembre settembre setembro wrzesnia wrzesien wrzesniu",
    "october oct oktober okt octobre octubre ottobre ott outubro pazdziernika pazdziernik pazdzierniku",
    "november nov novembre noviembre novembro listopada listopad listopadzie",
    "december dec dezember dez decembre diciembre dic dicembre dezembro grudnia grudzien grudniu",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ENGLISH_MONTH = (
    "january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug"
    "|september|sept|sep|october|oct|november|nov|december|dec"
)
_WEEKDAY_NAMES = (
    "monday montag lundi lunes lunedi maandag segunda-feira segunda poniedzialek poniedzialku mandag",
    "tuesday dienstag mardi martes martedi dinsdag terca-feira terca wtorek wtorku tisdag tirsdag",
    "wednesday mittwoch mercredi miercoles mercoledi woensdag quarta-feira quarta sroda srode srody onsdag",
    "thursday donnerstag jeudi jueves giovedi donderdag quinta-feira quinta czwartek czwartku torsdag",
    "friday freitag vendredi viernes venerdi vrijdag sexta-feira sexta piatek piatku fredag",
    "saturday samstag samedi sabado sabato zaterdag sobota sobote soboty lordag",
    "sunday sonntag dimanche domingo domenica zondag niedziela niedziele niedzieli sondag",
)
_WEEKDAYS = {name: number for number, names in enumerate(_WEEKDAY_NAMES) for name in names.split()}
_WEEKDAY = "|".join(sorted(_WEEKDAYS, key=len, reverse=True))
_SHORT_WEEKDAYS = {name[:3]: number for name, number in _WEEKDAYS.items() if name.endswith("day")}
_LONG_MONTH = "|".join(
    name for name in sorted(_MONTHS, key=len, reverse=True) if len(name) > 3 or name in "may mai mei maj"
)
_COUNT_WORDS = {
    1: "a an one ein eine einem einer einen un une una uno um uma een jeden jedna jeden en ett et",
    2: "two couple zwei zwo deux dos due duas dois twee dwa dwie dwoch tva to par paio",
    3: "three few several drei paar einige einigen trois quelques tres unos unas algunos algunas tre qualche alcuni"
    " alcune"
    " drie enkele tres alguns algumas uns umas trzy trzech kilka pare nagra nogle tre",
    4: "four vier quatre cuatro quattro quatro cztery czterech fyra fire",
    5: "five funf fuenf cinq cinco cinque vijf piec pieciu fem",
    6: "six sechs seis sei zes szesc szesciu sex seks",
    8: "eight acht huit ocho otto oito osiem atta otte",
    9: "nine neun neuf nueve nove negen dziewiec nio ni",
    10: "ten zehn dix diez dieci dez tien dziesiec tio ti",
    12: "twelve zwolf zwoelf douze doce dodici doze twaalf dwanascie tolv",
}
_COUNTS = {name: number for number, names in _COUNT_WORDS.items() for name in names.split()}
_COUNT = r"\d{1,2}|" + "|".join(sorted(_COUNTS, key=len, reverse=True))
_DAY_WORD = r"days?|tage?n?|jours?|dias?|giorn[oi]|dag(?:en|ar|e)?|dni|dzien"
_WEEK_WORD = r"weeks?|wochen?|semaines?|semanas?|settiman[ae]|weken|tydzien|tygodni\w*|veck(?:a|or|an)|uger?|ugen"
_MONTH_WORD = r"months?|monate?n?s?|mois|mes(?:es)?|mes[ei]|maand(?:en)?|miesi\w+|manad(?:er|en)?|maned(?:er|en)?"
_QUARTER_WORD = r"quarters?|quartals?|trimestres?|kwarta\w+|kvartal(?:et)?"
_HALF_WORD = r"half(?: of the year)?|halbjahr\w*|semestre|helft van (?:het|dit) jaar|polroc\w*|halvar(?:et)?"
_YEAR_WORD = r"years?|jahre?n?s?|an(?:nee|s)?|anos?|ann[oi]|jaar|rok\w*|lata?|aret?"
_UNIT = rf"(?:(?P<days>{_DAY_WORD})|(?P<weeks>{_WEEK_WORD})|(?P<months>{_MONTH_WORD})|(?P<years>{_YEAR_WORD}))"
_NEXT = (
    r"(?:the )?(?:next|coming|following|(?:der |das |die |den "
    r"|dem )?(?:na(?:e)?chste[nrsm]?|kommende[nrsm]?)|proxim[oa]|prossim[oa]"
)
_NEXT += r"|volgende?|komende?|przyszl\w+|nasta|kommande|na(?:e)?ste|kommende)"
_AFTERWARDS = r"(?: prochaine?| qui vient| suivante?| que viene| que vem| proxim[oa]| prossim[oa]| siguiente| entrante)"


def _next(unit: str) -> str:
    return rf"\b(?:{_NEXT} (?:{unit})|(?:l'|la |le |el |il |a |o )?(?:prochaine? (?:{unit})|(?:{unit}){_AFTERWARDS}))\b"


_NEXT_YEAR = rf"(?:{_next(_YEAR_WORD)}|(?:l'an(?:nee)? prochaine?)|volgend jaar)"
_YEAR = (
    rf"(?:,? ?(?:(?:of|de|del|di|van|im|in) )?(?P<year>20\d\d)\b|,? (?:of |in |des |de "
    rf"|del |dell'|van |do |no |im )?(?P<following>{_NEXT_YEAR}))?"
)
_EARLY = (
    r"early|beginning of|start of|anfang|debut|inizi\w*|principios de|comienzos de|begin|comeco de|inicio de"
    r"|poczat\w+|borjan av|begyndelsen af|starten af"
)
_MIDDLE = r"mid(?:dle of)?|mitte|mi|mediados de|meados de|meta|medio|half|polow\w+|mitten av|midten af"
_LATE = (
    r"end of|late|ende|fin(?: de)?|fine(?: di)?|final(?:es)? de|eind(?:e)?(?: van)?|fim de|kon(?:iec|cu|ca)|slutet av"
    r"|slutningen af"
)
_PART = rf"(?:the )?(?:(?P<early>{_EARLY})|(?P<middle>{_MIDDLE})|(?P<late>{_LATE}))[ -]?(?:of |di |de |d')?"
# A month without a day needs a word that makes it one: "may", "mars" and "Marco" are words and names too.
_BEFORE_MONTH = (
    r"in|im|en|em|a|ad|i(?! may)|w|we(?! may)|na|until|till|til|to|tot|bis|by|from|since"
    r"|of|ab|hasta|desde|ate|fino a|entro|od|do|po|nach"
    r"|after|apres|tras|despues de|dopo|depois de|around|circa|vers|gegen|this|next"
    r"|coming|try(?! mei)|fur|for|efter|jusqu'en"
    r"|jusqu'a|a partir d[e']|so(?! may)|maybe|perhaps|about"
)
_ORDINALS = (
    r"q ?1\b|1st|first|erste[sn]?|1\.|premier|1er|primer|primo|1o|eerste|primeiro|pierwsz\w+|i|forsta|forste",
    r"q ?2\b|2nd|second|zweite[sn]?|2\.|deuxieme|2e(?:me)?|segundo|secondo|2o|tweede|drugi\w*|ii|andra|andet",
    r"q ?3\b|3rd|third|dritte[sn]?|3\.|troisieme|3e(?:me)?|tercer|terzo|3o|derde|terceiro|trzeci\w*|iii|tredje",
    r"q ?4\b|4th|fourth|last|vierte[sn]?|4\.|quatrieme|4e(?:me)?|cuarto|quarto|4o|vierde|czwart\w+|iv|fjarde|fjerde",
)
_ORDINAL = "|".join(f"(?P<o{number}>{words})" for number, words in enumerate(_ORDINALS, 1))
_SEASONS = {
    3: r"spring|fruhjahr|fruehjahr|fruhling|printemps|primavera|voorjaar|lente|wiosn\w|varen|foraret",
    6: r"summer|sommer(?:en)?|l'ete|ete|verano|estate|zomer|verao|lato|latem|lecie|sommaren",
    9: r"autumn|fall|herbst|l'automne|automne|otono|autunno|herfst|najaar|outono|jesien\w*|hosten|efteraret",
    12: r"winter|l'hiver|hiver|invierno|inverno|zim\w|vintern|vinteren",
}
_SEASON = "|".join(f"(?P<s{number}>{words})" for number, words in _SEASONS.items())
_AFTER = (
    r"(?:after|once|nach|apres|passees?|despues de|pasad[oa]s?|tras|dopo|na"
    r"|depois d[aeo]s?|apos|po|efter|when|over|wenn"
    r"|until after|bis nach)(?: (?:the|my|our|der|dem|den|die|das|unsere[mn]|la|le|les"
    r"|mes|l[ao]s|el|il|gli|i|de|het|mijn"
    r"|as?|os?|min|vara|vores))?"
)
_SUMMER_BREAK = (
    r"summer(?: break| holidays?| vacation)?|sommer(?:ferien|pause|urlaub|en|semester)?|l'ete|vacances d'ete"
)
_SUMMER_BREAK += (
    r"|verano|l'estate|estate|vacaciones de verano|zomer(?:vakantie)?|verao|wakacj\w*|lecie|sommaren|semestern"
)
_SUMMER_BREAK += r"|industriferien"
_YEAR_END = (
    r"christmas|xmas|festive season|holiday season|year[- ]end|weihnacht\w*|feiertage?n?|jahreswechsel|noel|fetes"
    r"|navidad(?:es)?|fiestas|natale|feste|kerst\w*|feestdagen|natal|festas|swi[ae]t\w*|jul(?:en|helgen)?\b"
)
_BREAK = r"holidays?|vacations?|urlaub|ferien|vacances|conges|vacaciones|ferie|vacanze|vakantie|ferias|semestern"
_EASTER = r"easter|ostern|paques|pascua|semana santa|pasqua|pasen|pascoa|wielkanoc\w*|pask(?:en)?|paske"
_NEW_YEAR = (
    r"\b(?:new year|neue[ns]? jahr\w*|nouvelle annee|nouvel an|debut d'annee|nuevo ano|ano nuevo|nuovo anno|anno nuovo"
    r"|nieuwe jaar|novo ano|ano novo|nowy\w* rok\w*|nya aret|nyaret|arsskiftet|nye ar|nytar)\b"
)
_IN = (
    r"in(?: the)?(?: next)?|within|after|for(?: the)?(?: next)?|for at least|in about|fur"
    r"|fuer|nach|dans|d'ici|pendant|pour"
    r"|durante|en|dentro de|por|tra|fra|per|over|voor|binnen|na|em|daqui a|za|przez|om|i"
    r"|back in|in another|another|give"
    r" (?:me|us)"
)


def find(text: str, at: date) -> list[DateWords]:
    """Return the days and periods that a text names, in the order of the text; those of the past as well."""
    left = _ADDRESS.sub(lambda match: "\0" * len(match[0]), plain(text).lower())
    found = []
    english = bool(_ENGLISH.search(left))
    for pattern, read in _READERS:
        taken = []
        for match in pattern.finditer(left):
            span = read(match, at, english)
            if span is not None:
                begin, end = match.span()
                inclusive = (
                    span.inclusive
                    or bool(_RANGE.search(left, max(0, begin - 40), begin))
                    or bool(_INCLUDED.match(left, end))
                )
                found.append(DateWords(span.first, span.last, begin, end, span.exact, span.year, inclusive))
                taken.append((begin, end))
        for begin, end in taken:
            left = left[:begin] + "\0" * (end - begin) + left[end:]
    return sorted(found, key=lambda named: named.begin)


@dataclass(frozen=True)
class _Span:
    first: date
    last: date
    exact: bool = True
    year: bool = False
    inclusive: bool = False


_ENGLISH = re.compile(r"\b(?:the|will|am|is|are|i'm|i'll|and|back|until|out|from|of|to|returning)\b")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+")
_MONTH_FIRST = re.compile(r"(?<![\d/])\d{1,2}/(?:1[3-9]|2\d|3[01])(?:/(?:20)?\d\d)?(?![\d/])")
_DAY_FIRST = re.compile(r"(?<![\d/])(?:1[3-9]|2\d|3[01])/\d{1,2}(?:/(?:20)?\d\d)?(?![\d/])")
_RANGE = re.compile(
    rf"(?:\0|{_MONTH}|\d(?:st|nd|rd|th|er|\.)?) ?(?:to|through|thru|-|–|—|bis(?: zum| einschl\w+)?"
    r"|au|al|all'|tot(?: en met)?|t/m|a|ate|do|till(?: och med)?"
    rf"|til(?: og med)?|t\.o\.m\.|t\.?o\.?m\.?) ?(?:(?:the|den|el|il|le|dem|den|o) )?(?:(?:{_WEEKDAY}),? ?)?(?:den )?$"
    r"|\b(?:through|thru|tot en met|t/m|till och med|t\.?o\.?m\.?|til og med"
    r"|bis (?:und mit|inkl\w*\.?|einschl\w*\.?)(?: zum)?"
    rf"|up to and including)(?: (?:the|den|dem))? ?(?:(?:{_WEEKDAY}),? ?)?(?:den )?$"
)
_INCLUDED = re.compile(r",? ?\(?(?:inclus\w*|incl\b|inkl\w*|einschl\w*|wlacznie|included)")


def _year_of(match: re.Match[str], at: date) -> int | None:
    parts = match.groupdict()
    if parts.get("year"):
        return int(parts["year"]) + (2000 if len(parts["year"]) == 2 else 0)
    return at.year + 1 if parts.get("following") else None


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _coming(month: int, day: int, at: date) -> date | None:
    """Return the next such day: of this year, else of the next."""
    this, following = _day(at.year, month, day), _day(at.year + 1, month, day)
    return this if this and this >= at else following


def _of_day(match: re.Match[str], at: date, english: bool) -> _Span | None:
    parts = match.groupdict()
    month = _MONTHS[parts["name"]] if parts.get("name") else int(parts["month"])
    year = _year_of(match, at)
    day = _day(year, month, int(parts["day"])) if year else _coming(month, int(parts["day"]), at)
    return _Span(day, day, year=bool(year), inclusive="range" in parts) if day else None


def _of_slashes(match: re.Match[str], at: date, english: bool) -> _Span | None:
    """Read 3/4 in the order of its text; in English, which has two, as what is nearer."""
    one, two, year = int(match["one"]), int(match["two"]), _year_of(match, at)
    text = match.string
    month_first, day_first = bool(_MONTH_FIRST.search(text)), bool(_DAY_FIRST.search(text))
    orders = [] if day_first and not month_first else [(one, two)] if english or month_first else []
    orders += [] if month_first and not day_first else [(two, one)]
    days = [day for order in orders if (day := _day(year, *order) if year else _coming(*order, at))]
    near = [day for day in days if at < day <= at + HALF_A_YEAR]
    day = min(near) if near else min(days, default=None)
    return _Span(day, day, year=bool(year)) if day else None


def _month_end(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _of_months(year: int, month: int, count: int) -> _Span:
    return _Span(date(year, month, 1), _month_end(year, month + count - 1), exact=False)


def _part_of(span: _Span, match: re.Match[str]) -> _Span:
    """Narrow a month to its beginning, middle or end."""
    parts = match.groupdict()
    begin = 15 if parts.get("middle") else 25 if parts.get("late") else 1
    last = (
        span.first.replace(day=10)
        if parts.get("early")
        else span.first.replace(day=20)
        if parts.get("middle")
        else span.last
    )
    return _Span(span.first.replace(day=begin), last, exact=False, year=span.year)


def _of_month(match: re.Match[str], at: date, english: bool) -> _Span | None:
    month, year = _MONTHS[match["name"]], _year_of(match, at)
    span = _of_months(year or at.year, month, 1)
    if not year and _part_of(span, match).first <= at:
        span = _of_months(at.year + 1, month, 1)
    return _part_of(span, match)


def _of_quarter(match: re.Match[str], at: date, english: bool) -> _Span | None:
    number, year = _number(match, "o"), _year_of(match, at)
    span = _of_months(year or at.year, 3 * number - 2, 3)
    return span if year or span.first > at else _of_months(at.year + 1, 3 * number - 2, 3)


def _of_half(match: re.Match[str], at: date, english: bool) -> _Span | None:
    number, year = _number(match, "o"), _year_of(match, at)
    if number > 2:
        return None
    span = _of_months(year or at.year, 6 * number - 5, 6)
    return span if year or span.first > at else _of_months(at.year + 1, 6 * number - 5, 6)


def _number(match: re.Match[str], prefix: str) -> int:
    return next(
        int(name[1:]) for name, words in match.groupdict().items() if words and re.fullmatch(prefix + r"\d+", name)
    )


def _of_season(match: re.Match[str], at: date, english: bool) -> _Span | None:
    month, year = _number(match, "s"), _year_of(match, at)
    span = _of_months(year or at.year, month, 1)
    span = span if year or span.first > at else _of_months(at.year + 1, month, 1)
    return _Span(span.first, _month_end(span.first.year, month + 2) if month < 12 else span.last, exact=False)


def _fixed(*days: tuple[int, int]) -> Callable[[re.Match[str], date, bool], _Span | None]:
    def read(match: re.Match[str], at: date, english: bool) -> _Span | None:
        following = (date(at.year + more, *day) for more in (0, 1) for day in days)
        day = min(one for one in following if one > at)
        return _Span(day, day, exact=False)

    return read


def _of_year(match: re.Match[str], at: date, english: bool) -> _Span | None:
    year = int(match["year"])
    return _Span(date(year, 1, 1), date(year, 12, 31), exact=False, year=True) if at.year < year < at.year + 6 else None


def _of_year_end(match: re.Match[str], at: date, english: bool) -> _Span | None:
    return _Span(date(at.year, 12, 1), date(at.year, 12, 31), exact=False)


def _of_span(match: re.Match[str], at: date, english: bool) -> _Span | None:
    parts = match.groupdict()
    count = int(parts["count"]) if parts["count"].isdigit() else _COUNTS[parts["count"]]
    exact = not re.search(
        r"few|several|paar|pare|kilka|quelques|unos|unas|algun|qualche|alcun|enkele|algu|nagra|nogle", parts["count"]
    )
    if parts["days"] or parts["weeks"]:
        day = at + timedelta(days=count * (7 if parts["weeks"] else 1))
    else:
        day = _months_later(at, count * (12 if parts["years"] else 1))
    return _Span(day, day, exact=exact, year=True)


def _of_half_a_year(match: re.Match[str], at: date, english: bool) -> _Span | None:
    day = _months_later(at, 6)
    return _Span(day, day, exact=False)


def _months_later(at: date, months: int) -> date:
    year, month = at.year + (at.month - 1 + months) // 12, (at.month - 1 + months) % 12 + 1
    return date(year, month, min(at.day, _month_end(year, month).day))


def _next_period(unit: str) -> Callable[[re.Match[str], date, bool], _Span | None]:
    def read(match: re.Match[str], at: date, english: bool) -> _Span | None:
        if unit == "week":
            first = at + timedelta(days=7 - at.weekday())
            return _Span(first, first + timedelta(days=6), exact=False)
        if unit == "year":
            return _Span(date(at.year + 1, 1, 1), date(at.year + 1, 12, 31), exact=False)
        size = 3 if unit == "quarter" else 1
        month = (at.month - 1) // size * size + 1 + size
        return _of_months(at.year + (month > 12), month - 12 * (month > 12), size)

    return read


def _of_weekday(match: re.Match[str], at: date, english: bool) -> _Span | None:
    if match.groupdict().get("number"):
        return _of_number(match, at, english)
    number = _WEEKDAYS.get(match["weekday"], _SHORT_WEEKDAYS.get(match["weekday"], 0))
    day = at + timedelta(days=(number - at.weekday() - 1) % 7 + 1)
    return _Span(day, day)


def _of_number(match: re.Match[str], at: date, english: bool) -> _Span | None:
    """Read "the 20th": of this month, else of the next that has one."""
    months = ((at.year + (at.month - 1 + more) // 12, (at.month - 1 + more) % 12 + 1) for more in range(3))
    days = (_day(year, month, int(match["number"])) for year, month in months)
    day = next((one for one in days if one and one > at), None)
    return _Span(day, day) if day else None


def _of_tomorrow(match: re.Match[str], at: date, english: bool) -> _Span | None:
    return _Span(day := at + timedelta(days=1), day)


_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_Reader = Callable[[re.Match[str], date, bool], _Span | None]
_READERS: list[tuple[re.Pattern[str], _Reader]] = [
    (re.compile(pattern), read)
    for pattern, read in (
        (r"\b(?P<year>20\d\d)-(?P<month>0?[1-9]|1[0-2])-" + _DAY + r"\b", _of_day),
        (
            rf"\b(?P<name>{_ENGLISH_MONTH})\.? (?P<range>\d\d?)(?:st|nd|rd|th)? ?(?:-|–|to|through"
            rf"|thru|until|till|bis) ?(?:the )?{_DAY}"
            rf"(?:st|nd|rd|th)?\b(?! (?:{_MONTH})\b)(?:,? (?P<year>20\d\d)\b)?",
            _of_day,
        ),
        (
            rf"\b{_DAY}(?:st|nd|rd|th|er|º|o|\.)? ?(?:of |de |di |del |d'"
            rf"|den )?(?P<name>{_MONTH})\b\.?(?:,? ?(?:de |del )?(?P<year>20\d\d)\b)?",
            _of_day,
        ),
        (rf"\b(?P<name>{_ENGLISH_MONTH})\.? {_DAY}(?:st|nd|rd|th)?\b(?![:.]\d|%)(?:,? (?P<year>20\d\d)\b)?", _of_day),
        (r"(?<![\w.,#/-])" + _DAY + r"\. ?(?P<month>0?[1-9]|1[0-2])\.(?: ?(?P<year>20\d\d|\d\d\b))?(?!\d)", _of_day),
        (r"(?<![\w.,#/-])" + _DAY + r"\.(?P<month>0[1-9]|1[0-2])(?:\.(?P<year>20\d\d|\d\d))?\b(?!\.?\d)", _of_day),
        (r"(?<![\w.,#/-])" + _DAY + r"-(?P<month>0?[1-9]|1[0-2])-(?P<year>20\d\d)\b", _of_day),
        (r"(?<![\d/])(?!24/7)(?P<one>\d{1,2})/(?P<two>\d{1,2})(?:/(?P<year>20\d\d|\d\d))?(?![\d/])", _of_slashes),
        (
            rf"\b(?:the |im |das |dem |le |au |el |il |nel |het |no |o |w "
            rf"|i )?(?:{_ORDINAL})(?: (?:{_QUARTER_WORD}))\b{_YEAR}",
            _of_quarter,
        ),
        (rf"\b[qtk](?:(?P<o1>1)|(?P<o2>2)|(?P<o3>3)|(?P<o4>4))\b{_YEAR}", _of_quarter),
        (rf"\b(?:{_ORDINAL}) (?:{_HALF_WORD})\b{_YEAR}", _of_half),
        (rf"\bh(?:(?P<o1>1)|(?P<o2>2))\b{_YEAR}", _of_half),
        (rf"\b{_PART}(?P<name>{_MONTH})\b{_YEAR}", _of_month),
        (
            rf"\b(?:{_BEFORE_MONTH})(?: (?:the|el|le|den|em|o))? (?:month of |mes de "
            rf"|mois de )?(?P<name>{_LONG_MONTH})\b(?! \d{{1,2}}\b){_YEAR}",
            _of_month,
        ),
        (
            rf"\b(?:in|until|till|by|im|bis|en|em) (?P<name>jan|feb|mar|apr|jun|jul|aug|sept?|oct"
            rf"|okt|nov|dec|dez|dic)\b{_YEAR}",
            _of_month,
        ),
        (rf"\b(?P<name>{_MONTH}) (?P<year>20\d\d)\b", _of_month),
        (_next(_WEEK_WORD), _next_period("week")),
        (_next(_MONTH_WORD), _next_period("month")),
        (_next(_QUARTER_WORD), _next_period("quarter")),
        (_NEW_YEAR, _fixed((1, 1))),
        (_NEXT_YEAR, _next_period("year")),
        (
            r"\b(?:end of (?:the |this )?year|later (?:this|in the) year|jahresende|ende (?:des"
            r"|dieses) jahres|fin d'annee"
            r"|fin(?:ales)? de(?: este)? ano|fine (?:dell')?anno|eind(?:e)? van het jaar|fi(?:m"
            r"|nal) do ano|kon(?:iec|cu|ca) roku)\b",
            _of_year_end,
        ),
        (
            r"\b(?:half a year|ein(?:em)? halbe[ns]? jahr|six mois|medio ano|sei mesi|half jaar"
            r"|meio ano|pol roku|ett halvar|et halvt ar)\b",
            _of_half_a_year,
        ),
        (
            rf"\b(?:{_IN}) (?:(?:a|an|un|une|um|uma|een|ein|ett|et) )?(?P<count>{_COUNT})(?: ?(?:-"
            rf"|–|to|or|bis|ou|o|a|of) ?\d{{1,2}})?"
            rf" (?:of |de |di )?(?:more )?{_UNIT}\b",
            _of_span,
        ),
        (
            rf"\b(?P<count>{_COUNT})(?: of)? {_UNIT}'? (?:from now|time|later|hence|spater|plus tard|mas tarde|out)\b",
            _of_span,
        ),
        (rf"\b{_AFTER} (?:{_SUMMER_BREAK})\b", _fixed((9, 1))),
        (r"\ba la rentree\b|\bnach der sommerpause\b", _fixed((9, 1))),
        (rf"\b{_AFTER} (?:{_YEAR_END})", _fixed((1, 7))),
        (rf"\b{_AFTER} (?:{_EASTER})\b", _fixed((4, 26))),
        (rf"\b{_AFTER} (?:carnaval|carnival)\b", _fixed((3, 10))),
        (rf"\b{_AFTER} thanksgiving\b", _fixed((12, 1))),
        (rf"\b{_AFTER} (?:{_BREAK})\b", _fixed((9, 1), (1, 7))),
        (
            rf"\b(?:{_BEFORE_MONTH}|au|im|al|zum|next|this|coming|i|wiosna|jesienia)(?: (?:the"
            rf"|next|coming|das|den|dem|het|de|la|el|il|l'|o|a|no))? ?(?:{_SEASON})\b{_YEAR}",
            _of_season,
        ),
        (
            r"\b(?:in|until|till|for|to|bis|en|em|nel|w|im|tot|i|fur|para|ate|hasta|pour|jusqu'en"
            r"|before|of) (?P<year>20\d\d)\b",
            _of_year,
        ),
        (
            rf"\b(?P<weekday>{_WEEKDAY})\b(?!,? *(?:den |le |el |the |o |dia |am "
            rf"|d\. )?\0)\.?(?:,? (?:den |the |dia |le |el )?(?P<number>[12]\d|3[01]|0?[1-9])(?:st"
            rf"|nd|rd|th|\.)?(?![\d:/]| ?(?:am|pm|h|uhr|o'clock)))?",
            _of_weekday,
        ),
        (rf"\b(?:until|till|back|by|next|back on) (?P<weekday>{'|'.join(_SHORT_WEEKDAYS)})\b", _of_weekday),
        (r"\b(?:tomorrow|morgen(?! fruh)|demain|manana|domani|amanha|jutro|imorgon|i morgen)\b", _of_tomorrow),
        (
            r"\b(?:until|till|by|back|on|til|au|le|el|al|bis|am|zum|dia|den|op|tot|do|dnia|ate"
            r"|hasta|para)(?: (?:the|zum|el|al|dia|o|den|dem))*"
            r" (?P<number>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.)?(?: (?:del|of the) (?:mese|mes"
            r"|month))?(?![\d:/%€$]|[.,]\d| ?(?:am|pm|h|uhr|o'clock|\w{3,}|\0))",
            _of_number,
        ),
    )
]
