"""Places as countries and towns."""

from app.core import countries
from app.core.countries import Place


def test_places_become_countries_and_towns() -> None:
    """By code, name or region; the name of a country may hold a comma."""
    for label, found in (
        ("DE", [Place("germany")]),
        ("UK", [Place("united kingdom")]),
        ("United Kingdom", [Place("united kingdom")]),
        ("Brno, Czechia", [Place("czechia", "brno")]),
        ("Austin, Texas, United States", [Place("united states", "austin")]),
        ("DACH", [Place("germany"), Place("austria"), Place("switzerland")]),
        ("Worldwide", []),
        ("Lyon", [Place("", "lyon")]),
        ("South Korea", [Place("south korea")]),
        ("KR", [Place("south korea")]),
        ("Seoul, Korea, Republic of", [Place("south korea", "seoul")]),
        ("Congo, The Democratic Republic of the", [Place("democratic republic of the congo")]),
        ("Netherlands, The", [Place("netherlands")]),
        ("Bosnia and Herzegovina", [Place("bosnia and herzegovina")]),
    ):
        assert countries.places(label) == found, label
    typed = "Germany, Korea, Republic of, France, Berlin"
    assert countries.labels(typed.split(", ")) == ["Germany", "Korea, Republic of", "France", "Berlin"]
