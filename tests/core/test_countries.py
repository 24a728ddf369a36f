"""Places as countries and towns."""

import pytest

from app.core import countries
from app.core.countries import Place


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("DE", [Place("germany")]),
        ("UK", [Place("united kingdom")]),
        ("United Kingdom", [Place("united kingdom")]),
        ("Brno, Czechia", [Place("czechia", "brno")]),
        ("Berlin, Germany", [Place("germany", "berlin")]),
        ("Austin, Texas, United States", [Place("united states", "austin")]),
        ("DACH", [Place("germany"), Place("austria"), Place("switzerland")]),
        ("Worldwide", []),
        ("Lyon", [Place("", "lyon")]),
        ("South Korea", [Place("south korea")]),
        ("KR", [Place("south korea")]),
        ("Korea, Republic of", [Place("south korea")]),
        ("Seoul, Korea, Republic of", [Place("south korea", "seoul")]),
        ("Congo, The Democratic Republic of the", [Place("democratic republic of the congo")]),
        ("Netherlands, The", [Place("netherlands")]),
        ("Bosnia and Herzegovina", [Place("bosnia and herzegovina")]),
    ],
)
def test_places_become_countries_and_towns(label: str, found: list[Place]) -> None:
    """By code, name or region."""
    assert countries.places(label) == found


def test_the_name_of_a_country_may_hold_a_comma_among_others() -> None:
    typed = "Germany, Korea, Republic of, France, Berlin"
    assert countries.labels(typed.split(", ")) == ["Germany", "Korea, Republic of", "France", "Berlin"]
