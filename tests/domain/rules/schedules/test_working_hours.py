"""Hours and when they next open, across weeks, zones and clock changes."""

from datetime import UTC, datetime

from app.domain.rules.schedules import working_hours
from app.domain.rules.schedules.working_hours import Window

WEEK = Window("UTC", (1, 2, 3, 4, 5), "09:00", "17:30")
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def is_open(windows: list[Window], at: datetime) -> bool:
    return working_hours.next_open(windows, at) == at


def test_a_window_opens_and_closes_at_its_hours_and_passes_over_a_weekend() -> None:
    assert is_open([WEEK], MONDAY.replace(hour=9))
    assert not is_open([WEEK], MONDAY.replace(hour=17, minute=30))
    assert working_hours.next_open([WEEK], MONDAY) == MONDAY.replace(hour=9)
    assert working_hours.next_open([WEEK], datetime(2026, 3, 6, 18, tzinfo=UTC)) == datetime(2026, 3, 9, 9, tzinfo=UTC)


def test_two_windows_are_open_only_together_and_some_never() -> None:
    other = Window("America/New_York", (1, 3), "10:00", "12:00")
    assert working_hours.next_open([WEEK, other], MONDAY) == MONDAY.replace(hour=15)
    assert working_hours.next_open([WEEK, other], MONDAY.replace(hour=17)) == datetime(2026, 3, 4, 15, tzinfo=UTC)
    assert working_hours.next_open([WEEK, Window("UTC", (6,), "09:00", "17:00")], MONDAY) is None
    assert working_hours.next_open([WEEK, Window("UTC", (1,), "18:00", "19:00")], MONDAY) is None


def test_the_next_day_begins_at_local_midnight() -> None:
    tokyo = Window("Asia/Tokyo", (1,), "09:00", "17:00")
    assert working_hours.next_day(tokyo, MONDAY) == datetime(2026, 3, 2, 15, tzinfo=UTC)
