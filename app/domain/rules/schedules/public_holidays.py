"""Public holidays of countries and their states, by the `holidays` library, with English names."""

from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache

import holidays
from holidays.registry import EntityLoader


@cache
def countries() -> frozenset[str]:
    """Return the codes of the countries with known holidays."""
    return frozenset(EntityLoader.get_country_codes(include_aliases=False))


def _state_codes(country: str) -> tuple[str, ...]:
    """Return the codes of its states that have days of their own; a country's module is loaded by this."""
    return tuple(getattr(holidays, country).subdivisions) if country in countries() else ()


def is_region(region: str) -> bool:
    """Return whether the holidays of a region are known: a country such as DE, or a state of it such as DE-BY."""
    country, _, state = region.partition("-")
    return country in countries() and (not state or state in _state_codes(country))


@lru_cache(maxsize=256)
def states(country: str) -> tuple[tuple[str, str], ...]:
    """Return code and name of the states of a country that have holidays of their own, by name."""
    codes = _state_codes(country)
    if not codes:
        return ()
    names: dict[str, str] = {}
    for name, code in holidays.country_holidays(country).subdivisions_aliases.items():
        names.setdefault(code, name)
    return tuple(sorted(((code, names.get(code, code)) for code in codes), key=lambda one: one[1]))


@lru_cache(maxsize=2048)
def of_year(region: str, year: int) -> Mapping[date, str]:
    """Return the public holidays of a region in a year, each with its name; none for an unknown region."""
    if not is_region(region):
        return {}
    country, _, state = region.partition("-")
    found = holidays.country_holidays(country, subdiv=state or None, years=year, language="en_US", expand=False)
    return {day: "; ".join(dict.fromkeys(found.get_list(day))) for day in sorted(found)}


def name(region: str, day: date) -> str:
    """Return the name of the public holiday on that day; '' for a working day."""
    return of_year(region, day.year).get(day, "")
