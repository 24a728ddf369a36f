"""Fit: which words of a targeting a person matches, which they do not, and which nothing is known about."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.core import company_sizes, countries
from app.core.countries import Place


class Known(NamedTuple):
    """The known facts of a person that a targeting can be compared with."""

    title: str = ""
    headline: str = ""
    company: str = ""
    industry: str = ""
    size: str = ""
    location: str = ""


class RowFit(NamedTuple):
    """The words of one row of a targeting: those that match, those that do not, those that cannot be told."""

    row: str
    matched: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Return whether enough is known to say if the row fits."""
        return bool(self.matched or self.missed)


class Fit(NamedTuple):
    """How a person fits a targeting. The words of a row are alternatives: a row fits when one of them does."""

    rows: tuple[RowFit, ...]

    @property
    def matched(self) -> int:
        """Return how many rows fit."""
        return sum(bool(row.matched) for row in self.rows)

    @property
    def known(self) -> int:
        """Return of how many rows it is known whether they fit."""
        return sum(row.is_known for row in self.rows)


def measure(targeting: Mapping[str, Sequence[str]], person: Known) -> Fit | None:
    """Return how the person fits; None for a targeting without words."""
    rows = []
    for row, look in _LOOKS.items():
        if labels := targeting.get(row):
            said = {label: look(label, person) for label in labels}
            rows.append(RowFit(row, *(tuple(one for one in labels if said[one] is is_) for is_ in (True, False, None))))
    return Fit(tuple(rows)) if rows else None


_SHORT = {
    "vp": "vice president",
    "svp": "senior vice president",
    "evp": "executive vice president",
    "avp": "assistant vice president",
    "ceo": "chief executive officer",
    "cto": "chief technology officer",
    "cfo": "chief financial officer",
    "coo": "chief operating officer",
    "cmo": "chief marketing officer",
    "cro": "chief revenue officer",
    "cio": "chief information officer",
    "ciso": "chief information security officer",
    "cofounder": "co founder",
    "md": "managing director",
    "hr": "human resources",
    "sr": "senior",
    "jr": "junior",
    "mgr": "manager",
    "saas": "software",
    "it": "information technology",
}
_SMALL = frozenset("a an and at by de der des di for für im in la le of on the und y et e".split())
_PLAIN = frozenset(
    "company companies firm firms business businesses industry sector organization organizations".split()
)
_GENDERED = re.compile(r"[:*/_]-?in(nen)?\b|\((?:m|w|f|d|x|/|\s|\*)+\)", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_PARTS = re.compile(r"[|·•;]|\s[–—-]\s|@|\s(?:at|bei|chez)\s", re.IGNORECASE)
_FORMER = re.compile(r"^\W*(?:ex|former|formerly|previously|past|retired)\b", re.IGNORECASE)
_AND = re.compile(r"\s(?:and|und|et|y|e)\s|[&;/]", re.IGNORECASE)
_SERVES = re.compile(r"\s(?:to|reporting)\s", re.IGNORECASE)  # “Assistant to the CEO” is no CEO


def _stem(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


@lru_cache(maxsize=4096)
def _words(written: str) -> frozenset[str]:
    """Return the words of a title or a kind of company, spelled out and without endings."""
    plain = unicodedata.normalize("NFKC", _GENDERED.sub(" ", written)).casefold().replace("co-founder", "cofounder")
    found = (part for word in _WORD.findall(plain) for part in _SHORT.get(word, word).split())
    return frozenset(_stem(word) for word in found if word not in _SMALL)


def _title(label: str, person: Known) -> bool | None:
    wanted = _words(label)
    parts = [part for written in (person.title, person.headline) for part in _PARTS.split(written) if part.strip()]
    if not parts or not wanted:
        return None
    held = [_words(_SERVES.split(part)[0]) for part in parts if not _FORMER.match(part)]
    # A head of support may well be the head of customer support: the title says less, not something else.
    says_less = any(len(words) > 1 and words < wanted for words in held)
    return any(wanted <= words for words in held) or (None if says_less else False)


def _company_type(label: str, person: Known) -> bool | None:
    wanted = _words(label) - {_stem(word) for word in _PLAIN}
    told = (person.industry, person.headline, person.company)
    if wanted and any(wanted <= _words(written) for written in told):
        return True
    return False if wanted and person.industry else None


def _size(label: str, person: Known) -> bool | None:
    wanted, theirs = company_sizes.employees(label), _employees(person.size)
    if wanted is None or theirs is None:
        return None
    return wanted[0] <= theirs[1] and theirs[0] <= wanted[1]


def _employees(written: str) -> tuple[int, int] | None:
    number = re.sub(r"[,.\s]", "", written)
    return (int(number), int(number)) if number.isdecimal() else company_sizes.employees(written)


def _location(label: str, person: Known) -> bool | None:
    if not person.location.strip():
        return None
    wanted = countries.places(label)
    if len(wanted) == 1 and wanted[0].town:  # “Leeds and Yorkshire” names two places, “Trinidad and Tobago” one
        wanted = [place for part in _AND.split(label) for place in countries.places(part)]
    if not wanted:
        return True
    country, towns = _lives(person.location)
    said = [_is_in(place, country, towns) for place in wanted]
    return True if True in said else None if None in said else False


@lru_cache(maxsize=4096)
def _lives(location: str) -> tuple[str, frozenset[str]]:
    """Return the country, and the words of the towns and regions, in which a person says that they live."""
    parts = [part.strip() for part in location.casefold().split(",")]
    whole = countries.places(", ".join(parts[-2:]))
    if len(parts) > 1 and len(whole) == 1 and whole[0].country and not whole[0].town:  # Korea, Republic of
        parts[-2:] = [whole[0].country]
    # Two letters after a town may be a US state as well as a country code, so they name no country here.
    named = countries.places(parts[-1]) if len(parts[-1]) > 2 else []
    country = named[0].country if len(named) == 1 else ""
    towns = parts[:-1] if country else parts
    return country, frozenset(word for part in towns for word in _WORD.findall(part))


def _is_in(place: Place, country: str, towns: frozenset[str]) -> bool | None:
    if not place.town:
        return place.country == country if country else None
    if place.country and country and place.country != country:
        return False
    return set(_WORD.findall(place.town)) <= towns if towns else None


_LOOKS: Mapping[str, Callable[[str, Known], bool | None]] = {
    "titles": _title,
    "companyType": _company_type,
    "size": _size,
    "location": _location,
}
ROWS = tuple(_LOOKS)
