"""Working hours of campaigns and senders: when something may happen, and when they next open. Pure.

Hours are local wall time. When clocks go forward the hour that is skipped is in no window; when they go back the hour
that comes twice is in its window both times.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from app.domain.rules.schedules import places, public_holidays

HORIZON = 43  # days looked ahead, without closures: a weekly window opens in one of six weeks in spite of holidays
MIDNIGHT = "00:00"
EVERY_DAY = (1, 2, 3, 4, 5, 6, 7)
_DAY = timedelta(days=1)


class Span(NamedTuple):
    """Hours on ISO weekdays (1 Monday – 7 Sunday) from `start` to `end`; over midnight when `end` is not later."""

    days: tuple[int, ...]
    start: str
    end: str


class Closure(NamedTuple):
    """Days on which nothing happens, the first and the last included: a code of `reasons`, and their name."""

    first: date
    last: date
    code: str
    name: str


@dataclass(frozen=True)
class Window:
    """When something may happen, in local time of `timezone`.

    Weekly hours, of which `days`, `start` and `end` say all unless there are `spans`; less the days of `closures` and
    the public holidays of `region`. A window over midnight belongs to the day it begins, and ends before a closed day.
    """

    timezone: str
    days: tuple[int, ...]
    start: str
    end: str
    spans: tuple[Span, ...] = ()
    closures: tuple[Closure, ...] = ()
    region: str = ""
    # Computed once, because windows are keys of caches.
    hashed: int = field(default=0, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = (self.timezone, self.days, self.start, self.end, self.spans, self.closures, self.region)
        object.__setattr__(self, "hashed", hash(parts))

    def __hash__(self) -> int:
        return self.hashed

    def day_of(self, at: datetime) -> date:
        """Return the local date of a time."""
        return at.astimezone(_zone(self.timezone)).date()

    def closed_on(self, day: date) -> Closure | None:
        """Return what closes that local day (a holiday, absence or blackout), whatever its hours."""
        for closure in self.closures:
            if closure.first <= day <= closure.last:
                return closure
        name = public_holidays.name(self.region, day) if self.region else ""
        return Closure(day, day, "holiday", name) if name else None


Interval = tuple[datetime, datetime]


def always(timezone: str, closures: tuple[Closure, ...] = (), region: str = "") -> Window:
    """Return a window that is open day and night, but for its closed days."""
    return Window(timezone, EVERY_DAY, MIDNIGHT, MIDNIGHT, closures=closures, region=region)


@lru_cache(maxsize=1024)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


@lru_cache(maxsize=8192)
def _offsets(timezone: str, day: date) -> tuple[tuple[timedelta, datetime, datetime], ...]:
    """Return the offsets that hold around a local day and the one after it, each from and until when."""
    zone = _zone(timezone)
    at = datetime.combine(day, time(0), UTC) - _DAY
    end = at + 5 * _DAY
    found, began, offset = [], at, _offset(zone, at)
    while at < end:
        after = at + _DAY / 4  # clocks do not change twice within six hours
        if (other := _offset(zone, after)) != offset:
            moment = _when_offset_changes(zone, at, after)
            found.append((offset, began, moment))
            began, offset = moment, other
        at = after
    return (*found, (offset, began, end))


def _offset(zone: ZoneInfo, at: datetime) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta()


def _when_offset_changes(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """Return the second, between both times, from which the zone's later offset holds."""
    offset = _offset(zone, before)
    while after - before > timedelta(seconds=1):
        middle = (before + (after - before) / 2).replace(microsecond=0)
        if _offset(zone, middle) == offset:
            before = middle
        else:
            after = middle
    return after


@lru_cache(maxsize=8192)
def hours(window: Window, day: date) -> tuple[Interval, ...]:
    """Return the hours that begin on a local day, in UTC and in order; none on a closed day."""
    spans = window.spans or (Span(window.days, window.start, window.end),)
    spans = tuple(span for span in spans if day.isoweekday() in span.days)
    if not spans or window.closed_on(day):
        return ()
    found = []
    for span in spans:
        opens = datetime.combine(day, time.fromisoformat(span.start), UTC)
        closes = datetime.combine(day, time.fromisoformat(span.end), UTC)
        if closes <= opens:
            midnight = datetime.combine(day + _DAY, time(0), UTC)
            closes = midnight if window.closed_on(day + _DAY) else closes + _DAY
        for offset, begins, ends in _offsets(window.timezone, day):  # UTC is the local time minus the offset
            interval = (max(opens - offset, begins), min(closes - offset, ends))
            if interval[0] < interval[1]:
                found.append(interval)
    return tuple(_merged(sorted(found)))


def _merged(intervals: Sequence[Interval]) -> Iterator[Interval]:
    """Yield sorted intervals; those that touch or overlap are one."""
    former: Interval | None = None
    for interval in intervals:
        if former and interval[0] <= former[1]:
            former = (former[0], max(former[1], interval[1]))
        else:
            if former:
                yield former
            former = interval
    if former:
        yield former


def open_intervals(windows: Sequence[Window], day: date) -> list[Interval]:
    """Return when all windows are open, in the hours of the first one that begin on its local day; in UTC, in order."""
    found = list(hours(windows[0], day))
    for window in windows[1:]:
        theirs = [one for ahead in range(-2, 4) for one in hours(window, day + ahead * _DAY)]
        both = [(max(a, c), min(b, d)) for a, b in found for c, d in theirs]
        found = list(_merged(sorted((a, b) for a, b in both if a < b)))
    return found


@lru_cache(maxsize=8192)
def open_within(windows: tuple[Window, ...], day: date) -> tuple[Interval, ...]:
    """Return when all windows are open from midnight to midnight of a local day of the first one; in UTC, in order."""
    begins, ends = (midnight(windows[0].timezone, one) for one in (day, day + _DAY))
    found = [*open_intervals(windows, day - _DAY), *open_intervals(windows, day)]
    return tuple(_merged([(max(a, begins), min(b, ends)) for a, b in found if a < ends and b > begins]))


def openings(window: Window, at: datetime) -> Iterator[Interval]:
    """Yield the working hours that have not ended at `at`, in order."""
    day, left = window.day_of(at) - _DAY, HORIZON + 2
    while left:
        closed = window.closed_on(day)
        if closed and closed.last > day:
            day = closed.last + _DAY
            continue
        for interval in hours(window, day):
            if interval[1] > at:
                yield interval
        day, left = day + _DAY, left - 1


def next_open(windows: Sequence[Window], at: datetime) -> datetime | None:
    """Return the first time from `at` when all windows are open; None if there is none in six weeks."""
    return _next_open(tuple(windows), at)


@lru_cache(maxsize=8192)
def _next_open(windows: tuple[Window, ...], at: datetime) -> datetime | None:
    """Cache the answer: senders with the same hours ask for the same time."""
    moment, limit = at, _limit(windows, at)
    while moment <= limit:
        latest = moment
        for window in windows:
            opening = next(openings(window, moment), None)
            if opening is None:
                return None
            latest = max(latest, opening[0])
        if latest == moment:
            return moment
        moment = latest
    return None


def _limit(windows: Sequence[Window], at: datetime) -> datetime:
    """Return until when to look for a common opening: six weeks after the last closure."""
    last = max((closure.last for window in windows for closure in window.closures), default=at.date())
    return max(at, datetime.combine(last, time(0), UTC) + 2 * _DAY) + HORIZON * _DAY


def next_close(windows: Sequence[Window], at: datetime) -> datetime:
    """Return when the first of these windows closes, all of them being open at `at`."""
    return min(next(openings(window, at))[1] for window in windows)


def closed_by(windows: Sequence[Window], at: datetime) -> tuple[int, Closure | None]:
    """Return which of these windows, not all open at `at`, is closed, and the closure that holds it closed.

    A closure counts when it is why the hours do not open again at their next usual time.
    """
    place = next((number for number, window in enumerate(windows) if next_open([window], at) != at), 0)
    usual = next_open([_weekly(window) for window in windows], at)
    if usual is not None and usual != next_open(windows, at):
        for number, window in enumerate(windows):
            if closure := window.closed_on(window.day_of(usual)):
                return number, closure
    return place, None


@lru_cache(maxsize=1024)
def _weekly(window: Window) -> Window:
    """Return the window without its closed days."""
    return Window(window.timezone, window.days, window.start, window.end, window.spans)


def next_day(window: Window, at: datetime) -> datetime:
    """Return the beginning of the next local day."""
    return midnight(window.timezone, window.day_of(at) + _DAY)


def local_day(timezone: str, at: datetime) -> tuple[date, datetime]:
    """Return the local date of a time, and when that day began."""
    day = at.astimezone(_zone(timezone)).date()
    return day, midnight(timezone, day)


def midnight(timezone: str, day: date) -> datetime:
    """Return when a local day begins."""
    return datetime.combine(day, time(0), _zone(timezone)).astimezone(UTC)


Kept = Sequence[Mapping[str, Any]] | None
NO_REGION = "none"  # a sender that keeps no public holidays


def of_campaign(campaign: Any, blackouts: Kept = None) -> Window:
    """Return a campaign's window; `blackouts` are those of its workspace."""
    spans = _spans(json.dumps(campaign.windows)) if campaign.windows else ()
    dates = [*(campaign.blackouts or ()), *(blackouts or ())]
    closed = _blackouts(json.dumps(dates)) if dates else ()
    return Window(campaign.timezone, tuple(campaign.days), campaign.start_time, campaign.end_time, spans, closed)


def of_sender(account: Any) -> Window:
    """Return a sender's window, without its public holidays, which a campaign may leave aside."""
    away = _absences(json.dumps(account.absences)) if account.absences else ()
    days = tuple(account.work_days)
    return Window(account.timezone, days, account.work_start, account.work_end, closures=away)


class HandOver(NamedTuple):
    """From when until when another sender takes the new people of one that is away."""

    begins: datetime
    ends: datetime
    to: int


def hand_overs(account: Any) -> tuple[HandOver, ...]:
    """Return when others stand in for a sender."""
    return _hand_overs(json.dumps(account.absences), account.timezone) if account.absences else ()


@lru_cache(maxsize=512)
def _hand_overs(kept: str, timezone: str) -> tuple[HandOver, ...]:
    return tuple(
        HandOver(
            midnight(timezone, date.fromisoformat(one["firstDay"])),
            midnight(timezone, date.fromisoformat(one["lastDay"]) + timedelta(days=1)),
            one["handOverTo"],
        )
        for one in json.loads(kept)
        if one["handOverTo"] is not None
    )


def region_of(account: Any) -> str:
    """Return whose public holidays a sender keeps: as it was set, else the country of its time zone."""
    if account.country == NO_REGION:
        return ""
    return account.country or places.region_of(account.timezone)


@lru_cache(maxsize=512)
def _spans(kept: str) -> tuple[Span, ...]:
    return tuple(Span(tuple(one["days"]), one["start"], one["end"]) for one in json.loads(kept))


@lru_cache(maxsize=512)
def _blackouts(kept: str) -> tuple[Closure, ...]:
    return tuple(
        Closure(date.fromisoformat(one["firstDay"]), date.fromisoformat(one["lastDay"]), "blackout", one["name"])
        for one in json.loads(kept)
    )


@lru_cache(maxsize=512)
def _absences(kept: str) -> tuple[Closure, ...]:
    return tuple(
        Closure(date.fromisoformat(one["firstDay"]), date.fromisoformat(one["lastDay"]), "sender_away", "")
        for one in json.loads(kept)
    )


def never_open(campaign: Any, senders: Iterable[Any], at: datetime) -> list[Any]:
    """Return the senders whose working hours never overlap with the campaign's, dates and absences aside."""
    window = replace(of_campaign(campaign), closures=())
    found = []
    for sender in senders:
        theirs = replace(window, timezone=sender.timezone) if campaign.recipient_time else window
        own = replace(of_sender(sender), closures=())
        if next_open([theirs, own], at) is None:
            found.append(sender)
    return found


def never_met(campaign: Any, senders: Sequence[Any], zones: Iterable[tuple[str, int]], at: datetime) -> list[str]:
    """Return what to say before a campaign starts: which senders will do nothing, and for how many people.

    `zones` counts the people of the campaign by their time zone, where it is believed.
    """
    idle = never_open(campaign, senders, at)
    sentence = "{}'s working hours never overlap with the campaign's hours{}, so this sender could never contact {}."
    said = [sentence.format(sender.name, "", "anyone") for sender in idle]
    if campaign.recipient_time:
        window = replace(of_campaign(campaign), closures=())
        for sender in senders:
            if sender in idle:
                continue
            own = replace(of_sender(sender), closures=())
            for zone, number in zones:
                if next_open([replace(window, timezone=zone), own], at) is None:
                    people = f"{number} person" if number == 1 else f"{number} people"
                    said.append(sentence.format(sender.name, f" in {zone}", people))
    return said
