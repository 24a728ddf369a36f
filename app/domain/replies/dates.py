"""Dates in a text of any language: "16 March", "12月14日", "in two weeks", "Q3", "after the summer". No model.

Words are compared without accents; they stand in `languages/dates.toml`. A period (a month, a quarter, "next year") is
known by its first and last day.
Seasons begin as in meteorology: spring on 1 March, summer on 1 June, autumn on 1 September, winter on 1 December.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from app.domain.replies import words
from app.domain.replies.words import fold, shared

HALF_A_YEAR = timedelta(days=183)
EITHER = timedelta(days=45)  # 3/4 is read as the later of its two possible days if they are at most this far apart


@dataclass(frozen=True)
class DateWords:
    """A day or a period named in a text, and where in the text it stands."""

    first: date
    last: date
    exact: bool = True  # a day, not a month or "in a few weeks"
    year: bool = False  # whether the text names the year
    inclusive: bool = False  # the last day of a range, such as the 20th in "12-20 October"
    begin: int = 0
    end: int = 0


_Reader = Callable[[re.Match[str], date, bool], DateWords | None]  # of match, the text's day, whether it is English


def alternatives(table: str, name: str) -> str:
    """Return the lines of a data file's entry, joined as alternatives of a regular expression."""
    return words.alternatives("dates", table, name)


def _terms(name: str) -> str:
    return alternatives("words", name)


def _numbered(table: str) -> dict[str, int]:
    """Return the number of each word of a table whose keys are numbers."""
    return {
        word.replace("_", " "): int(number)
        for number, names in shared("dates")[table].items()
        for word in fold(names).split()
    }


def _any_of(names: Mapping[str, int] | list[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_MONTHS, _WEEKDAYS, _COUNTS = _numbered("months"), _numbered("weekdays"), _numbered("counts")
_WEEKDAYS = {name: number - 1 for name, number in _WEEKDAYS.items()}
_MONTH, _WEEKDAY = _any_of(_MONTHS), _any_of(_WEEKDAYS)
_MONTH_FIRST_NAME = _any_of(fold(shared("dates")["month_first"]["names"]).split())
_SHORT_WEEKDAYS = {name[:3]: number for name, number in _WEEKDAYS.items() if name.endswith("day")}
_LONG_MONTH = _any_of([name for name in _MONTHS if (len(name) > 3 and name != "mail") or name in "may mai mei maj"])
_COUNT = r"\d{1,2}|" + _any_of(_COUNTS)
_DAY_WORDS = [(re.compile(alternatives("day_words", number)), int(number)) for number in shared("dates")["day_words"]]
_IN_WORDS = "|".join(alternatives("day_words", str(number)) for number in range(31, 0, -1))
_DAY_WORD, _WEEK_WORD, _MONTH_WORD, _QUARTER_WORD, _HALF_WORD, _YEAR_WORD = (
    alternatives("units", name) for name in ("day", "week", "month", "quarter", "half", "year")
)
_UNIT = rf"(?:(?P<days>{_DAY_WORD})|(?P<weeks>{_WEEK_WORD})|(?P<months>{_MONTH_WORD})|(?P<years>{_YEAR_WORD}))"


def _next(unit: str) -> str:
    afterwards = rf"(?:{unit}) (?:{_terms('afterwards')})"
    return (
        rf"\b(?:(?:{_terms('next')}) (?:{unit})|(?:l'|la |le |el |il |a |o )?(?:prochaine? (?:{unit})|{afterwards}))\b"
    )


_NEXT_YEAR = rf"(?:{_next(_YEAR_WORD)}|(?:l'an(?:nee)? prochaine?)|volgend jaar)"
_YEAR = (
    rf"(?:,? ?(?:(?:of|de|del|di|van|im|in) )?(?P<year>20\d\d)\b|,? (?:of |in |des |de "
    rf"|del |dell'|van |do |no |im )?(?P<following>{_NEXT_YEAR}))?"
)
_COMING = f"(?:{_terms('coming')}|prochaine?s)"  # "the next three weeks" last through their last day
_AFTER = rf"(?:{_terms('after')})(?: (?:{_terms('mine')}))?"  # "after the summer"
_PART = (
    rf"(?:the )?(?:(?P<early>{_terms('early')})|(?P<middle>{_terms('middle')})|(?P<late>{_terms('late')}))"
    r"[ -]?(?:of |di |de |d')?"
)
# A month without a day needs a word that makes it one: "may", "mars" and "Marco" are words and names too.
_MONTH_ARTICLE = f"(?:(?:{_terms('month_article')}) )?(?:(?:{_terms('month_of')}) )?"
_ORDINAL = "|".join(f"(?P<o{number}>{alternatives('ordinals', number)})" for number in "1234")
_SEASON = "|".join(f"(?P<s{number}>{alternatives('seasons', str(number))})" for number in (3, 6, 9, 12))


def find(text: str, at: date) -> list[DateWords]:
    """Return the days and periods that a text names, in the order of the text; those of the past as well."""
    left = _ADDRESS.sub(lambda match: "\0" * len(match[0]), fold(text))
    found = []
    english = bool(_ENGLISH.search(left))
    for pattern, read in _compiled():
        taken = []
        for match in pattern.finditer(left):
            named = read(match, at, english)
            if named is not None:
                begin, end = match.span()
                low, joined = max(0, begin - 40), begin + len(match[0].partition(" ")[0])  # "to" in "to November"
                ranged = _RANGE.search(left, low, begin) or _RANGE.search(left, low, joined)
                ends = named.inclusive or bool(ranged or _INCLUDED.match(left, end))
                found.append(replace(named, begin=begin, end=end, inclusive=ends))
                taken.append((begin, end))
        for begin, end in taken:
            left = left[:begin] + "\0" * (end - begin) + left[end:]
    return sorted(found, key=lambda named: named.begin)


@cache
def _compiled() -> list[tuple[re.Pattern[str], _Reader]]:
    """Compile the patterns when the first text is read: compiling at import would be a tenth of the start-up time."""
    return [(re.compile(pattern), read) for pattern, read in _READERS]


_ENGLISH = re.compile(r"\b(?:the|will|am|is|are|i'm|i'll|and|back|until|out|from|of|to|returning)\b")
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_ADDRESS = re.compile(r"(?<!\S)\S+@\S+|https?://\S+")
_MONTH_FIRST = re.compile(r"(?<![\d/])\d{1,2}/(?:1[3-9]|2\d|3[01])(?:/(?:20)?\d\d)?(?![\d/])")
_DAY_FIRST = re.compile(r"(?<![\d/])(?:1[3-9]|2\d|3[01])/\d{1,2}(?:/(?:20)?\d\d)?(?![\d/])")
_RANGE = re.compile(
    rf"(?:(?:\0|{_MONTH}|[月월]|\d(?:st|nd|rd|th|er|\.)?)(?:\(.\))? ?(?:{_terms('range')})|\b(?:{_terms('through')}))"
    rf" ?(?:(?:the|den|el|il|le|dem|o) )?(?:(?:{_WEEKDAY}),? ?)?(?:den )?$"
    rf"|\b(?:{_terms('between')})\b[^\n]{{0,24}} (?:{_terms('and')}) ?(?:\w{{1,3}} )?$"
)
_UNTIL_WEEK = re.compile(rf"\b(?:{_terms('until_week')})\b[^.,\n]{{0,20}}$")
_INCLUDED = re.compile(rf"(?:,? ?\(?|\(.\)|に?)(?:{alternatives('marks', 'included')})")


def _year_of(match: re.Match[str], at: date) -> int | None:
    parts = match.groupdict()
    if parts.get("year"):
        year = int(parts["year"])
        return year + 2000 if year < 100 else year - 543 if year > 2500 else year  # Thailand counts from Buddha
    return at.year + 1 if parts.get("following") else None


def _day(*numbers: int, of: Callable[[int, int, int], date] = date) -> date | None:
    try:
        return of(*numbers)
    except ValueError:
        return None


def _number_in(word: str) -> int:
    """Return the day of a month that figures or an ordinal name."""
    return int(word) if word.isdigit() else next(number for told, number in _DAY_WORDS if told.fullmatch(word))


def _coming(month: int, day: int, at: date) -> date | None:
    """Return the next date with this month and day: in this year, else in the next."""
    this, following = _day(at.year, month, day), _day(at.year + 1, month, day)
    return this if this and this >= at else following


def _of_day(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    parts = match.groupdict()
    month = _MONTHS[parts["name"]] if parts.get("name") else int(parts["month"])
    year = _year_of(match, at)
    number = _number_in(parts["day"])
    day = _day(year, month, number) if year else _coming(month, number, at)
    return DateWords(day, day, year=bool(year), inclusive="range" in parts) if day else None


def _of_slashes(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    """Read 3/4 in the order the text shows; in English, with two orders, the nearer day, of two near ones the later."""
    one, two, year = int(match["one"]), int(match["two"]), _year_of(match, at)
    text = match.string
    month_first, day_first = bool(_MONTH_FIRST.search(text)), bool(_DAY_FIRST.search(text))
    month_first = month_first or bool(_EAST_ASIAN.search(text))
    orders = [] if day_first and not month_first else [(one, two)] if english or month_first else []
    orders += [] if month_first and not day_first else [(two, one)]
    days = [day for order in orders if (day := _day(year, *order) if year else _coming(*order, at))]
    near = [day for day in days if at < day <= at + HALF_A_YEAR]
    day = min(near) if near else min(days, default=None)
    if day and max(days) <= day + EITHER:  # both days are near each other, so either may be meant
        day = max(days)
    return DateWords(day, day, year=bool(year)) if day else None


def _month_end(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _of_months(year: int, month: int, count: int) -> DateWords:
    return DateWords(date(year, month, 1), _month_end(year, month + count - 1), exact=False)


def _coming_months(first: int, count: int, year: int | None, at: date) -> DateWords:
    """Return these months of the given year, or without a year the next such months to come."""
    span = _of_months(year or at.year, first, count)
    return span if year or span.first > at else _of_months(at.year + 1, first, count)


def _part_of(span: DateWords, match: re.Match[str]) -> DateWords:
    """Narrow a month to its beginning, middle or end."""
    begin, end = next((days for name, days in _PARTS.items() if match.groupdict().get(name)), (1, 0))
    last = span.first.replace(day=end) if end else span.last
    return DateWords(span.first.replace(day=begin), last, exact=False, year=span.year)


def _of_month(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    parts = match.groupdict()
    month, year = _MONTHS[parts["name"]] if parts.get("name") else int(parts["month"]), _year_of(match, at)
    span = _of_months(year or at.year, month, 1)
    if not year and _part_of(span, match).first <= at:
        span = _of_months(at.year + 1, month, 1)
    return _part_of(span, match)


def _of_part(size: int) -> _Reader:
    def read(match: re.Match[str], at: date, english: bool) -> DateWords | None:
        number, year = _number(match, "o"), _year_of(match, at)
        return _coming_months((number - 1) * size + 1, size, year, at) if number * size <= 12 else None

    return read


def _number(match: re.Match[str], prefix: str) -> int:
    found = (name for name, told in match.groupdict().items() if told and re.fullmatch(rf"{prefix}\d+", name))
    return int(next(found)[1:])


def _of_season(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    month = _number(match, "s")
    return _coming_months(month, 3 if month < 12 else 1, _year_of(match, at), at)


def _on(later: Callable[[date], date], exact: bool = True) -> _Reader:
    return lambda match, at, english: DateWords(later(at), later(at), exact=exact)


def _fixed(*days: tuple[int, int]) -> _Reader:
    def later(at: date) -> date:
        return min(one for more in (0, 1) for day in days if (one := date(at.year + more, *day)) > at)

    return _on(later, exact=False)


def _of_year(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    year = int(match["year"])
    soon = at.year < year < at.year + 6
    return DateWords(date(year, 1, 1), date(year, 12, 31), exact=False, year=True) if soon else None


def _of_span(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    parts = match.groupdict()
    told = parts["count"] or "1"
    count = int(told) if told.isdigit() else _COUNTS[told]
    exact = not re.search(_terms("few"), told)
    if parts["days"] or parts["weeks"]:
        day = at + timedelta(days=count * (7 if parts["weeks"] else 1))
    else:
        day = _months_later(at, count * (12 if parts["years"] else 1))
    return DateWords(day, day, exact=exact, year=True, inclusive=bool(re.search(rf"\b{_COMING}\b", match[0])))


def _of_week_number(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    """Read "KW 38": of this year, else the coming one of the next; "until week 38" is through its Sunday."""
    first, last = int(match["number"]), int(match["last"] or match["number"])
    inclusive = bool(_UNTIL_WEEK.search(match.string, max(0, match.start() - 40), match.start()))
    for year in (at.year, at.year + 1):
        begin, end = (_day(year, *one, of=date.fromisocalendar) for one in ((first, 1), (last, 7)))
        if begin and end and at < end and begin <= at + HALF_A_YEAR:
            return DateWords(begin, end, inclusive=inclusive)
    return None


def _months_later(at: date, months: int) -> date:
    year, month = at.year + (at.month - 1 + months) // 12, (at.month - 1 + months) % 12 + 1
    return date(year, month, min(at.day, _month_end(year, month).day))


def _next_period(unit: str) -> _Reader:
    def read(match: re.Match[str], at: date, english: bool) -> DateWords | None:
        if unit == "week":
            first = at + timedelta(days=7 - at.weekday())
            return DateWords(first, first + timedelta(days=6), exact=False)
        if unit == "year":
            return DateWords(date(at.year + 1, 1, 1), date(at.year + 1, 12, 31), exact=False)
        size = 3 if unit == "quarter" else 1
        month = (at.month - 1) // size * size + 1 + size
        return _of_months(at.year + (month > 12), month - 12 * (month > 12), size)

    return read


def _of_weekday(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    if match.groupdict().get("number"):
        return _of_number(match, at, english)
    number = _WEEKDAYS.get(match["weekday"], _SHORT_WEEKDAYS.get(match["weekday"], 0))
    day = at + timedelta(days=(number - at.weekday() - 1) % 7 + 1)
    return DateWords(day, day)


def _of_east_asian_weekday(match: re.Match[str], at: date, english: bool) -> DateWords:
    number = next(days.index(match["day"]) for days in _EAST_ASIAN_DAYS if match["day"] in days) % 7
    after = at + timedelta(days=6 - at.weekday()) if match["next"] else at
    day = after + timedelta(days=(number - after.weekday() - 1) % 7 + 1)
    return DateWords(day, day)


def _of_number(match: re.Match[str], at: date, english: bool) -> DateWords | None:
    """Read "the 20th": of this month, else of the next that has one."""
    months = ((at.year + (at.month - 1 + more) // 12, (at.month - 1 + more) % 12 + 1) for more in range(3))
    days = (_day(year, month, _number_in(match["number"])) for year, month in months)
    day = next((one for one in days if one and one > at), None)
    return DateWords(day, day) if day else None


_FEASTS = shared("dates")["feasts"]  # and the days on which people are back after them
_PARTS = {"early": (1, 10), "middle": (15, 20), "late": (25, 0)}  # of a month: their first and last days
_EAST_ASIAN_DAYS = ("月火水木金土日", "一二三四五六日", "一二三四五六天", "월화수목금토일")
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])"
_TH, _OF = "st|nd|rd|th", "(?:of |de |di |del |d'|den |ב-?)?"
_IN_YEAR = r"(?:,? ?(?:de |del )?(?P<year>2[05]\d\d)\b)?"
_BEFORE_MONTH, _BEFORE_DAY = _terms("before_month"), rf"\b(?:{_terms('before_day')})(?: (?:{_terms('day_article')}))*"
_APART = r"(?<![\w.,#/])(?<![^\d.]-)"  # a hyphen may stand between two days: "30.07-17.08"
_READERS: tuple[tuple[str, _Reader], ...] = (
    (r"(?P<year>20\d\d) ?[年년] ?(?P<month>1[0-2]|0?[1-9]) ?[月월] ?" + _DAY + r" ?[日号號일]", _of_day),
    (r"(?P<month>1[0-2]|0?[1-9]) ?[月월] ?" + _DAY + r" ?[日号號일]", _of_day),
    (r"(?:(?P<year>20\d\d) ?[年년] ?)?(?<!\d)(?P<month>1[0-2]|0?[1-9]) ?[月월](?! ?[\d上中下]|[후뒤])", _of_month),
    (rf"(?P<number>[12]\d|3[01]|0?[1-9])\.? ?(?:{_terms('day_mark')})", _of_number),
    (
        r"(?P<next>来週の?|下(?:个|個)?(?=[周週星])|다음 ?주 ?)?(?:周|週|星期|礼拜)?"
        r"(?P<day>[月火水木金土日](?=曜)|(?<=[周週期拜])[一二三四五六日天]|[월화수목금토일](?=요일))",
        _of_east_asian_weekday,
    ),
    (r"\b(?P<year>20\d\d)(?P<mark>[-./]) ?(?P<month>0?[1-9]|1[0-2])(?P=mark) ?" + _DAY + r"(?!\d)", _of_day),
    (r"\b" + _DAY + r" (?:thang|thg) (?P<month>1[0-2]|0?[1-9])\b(?:,? (?:nam )?(?P<year>20\d\d)\b)?", _of_day),
    (rf"\b(?P<year>20\d\d)\. ?(?P<name>{_MONTH_FIRST_NAME}) {_DAY}\b", _of_day),
    (
        rf"\b(?P<name>{_MONTH_FIRST_NAME})\.? (?P<range>\d\d?)(?:st|nd|rd|th)? ?(?:-|–|to|through"
        rf"|thru|until|till|bis) ?(?:the )?{_DAY}"
        rf"(?:st|nd|rd|th)?\b(?! (?:{_MONTH})\b)(?:,? (?P<year>20\d\d)\b)?",
        _of_day,
    ),
    (rf"\b{_DAY}(?:{_TH}|er|º|o|\.|-?(?:го|та|ого))? ?{_OF}(?P<name>{_MONTH})(?!\w)\.?{_IN_YEAR}", _of_day),
    (rf"\b(?P<name>{_MONTH_FIRST_NAME})\.? {_DAY}(?:{_TH})?\b(?![:.]\d|%)(?:,? (?P<year>20\d\d)\b)?", _of_day),
    (rf"\b(?P<day>{_IN_WORDS}) {_OF}(?P<name>{_MONTH})(?!\w)\.?{_IN_YEAR}", _of_day),
    (_APART + r"(?P<range>\d\d?)\.\d\d? ?[-–] ?" + _DAY + r"\.(?P<month>1[0-2]|0?[1-9])(?![\d.])", _of_day),
    (_APART + _DAY + r"\. ?(?P<month>0?[1-9]|1[0-2])\.(?: ?(?P<year>20\d\d|\d\d\b))?(?!\d)", _of_day),
    (_APART + _DAY + r"\.(?P<month>0[1-9]|1[0-2])(?:\.(?P<year>20\d\d|\d\d))?\b(?!\.?\d)", _of_day),
    (r"(?<![\w.,#/-])" + _DAY + r"-(?P<month>0?[1-9]|1[0-2])-(?P<year>20\d\d)\b", _of_day),
    (r"(?<![\d/])(?!24/7)(?P<one>\d{1,2})/(?P<two>\d{1,2})(?:/(?P<year>20\d\d|\d\d))?(?![\d/])", _of_slashes),
    (rf"\b(?:(?:{_terms('part_article')}) )?(?:{_ORDINAL})(?: (?:{_QUARTER_WORD}))\b{_YEAR}", _of_part(3)),
    (rf"\b[qtk](?:(?P<o1>1)|(?P<o2>2)|(?P<o3>3)|(?P<o4>4))\b{_YEAR}", _of_part(3)),
    (rf"\b(?:{_ORDINAL}) (?:{_HALF_WORD})\b{_YEAR}", _of_part(6)),
    (rf"\bh(?:(?P<o1>1)|(?P<o2>2))\b{_YEAR}", _of_part(6)),
    (rf"\b{_PART}(?P<name>{_MONTH})\b{_YEAR}", _of_month),
    (rf"\b(?:{_BEFORE_MONTH}) {_MONTH_ARTICLE}(?P<name>{_LONG_MONTH})\b(?! \d{{1,2}}\b){_YEAR}", _of_month),
    (rf"\b(?:{_terms('before_short_month')}) (?P<name>{_terms('short_month')})\b{_YEAR}", _of_month),
    (rf"\b(?P<name>{_MONTH}) (?P<year>20\d\d)\b", _of_month),
    (rf"\b(?:{_terms('week_number')}) ?(?P<number>[1-5]?\d)(?: ?[-/–+&] ?(?P<last>[1-5]?\d))?\b", _of_week_number),
    (_next(_WEEK_WORD), _next_period("week")),
    (
        rf"\b(?:{_terms('this')}) (?:{_WEEK_WORD})\b",
        _on(lambda at: at + timedelta(days=7 - at.weekday()), exact=False),
    ),
    (_next(_MONTH_WORD), _next_period("month")),
    (_next(_QUARTER_WORD), _next_period("quarter")),
    (rf"\b(?:{_terms('new_year')})\b", _fixed((1, 1))),
    (_NEXT_YEAR, _next_period("year")),
    (rf"\b(?:{_terms('end_of_year')})\b", lambda match, at, english: _of_months(at.year, 12, 1)),
    (rf"\b(?:{_terms('late')}) (?P<year>20\d\d)\b", lambda match, at, english: _of_months(int(match["year"]), 12, 1)),
    (rf"\b(?:{_terms('half_a_year')})\b", _on(lambda at: _months_later(at, 6), exact=False)),
    (
        rf"\b(?:{_terms('in')}|{_COMING}) (?:(?:(?:a|an|un|une|um|uma|een|ein|ett|et) )?(?P<count>{_COUNT})(?: ?(?:-"
        rf"|–|to|or|bis|ou|o|a|of) ?\d{{1,2}})?"
        rf" (?:of |de |di )?(?:more |{_COMING} )?|(?=(?:{_terms('one')})\b)(?:o )?){_UNIT}\b",
        _of_span,
    ),
    (rf"\b(?:(?P<count>{_COUNT})(?: of)? )?{_UNIT}'? (?:{_terms('later')})\b", _of_span),
    (
        r"(?P<count>\d{1,2}|[一二两兩三四五六八九十일이삼사오]) ?[个個かヶ개]?(?:(?P<days>天|日間?|일)"
        r"|(?P<weeks>周|週間?|星期|礼拜|주일?)|(?P<months>月|월)|(?P<years>年|년))之? ?(?:后|後|후|뒤)",
        _of_span,
    ),
    *((rf"\b{_AFTER} (?:{_terms(name)})\b", _fixed(*map(tuple, days))) for name, days in _FEASTS.items()),
    (
        rf"\b(?:{_BEFORE_MONTH}|{_terms('before_season')})(?: (?:{_terms('season_article')}))?"
        rf" ?(?:{_SEASON})\b{_YEAR}",
        _of_season,
    ),
    (rf"\b(?:{_terms('before_year')}) (?P<year>20\d\d)\b", _of_year),
    (
        rf"\b(?P<weekday>{_WEEKDAY})\b(?!,? *(?:den |le |el |the |o |dia |am "
        rf"|d\. )?\0)\.?(?:,? (?:den |the |dia |le |el )?(?P<number>[12]\d|3[01]|0?[1-9])(?:st"
        rf"|nd|rd|th|\.)?(?![\d:/]| ?(?:am|pm|h|uhr|o'clock)))?",
        _of_weekday,
    ),
    (rf"\b(?:until|till|back|by|next|back on) (?P<weekday>{'|'.join(_SHORT_WEEKDAYS)})\b", _of_weekday),
    (rf"\b(?:{_terms('tomorrow')})\b", _on(lambda at: at + timedelta(days=1))),
    (
        _BEFORE_DAY + r" (?P<number>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.)?(?: (?:del|of the) (?:mese|mes"
        r"|month))?(?![\d:/%€$]|[.,]\d| ?(?:am|pm|h|uhr|o'clock|\w{3,}|\0))",
        _of_number,
    ),
    (
        rf"{_BEFORE_DAY} (?P<number>{_IN_WORDS})(?=$|[.,;!?)\n]| (?:i[nm]|{alternatives('marks', 'back')})\b)",
        _of_number,
    ),
)
