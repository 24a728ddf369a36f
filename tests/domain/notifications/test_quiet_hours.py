"""Digests and quiet hours: pure times, whatever is to be told."""

from datetime import UTC, datetime, time

import pytest

from app.domain.notifications import quiet_hours
from app.domain.notifications.quiet_hours import Timing

DAY = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end", "quiet", "loud"),
    [
        ("12:00", "14:00", ["12:00", "13:59"], ["11:59", "14:00"]),
        ("22:00", "07:00", ["22:00", "23:59", "00:00", "06:59"], ["21:59", "07:00", "12:00"]),
        ("", "", [], ["00:00", "12:00"]),
    ],
)
def test_quiet_hours_begin_at_their_start_end_before_their_end_and_may_span_midnight(
    start: str, end: str, quiet: list[str], loud: list[str]
) -> None:
    found = {
        at: quiet_hours.is_quiet(Timing("immediately", start, end), datetime.combine(DAY, time.fromisoformat(at)))
        for at in [*quiet, *loud]
    }
    assert found == dict.fromkeys(quiet, True) | dict.fromkeys(loud, False)


@pytest.mark.parametrize(
    ("digest", "now", "due"),
    [
        ("hourly", "10:00", DAY.replace(hour=10)),
        ("hourly", "10:59", DAY.replace(hour=10)),
        ("daily", "08:00", DAY.replace(hour=8)),
        ("daily", "23:59", DAY.replace(hour=8)),
        ("daily", "07:59", datetime(2026, 3, 1, 8, tzinfo=UTC)),
    ],
)
def test_a_digest_was_last_due_on_the_hour_or_in_the_morning(digest: str, now: str, due: datetime) -> None:
    assert quiet_hours.next_moment(Timing(digest), datetime.combine(DAY, time.fromisoformat(now), UTC)) == due


def test_without_quiet_hours_nothing_is_stored() -> None:
    assert Timing("daily").quiet is None
    assert Timing("daily", "22:00", "07:00").quiet == {"start": "22:00", "end": "07:00"}
