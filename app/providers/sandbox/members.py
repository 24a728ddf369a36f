"""The words that the invented people of the sandbox directory are made from."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from app.core import countries

ENDINGS = ("Group", "Partners", "& Co", "Brothers", "House", "Collective")
OF_A_KIND = ENDINGS[:3]  # what stands well behind a kind of company, as in Alder Marketing Partners
TITLES = ("Founder", "Chief Executive Officer", "Head of Operations", "Marketing Director", "Head of Sales")
INDUSTRIES = ("Software companies", "Marketing agencies", "Consulting firms", "Retailers", "Manufacturers")
_NAMES: Mapping[str, Any] = tomllib.loads(files(__package__).joinpath("names.toml").read_text("utf-8"))
_ROLES = re.compile(rf"\b({'|'.join(_NAMES['roles'])})s?\b", re.IGNORECASE)
# By country in lower case.
_CITIES: Mapping[str, Sequence[str]] = {name.casefold(): cities for name, cities in _NAMES["cities"].items()}
_ANY_KIND = set("companies firms agencies businesses providers offices organizations shops stores and of with".split())
NO_PLACE = "atlantis"  # where nobody lives; every other place may be real
FACTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "new_role": {"started": ("June", "July", "August", "September")},
    "hiring": {"opening": ("Customer Success Manager", "Operations Manager", "Sales Manager", "Marketing Manager")},
    "funded": {"round": ("seed round", "Series A", "Series B"), "round_month": ("June", "July", "August")},
    "technology": {"technology": ("HubSpot", "Shopify", "Salesforce", "Google Workspace", "Slack")},
    "news": {"news": ("New office in Lyon", "Regional award for service", "New product line")},
    "site_visitors": {"visited_page": ("pricing", "product", "customers")},
    "former_customers": {"ended": ("March", "April", "May", "June")},
}


def of_kind(industry: str) -> str:
    """Return how companies of a kind end their names, as Marketing for marketing agencies; '' if it tells nothing."""
    words = [word for word in industry.split() if word.casefold() not in _ANY_KIND]
    return " ".join(words).title() if 0 < len(words) <= 2 and all(map(str.isalpha, words)) else ""


def names(location: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return the first and the last names of people who live there."""
    country = location.rpartition(", ")[2]
    other, *groups = _NAMES["group"]
    found = next((group for group in groups if country in group["countries"]), other)
    return found["first"].split(), found["last"].split()


def companies() -> Sequence[str]:
    """Return the words that names of companies begin with."""
    words: str = _NAMES["companies"]
    return words.split()


def is_role(title: str) -> bool:
    """Return whether a person could have that title."""
    return _ROLES.search(title) is not None


def cities(place: str) -> Sequence[str]:
    """Return the cities of a country or region, or the place's own name, as people write them; none in Atlantis."""
    name, meant = " ".join(place.casefold().split()), countries.places(place)
    named = [one.country for one in meant if not one.town] if meant else _CITIES  # else the whole world
    if known := [city for country in named for city in _CITIES.get(country, ())]:
        return known
    *before, last = (part.strip() for part in place.split(","))
    city = (before[0] if before else last).casefold()
    if named := [one for some in _CITIES.values() for one in some if one.casefold().partition(",")[0] == city]:
        return named
    if before and last:  # a city or a region, with what it lies in
        return [f"{one.strip()}, {last}" for one in re.split(r"(?<!\s)\s+(?:and|&|und|et|y|e|en)\s+", before[0])]
    return [last] if any(map(str.isalpha, last)) and name != NO_PLACE else []


def reach(place: str) -> float:
    """Return how much larger than one country a place is."""
    return max(len(cities(place)) / 3, 0.3)


def plain(name: str) -> str:
    """Return a name in the letters of an email address."""
    letters = name.translate(str.maketrans("ŁłØøı", "LlOoi"))
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", letters).encode("ascii", "ignore").decode().lower())


def domain(company: str) -> str:
    """Return a company's website, on a domain that cannot be registered."""
    return f"{plain(company)}.example"
