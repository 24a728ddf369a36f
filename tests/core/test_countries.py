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
    ],
)
def test_places_become_countries_and_towns(label: str, found: list[Place]) -> None:
    """By code, name or region."""
    assert countries.places(label) == found
