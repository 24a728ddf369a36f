"""Where a person is: country and time zone, read from the text of their location, with a confidence.

A text such as "Austin, Texas, United States" is looked up part by part, each part narrowing down the ones before: a
country, a state, a city, each in several languages. What is left is weighed by the number of people who live there, so
that "Paris" is the one in France, and "United States" alone is no time zone worth believing.
"""

import re
import tomllib
import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib import resources
from operator import attrgetter
from typing import NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

from app.core.parallel import made_once
from app.domain.rules.schedules import public_holidays

ENOUGH = 0.85  # the least share of the people that a text may mean who live in one zone (or country), to settle on it


class Place(NamedTuple):
    """Where a person is: `region` as public holidays know it, '' when unknown; the likeliest zone, and how likely."""

    region: str = ""
    zone: str = ""
    confidence: float = 0.0

    @property
    def sure_zone(self) -> str:
        """Return the zone when it is worth believing, else ''."""
        return self.zone if self.confidence >= ENOUGH else ""


class _City(NamedTuple):
    country: str
    state: str
    zone: str
    people: int


NOWHERE = Place()
_TABLES = tomllib.loads((resources.files(__package__) / "places.toml").read_text("utf-8"))


def _by_name(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {name: code for code, known in names.items() for name in known}


_COUNTRIES, _WITHIN, _CITIES = (_by_name(_TABLES[table]) for table in ("countries", "within", "cities"))
_AS_PARTS = {name: tuple(parts) for name, parts in _TABLES["regions"].items()}
_CODES: Mapping[str, Mapping[str, str]] = _TABLES["numbered"]
_STATES = {country: _by_name(states) for country, states in _TABLES["states"].items()}
_STATED = {"CH", *_CODES, *_STATES}  # where the codes of states are those of public holidays
_AROUND = re.compile(
    r"^(the |greater |metro |metropolregion |region of |region |city of |ville de |grossraum |area metropolitana de |"
    r"grande |gran |near |around |based in |central |downtown |area )+|"
    r"( metropolitan area| metropolitan region| metropolitan| metro area| metro| bay area| area| city area| region|"
    r" und umgebung| y alrededores| e regiao| et peripherie| county| district| province| prefecture| wielkopolski)+$"
)
_FORM = re.compile(r"^(\w+ ){0,3}(republic|kingdom|states?|principality|commonwealth|sultanate|duchy|union) of (the )?")
_EITHER = re.compile(r"[;/|&+•→\n]|\band\b|\bor\b|\bund\b|\bet\b|\by\b")
_PARTS = re.compile(r"[,·()–—]| - |\s[@~]\s")


@lru_cache(maxsize=16384)
def place_of(location: str) -> Place:
    """Return where the text says that a person is; NOWHERE when it names no place."""
    found = _alternatives(location[:200])
    if not found:
        return NOWHERE
    weights = {
        (number, city): city.people / sum(one.people for one in cities) / len(found)
        for number, cities in enumerate(found)
        for city in cities
    }
    by_country: defaultdict[str, float] = defaultdict(float)
    for (_, city), weight in weights.items():
        by_country[city.country] += weight
    country = max(by_country, key=lambda one: by_country[one])
    zone, share = _likeliest((city.zone, weight) for (_, city), weight in weights.items())
    if by_country[country] < ENOUGH:
        return Place("", zone, share)
    return Place(_region(country, {city for _, city in weights if city.country == country}), zone, share)


@cache
def region_of(zone: str) -> str:
    """Return the country that a time zone is mostly in; '' for one of none, such as UTC."""
    country = _gazetteer().country_of(zone)
    return country if public_holidays.is_region(country) else ""


def is_country(name: str) -> bool:
    """Return whether the text is the name of a country, in one of several languages."""
    return bool(_country(name))


def is_in(location: str, country: str) -> bool:
    """Return whether the text of a location lies in the country of that name."""
    return place_of(location).region.partition("-")[0] == _country(country) != ""


def country_name(region: str) -> str:
    """Return the name of a region's country."""
    country = region.partition("-")[0]
    return _gazetteer().names.get(country, country)


def names_in(places: str) -> list[str]:
    """Return the names that a text lists, such as those of several countries."""
    return [part.strip() for one in _named_apart(places) for part in one if part.strip()]


def plain(name: str) -> str:
    """Return a name as it is looked up: without accents, case and punctuation."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", name) if not unicodedata.combining(one))
    return " ".join(re.findall(r"\w+", bare.casefold()))


def _alternatives(location: str) -> list[tuple[_City, ...]]:
    """Return what each of the places that a text names may mean: "Berlin / Remote" names one, "Berlin / Paris" two."""
    groups: list[tuple[_City, ...]] = []
    for written in _named_apart(location):
        found = _narrowed([part for one in written for part in _parts(one)])
        for place, group in enumerate(groups if found else ()):
            if both := tuple(city for city in group if city in set(found)):
                groups[place] = both
                break
        else:
            groups += [found] if found else []
    return groups


def _named_apart(location: str) -> list[list[str]]:
    """Return the places that a text names, each in its parts: what stands between commas, except within a country."""
    apart: list[list[str]] = [[]]
    for written in _joined([one for one in _PARTS.split(location) if one.strip()]):
        first, *others = [written] if _country(written) else _EITHER.split(written)
        apart[-1].append(first)
        apart += [[one] for one in others]
    return [place for one in apart for place in _by_country(one)]


def _joined(parts: Sequence[str]) -> list[str]:
    """Return the parts with "Korea" and "Republic of" as one, the name that is read: "Republic of Korea"."""
    found: list[str] = []
    for part in parts:
        turned = f"{part} {found[-1]}" if found else ""
        if _country(turned) and not _country(part):
            found[-1] = turned
        else:
            found.append(part)
    return found


def _by_country(parts: list[str]) -> list[list[str]]:
    """Return the parts of a place; of several when they name countries that aren't in one another: Germany, France."""
    countries = [_country(part) for part in parts]
    larger = {_WITHIN.get(one, "") for one in countries} - {""}
    parts = [part for part, country in zip(parts, countries, strict=True) if not country or country not in larger]
    if len(set(countries) - larger - {""}) < 2 or _narrowed([one for part in parts for one in _parts(part)]) == ():
        return [parts]
    first, *_ = [_readings(one, last=False, alone=False) for part in parts if _country(part) for one in _parts(part)]
    last = next(set(_narrowed(list(_parts(part)))) for part in reversed(parts) if _country(part))
    if last.intersection(first):  # Georgia, United States
        return [parts]
    apart: list[list[str]] = [[]]
    for part in parts:
        apart[-1].append(part)
        apart += [[]] if _country(part) else []
    return [one for one in apart if one]


def _country(written: str) -> str:
    """Return the code of the country of that name; '' for any other text."""
    return _code(_bare(plain(written)))


def _code(name: str) -> str:
    return _COUNTRIES.get(name) or _gazetteer().countries.get(name, "")


def _bare(name: str) -> str:
    """Return a country's name without its form of state: "kingdom of norway" is Norway, a state of America is not."""
    name = name.removeprefix("the ") if _code(name.removeprefix("the ")) else name
    rest = _FORM.sub("", name)
    return rest if not _code(name) and rest not in _STATES["US"] and _code(rest) else name


def _parts(written: str) -> tuple[str, ...]:
    name = _bare(plain(written)).removeprefix("greater ")
    if name in _AS_PARTS:
        return _AS_PARTS[name]
    part = name if name in _CITIES else _AROUND.sub("", name) or name
    return (part,) if part else ()


def _narrowed(parts: list[str]) -> tuple[_City, ...]:
    """Return the cities that fit the parts; a part that fits none of those before it says nothing."""
    found: tuple[_City, ...] = ()
    for part in reversed(parts):  # the largest comes last
        fits = _readings(part, last=part == parts[-1], alone=len(parts) == 1)
        narrower = tuple(city for city in fits if city in set(found)) if found else fits
        if not narrower and found:
            wider = {(city.country, city.state) for city in fits}
            narrower = tuple(city for city in found if (city.country, city.state) in wider)
        found = narrower or found
    return found


@lru_cache(maxsize=8192)
def _readings(part: str, *, last: bool, alone: bool) -> tuple[_City, ...]:
    """Return the cities that a part may mean: those of a country, of a state, or of that name."""
    known = _gazetteer()
    found: dict[_City, None] = {}
    if country := _code(part):
        found.update(dict.fromkeys(_cities_of(country)))
    for country, states in _states().items():
        if part in states:
            found.update(dict.fromkeys(c for c in _cities_of(country) if c.state == states[part]))
    if len(part) == 2 and last and part.upper() in known.names:
        found.update(dict.fromkeys(_cities_of(part.upper())))
    city = _CITIES.get(part, part)
    own = known.of_name(city, own=True) or known.of_name(f"{city} city", own=True)
    # A name that a city and a country or state share is the city when it stands alone or before others: New York.
    if own and (not found or not last or (alone and part in _CITIES)):
        found.update(dict.fromkeys(own))
    if not found:
        found.update(dict.fromkeys(known.of_name(city, own=False)))
    return tuple(found) or _words(part)


def _words(part: str) -> tuple[_City, ...]:
    """Return what the last words, or else the first, of a longer text name: "Austin TX", "Berlin Germany"."""
    words = part.split()
    if not 2 <= len(words) <= 6:
        return ()
    for cut in range(1, len(words)):
        first = _readings(" ".join(words[:cut]), last=False, alone=False)
        second = _readings(" ".join(words[cut:]), last=True, alone=False)
        if both := tuple(city for city in first if city in set(second)):
            return both
    return ()


@cache
def _states() -> Mapping[str, Mapping[str, str]]:
    """Return by country the code of each state, as cities carry it, by name."""
    codes = {code.casefold(): code for code in _STATES["US"].values()}
    return _STATES | {"US": _STATES["US"] | codes}


def _likeliest(zones: Iterable[tuple[str, float]]) -> tuple[str, float]:
    """Return the zone with the largest share, and that share; zones that keep the same time count as one."""
    alike: defaultdict[tuple[object, ...], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for zone, weight in zones:
        alike[_clock(zone)][zone] += weight
    likeliest = max(alike.values(), key=lambda one: sum(one.values()))
    return max(likeliest, key=lambda one: likeliest[one]), round(min(1.0, sum(likeliest.values())), 3)


@lru_cache(maxsize=1024)
def _clock(zone: str) -> tuple[object, ...]:
    """Return the zone's offsets through a year."""
    known = ZoneInfo(zone)
    return tuple(datetime(2026, month, 15, tzinfo=UTC).astimezone(known).utcoffset() for month in (1, 4, 7, 10))


def _region(country: str, cities: Iterable[_City]) -> str:
    """Return the region whose public holidays count: the country, with the state when all the cities are in one."""
    if not public_holidays.is_region(country):
        return ""
    states = {city.state for city in cities} if country in _STATED else set()
    state = states.pop() if len(states) == 1 else ""
    region = f"{country}-{state}"
    return region if state and public_holidays.is_region(region) else country


class _Zone(NamedTuple):
    """The lines of the cities of one country in one zone."""

    begin: int
    end: int
    country: str
    zone: str


class _Gazetteer:
    """The places of the file, left in its bytes: all cities and names as objects take ten times the memory.

    Each entry of the index is the checksum of a name and, in the lower 32 bits, where the line of a city begins.
    """

    def __init__(self, file: bytes) -> None:
        self.countries: dict[str, str] = {}  # by name
        self.names: dict[str, str] = {}  # by code
        self._file = file
        self._zones: list[_Zone] = []
        index: list[int] = []
        end = 0
        for line in file.splitlines(keepends=True):
            begin, end = end, end + len(line)
            first, second, third, *more = line.rstrip().split(b"\t")
            if first == b"country":
                self.names[second.decode()] = third.decode()
                self.countries.update(dict.fromkeys(more[0].decode().split("|"), second.decode()))
            elif first == b"zone":
                self._zones.append(_Zone(end, end, second.decode(), third.decode()))
            else:
                self._zones[-1] = self._zones[-1]._replace(end=end)
                index += [crc32(name) << 32 | begin for name in third.split(b"|")]
        self._index = array("Q", sorted(index))

    def of_name(self, name: str, *, own: bool) -> tuple[_City, ...]:
        """Return the cities whose own name this is, or those whose other names it is one of."""
        checksum = crc32(name.encode()) << 32
        begin = bisect_left(self._index, checksum)
        found: list[_City] = []
        for entry in self._index[begin : bisect_left(self._index, checksum + (1 << 32), begin)]:
            place = bisect_right(self._zones, entry - checksum, key=attrgetter("begin")) - 1
            city, names = self._city(entry - checksum, self._zones[place])
            if (names[0] == name) if own else (name in names[1:]):
                found.append(city)
        return tuple(found)

    def of_country(self, code: str) -> Iterator[_City]:
        """Return all cities of a country."""
        for zone in self._zones:
            at = zone.begin
            while zone.country == code and at < zone.end:
                yield self._city(at, zone)[0]
                at = self._file.index(b"\n", at) + 1

    def country_of(self, zone: str) -> str:
        """Return the country of the largest city in a time zone; '' for none."""
        largest = [self._city(one.begin, one)[0] for one in self._zones if one.zone == zone]
        return max(((city.people, city.country) for city in largest), default=(0, ""))[1]

    def _city(self, at: int, zone: _Zone) -> tuple[_City, list[str]]:
        """Return the city whose line begins there, and its names."""
        state, people, names = self._file[at : self._file.index(b"\n", at)].decode().split("\t")
        state = _CODES.get(zone.country, {}).get(state, state)
        return _City(zone.country, state, zone.zone, max(1, int(people))), names.split("|")


@made_once
def _gazetteer() -> _Gazetteer:
    """Read the places; a moment's work, once."""
    return _Gazetteer(resources.files("app.domain.rules.schedules").joinpath("places.tsv").read_bytes())


@lru_cache(maxsize=64)
def _cities_of(country: str) -> tuple[_City, ...]:
    """Return all cities of a country."""
    return tuple(_gazetteer().of_country(country))
