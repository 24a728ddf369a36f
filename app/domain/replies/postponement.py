"""Postponements: a reply that says "not now", and when to come back."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.domain.replies import dates, words
from app.domain.replies.dates import DateWords
from app.domain.replies.own_words import sentences

# Without a date: a quarter, as sales teams do, and the days for which a contacted person is left out of campaigns.
LATER_DEFAULT = timedelta(days=90)
MEETING_WITHIN = timedelta(days=21)  # "let's talk next week" is an appointment, "let's talk in May" a postponement
FURTHEST = timedelta(days=5 * 366)
WRONG_DAY = "Choose a day after today, within five years."
MORNING = time(8)  # the time of day, in the workspace's time zone, at which postponed things come back
READ = 2000  # characters; an answer says it at its beginning
LONGEST_SAID = 200


@dataclass(frozen=True)
class Postponement:
    """A "not now": the day to come back, the words it was read from, and whether they name that day."""

    until: date
    said: str
    named: bool


def morning_of(day: date, timezone: str) -> datetime:
    """Return the moment at which something postponed to that day comes back."""
    return datetime.combine(day, MORNING, ZoneInfo(timezone))


def may_come_back(day: date, at: datetime, timezone: str) -> bool:
    """Return whether that day can be chosen to come back on; WRONG_DAY is the message when it can't."""
    today = at.astimezone(ZoneInfo(timezone)).date()
    return today < day <= today + FURTHEST


def _any(name: str) -> str:
    return f"(?:{words.alternatives('beside', 'postponement', name)})"


_BUSY = re.compile(_any("busy"))
_DENIED = re.compile(rf"\b{_any('denied')}(?: \w+)? ?$")
_AFTER = re.compile(rf"\b{_any('after')}(?: \w+){{0,2}} ?$")
_AGAIN = re.compile(rf"\b{_any('again')}\b")


def read_own(own: str, at: datetime) -> Postponement | None:
    """Return the postponement that a person's own words ask for; None when they ask for none."""
    own = own[:READ]
    small, today, languages = words.fold(own), at.date(), words.likely(own)
    days = _coming(own, today)
    refused = words.search("postponement", "never", small, languages) is not None
    parts = sentences(own)
    best: tuple[int, DateWords | None, tuple[int, int]] | None = None
    for index, (begin, end) in enumerate(parts):
        near = [one for one in days if begin <= one.begin < end]
        around = [one for low, high in parts[max(0, index - 1) : index + 2] for one in days if low <= one.begin < high]
        choice = _choice(small, (begin, end), (near, around), languages, today, refused)
        if choice and (best is None or choice[0] > best[0]):
            best = (*choice, (begin, end))
    if best is None:
        return None
    _, named, (begin, end) = best
    if named is not None:
        begin, end = min(begin, named.begin), max(end, named.end)
    until = named.first if named else today + LATER_DEFAULT
    return Postponement(until, " ".join(own[begin:end].split())[:LONGEST_SAID], named is not None)


def until_the_day(sentence: str, at: datetime) -> Postponement | None:
    """Return the day that a sentence names as the first on which we may write again: "not before Tuesday"."""
    today = at.date()
    days = [named.last + timedelta(days=1) if named.inclusive else named.first for named in _coming(sentence, today)]
    return Postponement(max(days), " ".join(sentence.split())[:LONGEST_SAID], True) if days else None


def _coming(text: str, today: date) -> list[DateWords]:
    return [named for named in dates.find(text, today) if today < named.first <= today + FURTHEST]


def _choice(
    small: str,
    place: tuple[int, int],
    days: tuple[list[DateWords], list[DateWords]],
    languages: list[str],
    today: date,
    refused: bool,
) -> tuple[int, DateWords | None] | None:
    """Return how surely a sentence postpones, and to which of the days in it or around it; None when it does not."""
    (begin, end), (near, around) = place, days
    sentence = small[begin:end]

    def says(name: str) -> re.Match[str] | None:
        return words.search("postponement", name, sentence, languages)

    again, not_now, come_back = bool(_AGAIN.search(sentence)), says("not_now"), says("come_back")
    if come_back and _DENIED.search(sentence[: come_back.start()]):
        come_back = None
    late = [one for one in (around if again else near) if _is_late(one, small, today)]
    if come_back and near:
        return 4, next((one for one in near if one.begin >= begin + come_back.start()), near[-1])
    if late and says("talk"):
        return 3, late[0]
    if (near and not_now and not _is_busy_till(not_now[0], near, today)) or (
        near and says("not_until") and near[-1].first - today >= MEETING_WITHIN
    ):
        return 3, near[-1]
    if around and come_back and again:
        return 3, around[-1]
    if not refused and ((not_now and (come_back or not _BUSY.search(not_now[0]))) or (come_back and again)):
        return 1, None
    return None


def _is_late(named: DateWords, small: str, today: date) -> bool:
    """Return whether the day is too late to be an appointment: weeks away, or named as "after …"."""
    return named.first - today >= MEETING_WITHIN or bool(_AFTER.search(small[: named.begin]))


def _is_busy_till(said_: str, near: list[DateWords], today: date) -> bool:
    return bool(_BUSY.search(said_)) and max(named.first for named in near) <= today + timedelta(days=8)
