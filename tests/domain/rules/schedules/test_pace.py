"""The pace of a person, held against its model in docs/pace.md."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from app.domain.rules.schedules import pace, working_hours
from app.domain.rules.schedules.working_hours import Window

BERLIN = Window("Europe/Berlin", (1, 2, 3, 4, 5), "09:00", "17:30")
DAYS = [day for day in (date(2026, 1, 5) + timedelta(days=n) for n in range(140)) if day.isoweekday() < 6]
# The chi-squared value that 1 in 1,000 samples of the model exceeds, by degrees of freedom.
EXCEEDED_RARELY = {7: 24.32, 9: 27.88, 11: 31.26, 19: 43.82, 59: 98.32}


def desk(sender: int, day: date, window: Window = BERLIN) -> tuple[pace.Interval, ...]:
    hours = working_hours.open_within((window,), day)
    return pace.at_desk(sender, day, window.timezone, hours)


def moments(sender: int, day: date, number: int = 13) -> tuple[datetime, ...]:
    return pace.moments(sender, "invite", day, desk(sender, day), number)


def chi_squared(seen: Counter[int], expected: list[float]) -> float:
    return sum((seen[cell] - wanted) ** 2 / wanted for cell, wanted in enumerate(expected))


def passed(at: datetime, hours: tuple[pace.Interval, ...]) -> timedelta:
    return sum((min(at, closes) - opens for opens, closes in hours if at > opens), timedelta(0))


def test_a_day_begins_late_and_has_a_lunch() -> None:
    for sender in range(1, 40):
        for day in DAYS[:20]:
            [(begins, leaves), (back, ends)] = desk(sender, day)
            [(opens, closes)] = working_hours.hours(BERLIN, day)
            assert opens < begins <= opens + pace.LATE_MOST
            assert ends == closes
            assert timedelta(minutes=30) <= back - leaves <= timedelta(minutes=60)
            local = leaves.astimezone(ZoneInfo(BERLIN.timezone)).time()
            assert pace.LUNCH_FROM[0] <= local <= pace.LUNCH_FROM[1]


def test_a_short_day_has_no_lunch_and_a_lunch_at_the_end_ends_the_day() -> None:
    short = Window("Europe/Berlin", (1, 2, 3, 4, 5), "11:00", "13:00")
    for sender in range(1, 100):
        [(begins, ends)] = desk(sender, DAYS[0], short)
        assert begins - datetime(2026, 1, 5, 10, tzinfo=UTC) <= timedelta(minutes=12)
        assert ends == datetime(2026, 1, 5, 12, tzinfo=UTC)
    early = Window("Europe/Berlin", (1, 2, 3, 4, 5), "06:00", "12:30")
    lengths = {len(desk(sender, DAYS[0], early)) for sender in range(1, 60)}
    assert lengths == {1, 2}
    for sender in range(1, 60):
        assert desk(sender, DAYS[0], early)[-1][1] <= datetime(2026, 1, 5, 11, 30, tzinfo=UTC)


def test_the_moments_of_a_day_are_spread_evenly_over_its_time_at_the_desk() -> None:
    """Chi-squared over 20 cells of that time."""
    cells: Counter[int] = Counter()
    number = 0
    for sender in range(1, 11):
        for day in DAYS:
            hours = desk(sender, day)
            whole = passed(hours[-1][1], hours)
            for at in moments(sender, day):
                cells[int(20 * (passed(at, hours) / whole))] += 1
                number += 1
    assert chi_squared(cells, [number / 20] * 20) < EXCEEDED_RARELY[19]


def test_minutes_and_seconds_are_no_round_ones() -> None:
    """Chi-squared over the 60 seconds of a minute, and over 12 cells of the hour for hours that are wholly open."""
    seconds: Counter[int] = Counter()
    fives: Counter[int] = Counter()
    for sender in range(1, 21):
        for day in DAYS:
            for at in moments(sender, day):
                seconds[at.second] += 1
                if 10 <= at.astimezone(ZoneInfo(BERLIN.timezone)).hour < 11:
                    fives[at.minute // 5] += 1
    assert chi_squared(seconds, [seconds.total() / 60] * 60) < EXCEEDED_RARELY[59]
    assert chi_squared(fives, [fives.total() / 12] * 12) < EXCEEDED_RARELY[11]


def test_gaps_are_skewed_as_even_independent_draws_make_them() -> None:
    """Of n draws a gap takes more than a share s of the time with the chance (1 - s)^n; chi-squared over ten cells."""
    number = 13
    seen: Counter[int] = Counter()
    for sender in range(1, 11):
        for day in DAYS:
            hours = desk(sender, day)
            whole = passed(hours[-1][1], hours)
            places = [passed(at, hours) / whole for at in moments(sender, day, number)]
            # One gap a day: those of the same day depend on each other.
            left = sorted(places)[sender % (number - 1) + 1] - sorted(places)[sender % (number - 1)]
            seen[min(9, int(10 * (1 - (1 - left) ** number)))] += 1
    assert chi_squared(seen, [seen.total() / 10] * 10) < EXCEEDED_RARELY[9]


def test_two_senders_are_not_in_step() -> None:
    """They share a minute as often as chance has it: 13 of 420 minutes each."""
    shared = days = 0
    for day in DAYS:
        for one, other in pairwise(range(1, 30)):
            mine = {at.replace(second=0, microsecond=0) for at in moments(one, day)}
            theirs = {at.replace(second=0, microsecond=0) for at in moments(other, day)}
            shared += len(mine & theirs)
            days += 1
    assert shared / days == pytest.approx(13 * 13 / 450, rel=0.15)


def test_a_higher_target_keeps_the_moments_and_a_day_off_has_none() -> None:
    assert set(moments(1, DAYS[0], 5)) <= set(moments(1, DAYS[0], 9))
    saturday = date(2026, 1, 10)
    assert desk(1, saturday) == ()
    assert moments(1, saturday) == ()


def test_who_is_waited_for_is_not_written_to_in_the_first_second_of_their_hours() -> None:
    """As late as a day begins, and not later than a tenth of short hours."""
    hours = timedelta(hours=4)
    found = [pace.late(f"{sender}|{DAYS[0]}", hours) for sender in range(1, 200)]
    assert timedelta(0) < min(found)
    assert max(found) < hours * pace.LATE_SHARE
    assert sum(found, timedelta(0)) / len(found) == pytest.approx(timedelta(minutes=8), rel=0.2)
    assert max(pace.late(f"{sender}|{DAYS[0]}", timedelta(minutes=20)) for sender in range(99)) < timedelta(minutes=2)
