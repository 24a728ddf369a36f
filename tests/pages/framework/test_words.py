"""Numbers, times and statuses as pages write them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from app.models.accounts import AccountStatus
from app.models.campaigns import CampaignStatus, LeadState
from app.pages.framework import words

NOW = datetime(2026, 11, 20, 13, 46, tzinfo=UTC)
DUBLIN = ZoneInfo("Europe/Dublin")


def test_states_numbers_and_shares_have_one_format() -> None:
    assert words.status_word("campaign", "running") == words.Word("Running", "ok", live=True)
    assert words.number(1234567) == "1,234,567"
    assert words.share(214, 512) == "41.8%"
    assert words.status_word("campaign", "half_done") == words.Word("Half done")
    for kind, values in [("campaign", CampaignStatus), ("person", LeadState), ("sender", AccountStatus)]:
        assert {str(value) for value in values} <= set(words.STATUS_WORDS[kind])  # type: ignore[attr-defined]
    assert "–" in words.when(None, DUBLIN, NOW)
    assert words.number(None) == words.day(None) == words.share(1, 0) == "–"
    assert words.day(datetime(2026, 11, 20, 23, 30, tzinfo=UTC), ZoneInfo("Asia/Tokyo")) == "Sat 21 Nov 2026"
    assert words.lines("", 10) == 1
    assert words.lines("one\n\nthree and a half of it", 10) == 5


def test_times_are_relative_within_a_day() -> None:
    for delta, shown in [
        (timedelta(0), "now"),
        (timedelta(seconds=-30), "30 s ago"),
        (timedelta(minutes=-4), "4 min ago"),
        (timedelta(minutes=59, seconds=50), "in 1 h"),
        (timedelta(hours=3), "in 3 h"),
        (timedelta(hours=-23), "23 h ago"),
        (timedelta(days=3, hours=19.25), "Tue 24 Nov, 09:01"),
        (timedelta(days=60), "Tue 19 Jan 2027, 13:46"),
    ]:
        assert f">{shown}<" in words.when(NOW + delta, DUBLIN, NOW)
    assert ">Fri 20 Nov, 13:50<" in words.when(NOW + timedelta(minutes=4), DUBLIN, NOW, exact=True)
    page = words.when(NOW, ZoneInfo("Asia/Tokyo"), NOW)
    assert 'title="Fri 20 Nov 2026, 22:46:00 Asia/Tokyo"' in page
    assert 'datetime="2026-11-20T13:46:00+00:00"' in page


def test_a_face_has_initials() -> None:
    for name, initials in [
        ("Ines Duarte", "ID"),
        ("Plato", "P"),
        ("", "?"),
        (None, "?"),
        ("Anne-Marie van der Berg", "AB"),
        ("🦊 Fox", "F"),
        ("דוד לוי", "דל"),
        ("محمد الفارسي", "م\u200cا"),
    ]:
        assert words.face(name).initials == initials
        assert words.face(name) == words.face(name)
        assert 1 <= words.face(name).tint <= 5


def test_an_axis_has_round_steps_and_room_for_the_highest() -> None:
    for values, ticks in [
        ([], [1, 0]),
        ([0, 0], [1, 0]),
        ([3], [3, 2, 1, 0]),
        ([40, 15], [40, 30, 20, 10, 0]),
        ([1041], [1250, 1000, 750, 500, 250, 0]),
    ]:
        assert words.axis(values) == ticks


def test_lists_say_an_age_in_few_words() -> None:
    for ago, shown in [
        (timedelta(seconds=20), "now"),
        (timedelta(minutes=4), "4 min"),
        (timedelta(hours=3, minutes=50), "3 h"),
        (timedelta(days=2), "Wed"),
        (timedelta(days=20), "31 Oct"),
        (timedelta(days=400), "16 Oct 2025"),
    ]:
        page = words.age(NOW - ago, DUBLIN, NOW)
        assert f">{shown}<" in page
        assert "Europe/Dublin" in page
