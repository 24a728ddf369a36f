"""Countries: find the places named in a targeting label or in a person's location."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_TABLE = tomllib.loads(files(__package__).joinpath("countries.toml").read_text("utf-8"))
REGIONS = {region: re.findall(r"[^,\s][^,]*", several) for region, several in _TABLE["regions"].items()}
CODES: Mapping[str, str] = _TABLE["codes"]
CALLS: Mapping[str, str] = _TABLE["calls"]  # countries by their calling codes
_ALSO: Mapping[str, str] = _TABLE["also"]
_FORM = re.compile(r"^(\w+ ){0,3}(republic|kingdom|principality|commonwealth|sultanate|duchy|union) of (the )?")


@dataclass(frozen=True)
class Place:
    """Where a person lives: a country in lower case, and a town or region of it; either may be empty."""

    country: str = ""
    town: str = ""


def places(label: str) -> list[Place]:
    """Return the places of a targeting label; [] for the whole world."""
    name = " ".join(label.casefold().split())
    if name in REGIONS:
        return [Place(country) for country in REGIONS[name]]
    if country := _country(name):
        return [Place(country)]
    town, _, rest = name.partition(",")
    if country := _country(rest.strip()):  # the country's name may contain a comma: Seoul, Korea, Republic of
        return [Place(country, town.strip())]
    first, _, last = name.rpartition(",")
    if first and (country := _country(last.strip())):
        return [Place(country, first.split(",")[0].strip())]
    return [Place("", name.split(",")[0].strip())]


def is_known(label: str) -> bool:
    """Return whether a label names a country or a region of several, such as DACH."""
    name = " ".join(label.casefold().split())
    return name in REGIONS or bool(_country(name))


def labels(words: Sequence[str]) -> list[str]:
    """Return the places between the commas, without splitting country names such as “Korea, Republic of”."""
    found: list[str] = []
    for word in words:
        whole = f"{found[-1]}, {word}" if found else ""
        if whole and _country(whole.casefold()) and not _country(word.casefold()):
            found[-1] = whole
        else:
            found.append(word)
    return found


def _country(name: str) -> str:
    first, comma, last = name.partition(",")
    turned = f"{last.strip()} {first}" if comma else name
    bare = turned.removeprefix("the ")
    tried = (name, turned, bare, _FORM.sub("", bare))
    return next((found for one in tried if (found := _ALSO.get(one) or _listed().get(one, ""))), "")


@cache
def _listed() -> Mapping[str, str]:
    """Return every country's name, by its code and by its name."""
    listed = files("tzdata").joinpath("zoneinfo", "iso3166.tab").read_text("utf-8")
    pairs = [line.casefold().split("\t") for line in listed.splitlines() if line and not line.startswith("#")]
    return {key: _ALSO.get(name, name) for code, name in pairs for key in (code, name, _ALSO.get(name, name))}
