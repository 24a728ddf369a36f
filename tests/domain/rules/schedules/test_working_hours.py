"""Hours and when they next open, across weeks, zones and clock changes."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from app.domain.rules.schedules import working_hours
from app.domain.rules.schedules.working_hours import Window

WEEK = Window("UTC", (1, 2, 3, 4, 5), "09:00", "17:30")
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)


def is_open(windows: list[Window], at: datetime) -> bool:
    """Whether all windows are open at that moment."""
    return working_hours.next_open(windows, at) == at


def test_a_window_opens_and_closes_at_its_hours() -> None:
    """Open at nine, closed at half past five."""
    assert is_open([WEEK], MONDAY.replace(hour=9))
    assert not is_open([WEEK], MONDAY.replace(hour=17, minute=30))
    assert working_hours.next_open([WEEK], MONDAY) == MONDAY.replace(hour=9)


def test_a_weekend_is_passed_over() -> None:
    assert working_hours.next_open([WEEK], datetime(2026, 3, 6, 18, tzinfo=UTC)) == datetime(2026, 3, 9, 9, tzinfo=UTC)


def test_two_windows_are_open_only_together() -> None:
    other = Window("America/New_York", (1, 3), "10:00", "12:00")
    assert working_hours.next_open([WEEK, other], MONDAY) == MONDAY.replace(hour=15)
    assert working_hours.next_open([WEEK, other], MONDAY.replace(hour=17)) == datetime(2026, 3, 4, 15, tzinfo=UTC)


def test_windows_that_never_meet_have_no_opening() -> None:
    assert working_hours.next_open([WEEK, Window("UTC", (6,), "09:00", "17:00")], MONDAY) is None
    assert working_hours.next_open([WEEK, Window("UTC", (1,), "18:00", "19:00")], MONDAY) is None


def test_local_hours_follow_the_change_of_the_clocks() -> None:
    berlin = Window("Europe/Berlin", tuple(range(1, 8)), "09:00", "17:00")
    assert working_hours.hours(berlin, date(2026, 3, 28)) == (
        (datetime(2026, 3, 28, 8, tzinfo=UTC), datetime(2026, 3, 28, 16, tzinfo=UTC)),
    )
    assert working_hours.hours(berlin, date(2026, 3, 29)) == (
        (datetime(2026, 3, 29, 7, tzinfo=UTC), datetime(2026, 3, 29, 15, tzinfo=UTC)),
    )


def test_the_next_day_begins_at_local_midnight() -> None:
    tokyo = Window("Asia/Tokyo", (1,), "09:00", "17:00")
    assert working_hours.next_day(tokyo, MONDAY) == datetime(2026, 3, 2, 15, tzinfo=UTC)


@given(
    st.integers(0, 2 * 365 * 24 * 60).map(lambda minutes: MONDAY + timedelta(minutes=minutes)),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]),
    st.sampled_from(["UTC", "America/St_Johns", "Pacific/Auckland"]),
)
def test_an_opening_is_open_and_nothing_earlier_is(at: datetime, one: str, two: str) -> None:
    windows = [
        Window(one, (1, 2, 3, 4, 5), "08:00", "18:00"),
        Window(two, (1, 2, 3, 4, 5, 6), "00:00", "23:59"),
    ]
    opens = working_hours.next_open(windows, at)
    assert opens is not None
    for window in windows:
        local = opens.astimezone(ZoneInfo(window.timezone))
        assert local.isoweekday() in window.days
        assert window.start <= local.strftime("%H:%M") < window.end
    for minutes in range(0, int((opens - at) / timedelta(minutes=1)), 17):
        assert not is_open(windows, at + timedelta(minutes=minutes))
