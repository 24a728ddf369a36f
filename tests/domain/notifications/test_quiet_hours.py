"""Digests and quiet hours: pure times, whatever is to be told."""

from datetime import UTC, datetime, time

from app.domain.rules.schedules import quiet_hours
from app.domain.rules.schedules.quiet_hours import Timing

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def test_quiet_hours_begin_at_their_start_end_before_their_end_and_may_span_midnight() -> None:
    for start, end, quiet, loud in (
        ("12:00", "14:00", "12:00 13:59", "11:59 14:00"),
        ("22:00", "07:00", "22:00 23:59 00:00 06:59", "21:59 07:00 12:00"),
        ("", "", "", "00:00 12:00"),
    ):
        timing = Timing("immediately", start, end)
        for times, expected in ((quiet, True), (loud, False)):
            for at in times.split():
                found = quiet_hours.is_quiet(timing, datetime.combine(DAY, time.fromisoformat(at)))
                assert found == expected, (start, at)
    assert Timing("daily").quiet is None
    assert Timing("daily", "22:00", "07:00").quiet == {"start": "22:00", "end": "07:00"}


def test_a_digest_was_last_due_on_the_hour_or_in_the_morning() -> None:
    for digest, now, due in (
        ("hourly", "10:00", DAY.replace(hour=10)),
        ("hourly", "10:59", DAY.replace(hour=10)),
        ("daily", "08:00", DAY.replace(hour=8)),
        ("daily", "23:59", DAY.replace(hour=8)),
        ("daily", "07:59", datetime(2026, 3, 1, 8, tzinfo=UTC)),
    ):
        assert quiet_hours.next_moment(Timing(digest), datetime.combine(DAY, time.fromisoformat(now), UTC)) == due
