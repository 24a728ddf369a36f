"""Absences: which letters say that a person is away, and the day on which they are back."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache

from app.domain.replies import dates, words
from app.domain.replies.dates import DateWords

AWAY_DEFAULT = timedelta(days=14)
LONGEST_ABSENCE = timedelta(days=400)  # a year of parental leave, and a little
READ = 5000  # characters of a note that are read for dates
BEGINNING = 500  # characters in which a note says that it is one
NEAR_BEGINNING = 40  # characters before "automatic reply" in a note that says no more
_QUESTION = re.compile(r"(?<![^.!?？\n])[^.!?？\n]*[?？]")
_URGENT = re.compile(words.alternatives("beside", "absence", "urgent"))
_SENTENCE = (". ", "! ", "\n", "。", "；")


def is_note(text: str) -> bool:
    """Return whether a text says that its writer is away, not a reply that mentions a holiday."""
    compared = words.squeezed(text[:READ])
    among = [one.name for one in words.spoken_in(text)]
    notice = words.search("away", "notice", compared, among)
    begins = notice is not None and notice.start() < NEAR_BEGINNING
    away = says_away(text)
    denied = words.search("away", "isnt", compared, among) or is_from_a_person(text, among)
    return (begins and away) or ((begins or away) and not denied)


def says_away(text: str) -> bool:
    """Return whether the beginning of a text has words of an absence."""
    beginning = words.squeezed(text[:READ])[:BEGINNING]
    return any(one.says("away", "is", beginning) for one in words.spoken_in(text))


def is_from_a_person(text: str, among: Sequence[str]) -> bool:
    """Return whether the writer asks something or proposes a next step: such a writer reads mail, even when away."""
    small = words.fold(text[:READ])
    asks = any(not _URGENT.search(found[0]) for found in _QUESTION.finditer(small))
    return asks or words.search("person", "is", small, among) is not None


def back(text: str, at: datetime) -> datetime | None:
    """Return when the person is back: the day named for the return, else the end of the absence; None without a day.

    Of several days, those next to a word of return ("back on") come first, then those after "until", then the others;
    of equals the latest counts. After the last day of a range the person is back on the next day.
    """
    small, today = words.fold(text[:READ]), at.date()
    found = dates.find(small, today)
    best: tuple[int, date] | None = None
    for index, named in enumerate(found):
        after = found[index + 1].begin if index + 1 < len(found) else len(small)
        before = found[index - 1].end if index else 0
        day, rank = _return_day(named, small), _rank(named, small, before, after)
        limit = LONGEST_ABSENCE if named.year or (rank > 1 and not named.exact) else dates.HALF_A_YEAR
        if today < day <= today + limit and (named.exact or rank) and (best is None or (rank, day) > best):
            best = (rank, day)
    return datetime.combine(best[1], time(8), UTC) if best else None


def _return_day(named: DateWords, text: str) -> date:
    late = named.last > named.first and re.match(r"late|end|fin|kon|slu", text[named.begin : named.end])
    return named.last + timedelta(days=1) if named.inclusive or late else named.first


@cache
def _mark(name: str) -> str:
    lines = dates.alternatives("marks", name).split("|")
    return "|".join(rf"\b{line}" if re.match(r"[a-z\u0370-\u04ff(]", line) else line for line in lines)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    back_, until, from_ = _mark("back"), _mark("until"), _mark("from")
    return {
        "back": re.compile(rf"(?:{back_})"),
        "until": re.compile(rf"(?:{until})[^.\n]{{0,16}}$"),
        "until_after": re.compile(rf"['’-]?\w{{0,3}} ?(?:{until})"),
        "from": re.compile(rf"(?:{from_})(?![a-z])(?: (?:the|den|el|il|dia|o))?,? ?(?:[a-z-]+,? )?$"),
        "on": re.compile(r" ?(?:to|until|till|bis|au|al|hasta|tot|a|ate|do|till|til|-|–|~|～|po|по|do)"),
    }


def _rank(named: DateWords, text: str, since: int, until: int) -> int:
    """Return how surely it is the day of return: 3 near a word of return, 2 after "until", -1 for a first day away."""
    known = _patterns()
    sentence = max(text.rfind(mark, 0, named.begin) for mark in _SENTENCE) + 1
    before = text[max(sentence, named.begin - 60) : named.begin]
    after = re.split(r"[.!\n。;]", text[named.end : min(named.end + 40, until)], maxsplit=1)[0]
    said_before = text[max(sentence, since, named.begin - 60) : named.begin]
    earlier, comma, beside = said_before.partition(",")
    if since and comma and known["back"].search(earlier):
        before = beside  # the word of return stands with the day before: "back from the 14th, until the 30th rarely"
    returns = known["back"].search(before)
    own = text[named.begin : named.end].partition(" ")[0]  # "from" in "from September"
    if (known["from"].search(said_before) or known["from"].match(f"{own} ")) and not returns:
        return -1 if known["on"].match(after) else 0 if not known["back"].search(after) else 3
    if returns or known["back"].search(re.split(r"[,、，]", after, maxsplit=1)[0]):
        return 3
    if known["until"].search(said_before + text[named.begin : named.end][:8]) or known["until"].search(before):
        return 2
    return 2 if known["until_after"].match(after) else 1
