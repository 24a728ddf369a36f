"""Where people are, from the text of their location: on texts of others, and on what must stay unsure."""

import csv
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from app.domain.rules.schedules import places, public_holidays
from tests.domain.replies.letters import texts_of

PLACES = texts_of("places")
LOCATIONS = Path(__file__).with_name("locations.csv")


def same_time(one: str, other: str) -> bool:
    """Whether the clocks of both zones show the same through a year."""
    months = [datetime(2026, month, 15, tzinfo=UTC) for month in range(1, 13)]
    offsets = [[at.astimezone(ZoneInfo(zone)).utcoffset() for at in months] for zone in (one, other)]
    return offsets[0] == offsets[1]


def test_texts_that_people_wrote_are_read() -> None:
    rows = list(csv.DictReader(line for line in LOCATIONS.read_text(encoding="utf-8").splitlines() if line[0] != "#"))
    known = [row for row in rows if row["zone"]]
    believed = [(row, place) for row in rows if (place := places.place_of(row["text"])).sure_zone]
    wrong = [row["text"] for row, place in believed if not row["zone"] or not same_time(row["zone"], place.zone)]
    elsewhere = [row["text"] for row, place in believed if place.region.partition("-")[0] != row["country"]]
    assert len(rows) > 130
    assert (wrong, elsewhere) == ([], [])
    assert len(believed) >= 0.98 * len(known)


def test_a_clear_text_has_one_zone_and_an_unclear_one_none() -> None:
    zones = dict(PLACES["zones"]) | dict.fromkeys(PLACES["unclear"], "")
    assert {text: places.place_of(text).sure_zone for text in zones} == zones


def test_the_name_of_a_country_may_hold_commas_and_words_between() -> None:
    for text, country in PLACES["countries"]:
        place = places.place_of(text)
        found = place.region if public_holidays.is_region(country) else places.region_of(place.zone) or place.region
        assert (found or country) == country, text
        assert place.zone, text


def test_several_countries_between_commas_are_none() -> None:
    """No holidays are kept and no zone is believed that are of one of them only."""
    for text in ["Germany, France", "Berlin, Germany, Paris, France", "United States, Canada", "US, UK"]:
        place = places.place_of(text)
        assert place.region == "", text
        assert place.sure_zone in ("", "Europe/Berlin", "Europe/Paris"), text


def test_countries_states_and_zones_have_their_holidays() -> None:
    assert places.place_of("United States").region == "US"
    assert places.place_of("US & Canada").region == ""
    assert places.place_of("Munich, Bavaria, Germany").region == "DE-BY"
    assert places.place_of("Glasgow, UK").region == "GB-SCT"
    assert places.place_of("Lisbon, Portugal").region == "PT"
    assert places.region_of("Europe/Berlin") == "DE"
    assert places.region_of("America/Chicago") == "US"
    assert places.region_of("UTC") == ""


def test_holidays_have_english_names() -> None:
    assert public_holidays.name("DE", datetime(2026, 10, 3, tzinfo=UTC).date()) == "German Unity Day"
    assert public_holidays.name("DE-BY", datetime(2026, 11, 1, tzinfo=UTC).date()) == "All Saints' Day"
    assert public_holidays.name("DE", datetime(2026, 11, 1, tzinfo=UTC).date()) == ""
    assert public_holidays.name("", datetime(2026, 12, 25, tzinfo=UTC).date()) == ""
    assert not public_holidays.is_region("ZZ")
    assert ("BY", "Bayern") in public_holidays.states("DE")
