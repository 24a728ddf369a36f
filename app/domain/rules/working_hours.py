"""Working hours: when something may happen, and when they next open. Pure, with daylight saving time."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

HORIZON = 15  # days looked ahead: a window that is open at all opens within a week


@dataclass(frozen=True)
class Window:
    """Weekly hours: ISO weekdays (1 Monday – 7 Sunday) from `start` to `end`, local time of `timezone`."""

    timezone: str
    days: tuple[int, ...]
    start: str
    end: str

    def day_of(self, at: datetime) -> date:
        """Return the local date of a time."""
        return at.astimezone(_zone(self.timezone)).date()


Interval = tuple[datetime, datetime]


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


@lru_cache(maxsize=4096)
def hours(window: Window, day: date) -> Interval | None:
    """Return the day's working hours in UTC; None on a day off. The gap of a clock change is never inside."""
    if day.isoweekday() not in window.days:
        return None
    zone = _zone(window.timezone)
    opens = datetime.combine(day, time.fromisoformat(window.start), zone).astimezone(UTC)
    closes = datetime.combine(day, time.fromisoformat(window.end), zone).astimezone(UTC)
    return (opens, closes) if opens < closes else None


def openings(window: Window, at: datetime) -> Iterator[Interval]:
    """Yield the working hours that have not ended at `at`, in order."""
    today = window.day_of(at)
    for ahead in range(-1, HORIZON):
        interval = hours(window, today + timedelta(days=ahead))
        if interval and interval[1] > at:
            yield interval


def next_open(windows: list[Window], at: datetime) -> datetime | None:
    """Return the first time from `at` when all windows are open; None if there is none in two weeks."""
    return _next_open(tuple(windows), at)


@lru_cache(maxsize=4096)
def _next_open(windows: tuple[Window, ...], at: datetime) -> datetime | None:
    """Cache the answer: senders with the same hours ask for the same time."""
    moment = at
    limit = at + timedelta(days=HORIZON - 1)
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


def next_day(window: Window, at: datetime) -> datetime:
    """Return the beginning of the next local day."""
    tomorrow = window.day_of(at) + timedelta(days=1)
    return datetime.combine(tomorrow, time(0), _zone(window.timezone)).astimezone(UTC)
