"""Windows of a schedule against an independent reading: the clock on the wall, minute by minute."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.rules.schedules import working_hours
from app.domain.rules.schedules.working_hours import Closure, Span, Window

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe", "Asia/Kolkata", "UTC")
MINUTE = timedelta(minutes=1)
# Days around a change of the clocks: first forward, then back.
CHANGES = {
    "Europe/Berlin": (date(2027, 3, 28), date(2026, 10, 25)),
    "America/New_York": (date(2027, 3, 14), date(2026, 11, 1)),
    "Australia/Sydney": (date(2026, 10, 4), date(2027, 4, 4)),
}


def on_the_wall(window: Window, at: datetime) -> bool:
    """Read a clock on the wall: is that time of that day in the window, and no day closed?"""
    local = at.astimezone(ZoneInfo(window.timezone))
    shown, today, yesterday = f"{local:%H:%M}", local.date(), local.date() - timedelta(days=1)
    if _closed(window, today):
        return False
    for span in window.spans or (Span(window.days, window.start, window.end),):
        over_midnight = span.end <= span.start
        if today.isoweekday() in span.days and span.start <= shown and (over_midnight or shown < span.end):
            return True
        began = yesterday.isoweekday() in span.days and not _closed(window, yesterday)
        if over_midnight and began and shown < span.end:
            return True
    return False


def _closed(window: Window, day: date) -> bool:
    return any(closure.first <= day <= closure.last for closure in window.closures)


def is_open(window: Window, at: datetime) -> bool:
    return working_hours.next_open([window], at) == at


times = st.builds(lambda minute: f"{minute // 60:02}:{minute % 60:02}", st.integers(0, 24 * 60 - 1))
spans = st.builds(
    Span, st.lists(st.integers(1, 7), min_size=1, unique=True).map(lambda days: tuple(sorted(days))), times, times
).filter(lambda span: span.start != span.end)
closures = st.builds(
    lambda day, length: Closure(day, day + timedelta(days=length), "blackout", "x"),
    st.dates(date(2026, 10, 1), date(2027, 4, 30)),
    st.integers(0, 20),
)
windows = st.builds(
    lambda zone, several, closed: Window(zone, (1,), "00:00", "00:01", tuple(several), tuple(closed)),
    st.sampled_from(ZONES),
    st.lists(spans, min_size=1, max_size=4),
    st.lists(closures, max_size=3),
)
moments = st.integers(0, 220 * 24 * 60).map(lambda minutes: datetime(2026, 10, 1, tzinfo=UTC) + minutes * MINUTE)


@given(windows, moments)
@settings(max_examples=100, deadline=None)
def test_a_window_is_open_exactly_when_the_clock_on_the_wall_says_so(window: Window, at: datetime) -> None:
    assert is_open(window, at) == on_the_wall(window, at)


@given(windows, windows, moments)
@settings(max_examples=60, deadline=None)
def test_the_next_opening_is_the_first_minute_that_the_wall_clocks_allow(
    one: Window, other: Window, at: datetime
) -> None:
    opens = working_hours.next_open([one, other], at)
    within = (at + ahead * MINUTE for ahead in range(3 * 24 * 60))
    first = next((minute for minute in within if on_the_wall(one, minute) and on_the_wall(other, minute)), None)
    if first is not None:
        assert opens == first
    else:
        assert opens is None or opens >= at + timedelta(days=3)


@given(windows, st.dates(date(2026, 10, 2), date(2027, 4, 28)))
@settings(max_examples=40, deadline=None)
def test_the_open_intervals_of_all_days_are_all_open_minutes(window: Window, day: date) -> None:
    found = [
        one for ahead in (-2, -1, 0, 1, 2) for one in working_hours.open_intervals([window], day + timedelta(ahead))
    ]
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    for minute in range(-18 * 60, 18 * 60, 7):
        at = noon + minute * MINUTE
        assert on_the_wall(window, at) == any(begins <= at < ends for begins, ends in found)


def test_nothing_around_a_change_of_the_clocks_differs_from_the_wall() -> None:
    for zone in CHANGES:
        for direction in [0, 1]:
            for span in [
                ("01:00", "02:30"),
                ("02:30", "05:00"),
                ("02:00", "03:00"),
                ("00:00", "23:59"),
                ("22:00", "02:30"),
            ]:
                window = Window(zone, tuple(range(1, 8)), "00:00", "00:01", (Span(tuple(range(1, 8)), *span),))
                day = CHANGES[zone][direction]
                start = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=26)
                seen = [
                    (is_open(window, start + n * MINUTE), on_the_wall(window, start + n * MINUTE))
                    for n in range(0, 60 * 60, 3)
                ]
                assert all(said == shown for said, shown in seen), span
                assert any(said for said, _ in seen), span


def test_the_hour_that_is_skipped_is_in_no_window_and_the_one_that_comes_twice_is_open_twice() -> None:
    window = Window("Europe/Berlin", tuple(range(1, 8)), "02:00", "03:00")
    assert working_hours.open_intervals([window], date(2027, 3, 28)) == []
    assert len(working_hours.open_intervals([window], date(2027, 3, 27))) == 1
    [(begins, ends)] = working_hours.open_intervals([window], date(2026, 10, 25))
    assert ends - begins == timedelta(hours=2)


def test_a_window_over_midnight_belongs_to_the_day_it_begins_which_closes_with_its_night() -> None:
    friday = Window("UTC", (5,), "22:00", "02:00")
    assert is_open(friday, datetime(2026, 12, 5, 1, 30, tzinfo=UTC))  # a Saturday
    assert not is_open(friday, datetime(2026, 12, 4, 1, 30, tzinfo=UTC))
    nights = Window("UTC", tuple(range(1, 8)), "22:00", "02:00", region="DE")
    assert is_open(nights, datetime(2026, 12, 24, 23, 30, tzinfo=UTC))
    assert not is_open(nights, datetime(2026, 12, 25, 0, 30, tzinfo=UTC))
    assert not is_open(nights, datetime(2026, 12, 26, 23, 30, tzinfo=UTC))
    assert not is_open(nights, datetime(2026, 12, 27, 0, 30, tzinfo=UTC))
    assert is_open(nights, datetime(2026, 12, 27, 22, 30, tzinfo=UTC))


def test_long_closures_and_holidays_in_two_weeks_running_are_passed_over() -> None:
    away = Closure(date(2026, 12, 1), date(2027, 8, 31), "sender_away", "")
    window = Window("UTC", (1, 2, 3, 4, 5), "09:00", "17:00", closures=(away,))
    assert working_hours.next_open([window], datetime(2026, 12, 3, tzinfo=UTC)) == datetime(2027, 9, 1, 9, tzinfo=UTC)
    fridays = Window("Europe/Berlin", (5,), "09:00", "17:00", region="DE")  # 25 December and 1 January
    opens = working_hours.next_open([fridays], datetime(2026, 12, 19, tzinfo=UTC))
    assert opens == datetime(2027, 1, 8, 8, tzinfo=UTC)


def test_the_common_intervals_of_two_windows_are_in_the_hours_of_the_first() -> None:
    berlin = Window("Europe/Berlin", (1, 2, 3, 4, 5), "09:00", "17:30")
    split = Window(
        "Europe/Berlin", (1,), "08:00", "18:00", (Span((1,), "08:00", "12:00"), Span((1,), "13:00", "18:00"))
    )
    day = date(2026, 12, 7)
    assert working_hours.open_intervals([berlin, split], day) == [
        (datetime(2026, 12, 7, 8, tzinfo=UTC), datetime(2026, 12, 7, 11, tzinfo=UTC)),
        (datetime(2026, 12, 7, 12, tzinfo=UTC), datetime(2026, 12, 7, 16, 30, tzinfo=UTC)),
    ]
    assert working_hours.open_intervals([berlin, split], date(2026, 12, 8)) == []


def test_windows_without_a_common_minute_never_open() -> None:
    week = Window("UTC", (1, 2, 3, 4, 5), "09:00", "17:30")
    for other in (Window("UTC", (6,), "09:00", "17:00"), Window("UTC", (1,), "18:00", "19:00")):
        assert working_hours.next_open([week, other], datetime(2026, 3, 2, tzinfo=UTC)) is None


def test_the_next_day_begins_at_local_midnight() -> None:
    tokyo = Window("Asia/Tokyo", (1,), "09:00", "17:00")
    assert working_hours.next_day(tokyo, datetime(2026, 3, 2, tzinfo=UTC)) == datetime(2026, 3, 2, 15, tzinfo=UTC)
