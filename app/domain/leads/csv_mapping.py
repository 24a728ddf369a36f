"""Map CSV columns to fields: guessed by name, chosen by a person, applied to every row."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from app.core import text
from app.core.errors import InvalidRequest
from app.domain.leads import full_names, profiles
from app.domain.leads.imports import csv_column_names, placeholders
from app.domain.leads.profiles import InvalidProfile, Profile
from app.domain.people import free_mail_hosts, role_addresses
from app.domain.people.people import ProfileFields

Found = TypeVar("Found")

IGNORE = ""
CUSTOM = "custom:"
TAGS_APART = re.compile(r"[;|\n]")
_QUOTED_APART = re.compile(r'"\s*,\s*"')
CSV_FIELDS = {
    "profileUrl": "Profile link",
    "publicId": "Public ID",
    "firstName": "First name",
    "lastName": "Last name",
    "fullName": "Full name",
    "headline": "Headline",
    "position": "Job title",
    "companyName": "Company",
    "companyUrl": "Company website",
    "location": "Location",
    "email": "Email",
    "phone": "Phone",
    "tags": "Tags",
    "imageUrl": "Picture",
}
"""What a column can be, as it is called on the page."""
IDENTITY = {"profileUrl", "publicId", "email"}
_TEXTS = profiles.TEXTS | {"imageUrl": ("image_url", profiles.TEXTS["profileUrl"][1])}
FIRST_OF = ("email", "phone")  # may have several columns; the first filled one counts
MOST_OTHER_ADDRESSES = 5  # of one person, besides the first; each identifies them
SEVERAL = ("location", "tags", *FIRST_OF)
# Columns that our files of refused rows append; a corrected file may be imported again.
ABOUT_REFUSALS = ("Left out", "Row", "Reason")
WHOLE_ROW = "Whole row"
_SIGNS = re.compile(r"[\W_]+")
_MARKS = re.compile("[\u0300-\u036f]")
_OF_PERSON = re.compile(
    r"^(?:person|people|contact|kontakt|personne|persona|persoon|pessoa)\s*[-–:.>]\s*", re.IGNORECASE
)
_ID = re.compile(r"(?:^|[\W_]|(?<=[a-z]))(?:IDs?|Ids?|GUID|UUID|URN)$|(?:^|[\W_])(?:ids?|guid|uuid|urn)$")
_BOOKKEEPING = re.compile(
    r"^(?:e-?mail|phone|website|address|organization|relation|event)\b.* - (?:label|type)$", re.IGNORECASE
)
_STAFF = re.compile(  # columns with addresses of the people who keep the file
    r"owner|manager|\buser|sender|assigned|(?:created|updated|modified) by|\brep\b|besitzer|zuständig|propri[eé]tai?r|"
    r"propietario|eigenaar|responsável",
    re.IGNORECASE,
)
_PROFILE = re.compile(r"/(?:in|pub|profile|people|sales/lead|sales/people|talent)/", re.IGNORECASE)
# Links of the paid products, which only their customers can open: a public profile in another column is better.
_OF_PRODUCT = re.compile(r"/(?:sales|talent|recruiter)/", re.IGNORECASE)
_PAGE = re.compile(r"\blinkedin\.com/", re.IGNORECASE)
_ADDRESSES_APART = re.compile(r"[;,|\n]|:::")
# Words for the full name, or for the first or last name if the other has a column of its own.
_FIRST_OR_WHOLE, _LAST_OR_WHOLE = {"nome", "nombre"}, {"name", "nom", "naam"}


def normalize(name: str) -> str:
    """Normalize a column name: `Person LinkedIn URL`, `person_linkedin_url` and `personLinkedinUrl` are equal."""
    plain = _SIGNS.sub("", text.squeeze(name).casefold())
    return plain if plain.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", plain))


def _ranked(names: str) -> dict[str, int]:
    """Return the normalized names of a comma-separated text, each with its rank."""
    return {normalize(name): rank for rank, name in reversed(list(enumerate(names.split(","))))}


_NAMES = {name: (key, rank) for key, names in csv_column_names.NAMES.items() for name, rank in _ranked(names).items()}
_PLACES = [_ranked(names) for names in csv_column_names.PLACES]
_ADDRESSES, _IGNORED = _ranked(csv_column_names.ADDRESSES), _ranked(csv_column_names.IGNORED)
_WITH_GUESSED = _IGNORED | _ranked(csv_column_names.GUESSED)


def _find(name: str, among: Mapping[str, Found]) -> Found | None:
    """Return the entry for the column's name, with or without a prefix such as `Person -`."""
    spellings = normalize(name), normalize(_OF_PERSON.sub("", name))
    return next((among[spelling] for spelling in spellings if spelling in among), None)


def names(row: Sequence[str]) -> list[str]:
    """Return a unique name for every column."""
    found: list[str] = []
    for number, cell in enumerate(row, 1):
        name = wanted = (
            text.shorten(text.squeeze(cell).lstrip("\ufeff"), profiles.LONGEST_CUSTOM_NAME - 5) or f"Column {number}"
        )
        again = 2
        while name in found:
            name, again = f"{wanted} ({again})", again + 1
        found.append(name)
    return found


def is_known(row: Sequence[str]) -> bool:
    """Return whether the row has known column names, at least the one that identifies the person."""
    keys = {known[0] for cell in row if (known := _find(cell, _NAMES))}
    return not keys.isdisjoint(("profileUrl", "publicId", "email"))


def is_of_person(name: str) -> bool:
    """Return whether the column holds a field of a person, such as their name, and no tags."""
    known = _find(name, _NAMES)
    return known is not None and known[0] != "tags"


def is_person(row: Sequence[str]) -> bool:
    """Return whether the row is a person and no header: a cell is a profile link or an email address."""
    return any(("/in/" in cell and text.public_id(cell)) or ("@" in cell and text.written_email(cell)) for cell in row)


def guess_mapping(header: Sequence[str], samples: Sequence[Sequence[str]] = ()) -> dict[str, str]:
    """Guess for each column, numbered from 0, its field, a custom field, or nothing."""
    filled = [
        [row[number].strip() for row in samples if number < len(row) and row[number].strip()]
        for number in range(len(header))
    ]
    best = _by_name(header, filled)
    for key, numbers in _by_content(header, filled).items():
        best.setdefault(key, numbers)
    _settle_names(best, header, samples)
    ignored = _WITH_GUESSED if "gmtoff" in map(normalize, header) else _IGNORED
    if "location" not in best:
        used = {number for numbers in best.values() for number in numbers}
        found = _places(header) or _places(header, [_ADDRESSES])
        best["location"] = [one for one in found if one not in used and normalize(header[one]) not in ignored]
    if about := _about_refusals(header):
        best[IGNORE] = about
    fields = {number: key for key, numbers in best.items() for number in numbers}
    mapping, own = {}, 0
    for number, name in enumerate(header):
        wanted = fields.get(number, IGNORE)
        is_own = number not in fields and _is_own(name, filled[number] or not samples, ignored)
        if is_own and own < profiles.MOST_CUSTOM_FIELDS:
            wanted, own = _custom(name), own + 1
        mapping[str(number)] = wanted
    return mapping


def _about_refusals(header: Sequence[str]) -> list[int]:
    """Return the columns that say why the rows of one of our files were refused; `Left out` may be missing."""
    for names in (ABOUT_REFUSALS, ABOUT_REFUSALS[1:]):
        if tuple(header[-len(names) :]) == names:
            return list(range(len(header) - len(names), len(header)))
    return []


def left_out(field: str) -> str:
    """Return what was left out, as a refusal's field says, in words."""
    return {"": WHOLE_ROW, "customFields": "Custom fields"}.get(field) or CSV_FIELDS[field]


def _by_name(header: Sequence[str], filled: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Return the columns of each field by their names: all that may count, or a filled one with the best name."""
    candidates: dict[str, list[tuple[bool, bool, int, int]]] = {}
    for number, name in enumerate(header):
        known = _find(name, _NAMES)
        if known and _fits(known[0], filled[number]):
            search = known[0] == "profileUrl" and any(map(_OF_PRODUCT.search, filled[number]))
            candidates.setdefault(known[0], []).append((not filled[number], search, known[1], number))
    return {
        key: sorted(number for *_, number in found) if key in (*FIRST_OF, "tags") else [min(found)[3]]
        for key, found in candidates.items()
    }


def _fits(key: str, cells: Sequence[str]) -> bool:
    """Return whether the cells match the column's name: a company's page, for example, is no person's profile."""
    if key == "profileUrl":
        return not cells or any("/" not in cell or _PROFILE.search(cell) for cell in cells)
    return key != "companyUrl" or not cells or not all(map(_PAGE.search, cells))


def _by_content(header: Sequence[str], filled: Sequence[Sequence[str]]) -> dict[str, list[int]]:
    """Return the columns whose cells are all profile links, or mostly email addresses, of the people themselves."""
    theirs = [number for number, name in enumerate(header) if filled[number] and not _STAFF.search(name)]
    links = [number for number in theirs if all("/in/" in cell and text.public_id(cell) for cell in filled[number])]
    addresses = [
        number for number in theirs if 2 * sum(map(bool, map(text.written_email, filled[number]))) > len(filled[number])
    ]
    found = {"profileUrl": links[:1], "email": addresses}
    return {key: numbers for key, numbers in found.items() if numbers}


def _settle_names(best: dict[str, list[int]], header: Sequence[str], samples: Sequence[Sequence[str]]) -> None:
    """Read `Nom` beside `Prénom` as the last name, `Nombre` beside `Apellidos` as the first, else as the whole."""
    if "fullName" not in best:
        return
    whole = best["fullName"][0]
    word = normalize(_OF_PERSON.sub("", header[whole]))
    missing = [key for key in ("firstName", "lastName") if key not in best]
    if missing == ["lastName"] and word in _LAST_OR_WHOLE and not _repeats(best["firstName"][0], whole, samples):
        best["lastName"] = best.pop("fullName")
    elif missing == ["firstName"] and word in _FIRST_OR_WHOLE and not _repeats(best["lastName"][0], whole, samples):
        best["firstName"] = best.pop("fullName")
    elif not missing:
        best[IGNORE] = best.pop("fullName")


def _repeats(part: int, whole: int, samples: Sequence[Sequence[str]]) -> bool:
    """Return whether the full-name column always contains the value of the other name column."""
    pairs = [(row[part].strip(), row[whole].strip()) for row in samples if max(part, whole) < len(row)]
    both = [(one, name) for one, name in pairs if one and name]
    return bool(both) and all(len(name) > len(one) and one in name for one, name in both)


def _places(header: Sequence[str], levels: Sequence[Mapping[str, int]] = _PLACES) -> list[int]:
    """Return the columns that together are the location."""
    found = []
    for level in levels:
        ranked = [(rank, number) for number, name in enumerate(header) if (rank := _find(name, level)) is not None]
        found += [min(ranked)[1]] if ranked else []
    return sorted(found)


def _is_own(name: str, is_filled: object, ignored: Mapping[str, int]) -> bool:
    """Return whether the column is kept as a custom field: neither empty nor the bookkeeping of another program."""
    if _custom(name) != CUSTOM + name:
        return True
    return bool(is_filled) and not (_ID.search(name) or _BOOKKEEPING.search(name) or _find(name, ignored) is not None)


def _custom(name: str) -> str:
    """Return the custom field for a column of that name; one of our own exports says `custom:` already."""
    given = name[len(CUSTOM) :].strip() if name.casefold().startswith(CUSTOM) else ""
    return CUSTOM + (given or name)


def check(mapping: Mapping[str, Any], header: Sequence[str]) -> dict[str, str]:
    """Return the mapping with every column; raise InvalidRequest for unknown columns or without an identity."""
    problems, clean, used = [], {str(number): IGNORE for number in range(len(header))}, set()
    for number, key in mapping.items():
        path = f"mapping.{number}"
        if number not in clean:
            problems.append((path, "Column not found."))
        elif not isinstance(key, str) or not _is_target(key):
            problems.append((path, "Choose a field or a custom field, or don't import the column."))
        elif key in used and key not in SEVERAL:
            label = CSV_FIELDS.get(key) or key.removeprefix(CUSTOM)
            problems.append((path, f"Two columns can't both be “{label}”. Choose “Don't import” for one of them."))
        else:
            clean[number] = key
            used |= {key} if key else set()
    if not used & IDENTITY:
        problems.append(("mapping", "Choose the column with the profile link, the public ID or the email address."))
    InvalidRequest.raise_for(problems)
    return clean


def _is_target(key: str) -> bool:
    name = key.removeprefix(CUSTOM).strip()
    mine = key.startswith(CUSTOM) and 0 < len(name) <= profiles.LONGEST_CUSTOM_NAME and profiles.is_single_line(name)
    return key == IGNORE or key in CSV_FIELDS or mine


class _Reading:
    """What a row contains: the values that are valid, and what is wrong with the others."""

    def __init__(self) -> None:
        self.given: ProfileFields = {}
        self.problems: list[tuple[str, str]] = []

    def put(self, key: str, value: str, *, first: bool = False) -> None:
        """Take the value of a field; with `first` the field keeps what it has already."""
        column, longest = _TEXTS[key]
        if len(value) > longest:
            label = CSV_FIELDS[key]
            self.problems.append((key, f"{label} has {len(value):,} characters; the maximum is {longest:,}."))
        elif not first or column not in self.given:
            self.given[column] = value

    def checked(self, key: str, column: str, read: Callable[[], Any]) -> None:
        """Take what `read` returns, unless it refuses."""
        try:
            self.given[column] = read()
        except InvalidProfile as refusal:
            self.problems.append((key, str(refusal)))


def row_reader(mapping: Mapping[str, str]) -> Callable[[Sequence[str]], Profile]:
    """Return a function from row to profile; an empty cell gives nothing, and a row without an identity is refused."""
    simple = [(int(number), key) for number, key in mapping.items() if key in _TEXTS and key not in _TAKE_SEVERAL]
    own = [(int(number), key.removeprefix(CUSTOM).strip()) for number, key in mapping.items() if key.startswith(CUSTOM)]
    several = [(numbers, put) for key, put in _TAKE_SEVERAL.items() if (numbers := _numbers(mapping, key))]

    def take(cells: Sequence[str]) -> Profile:
        if not text.is_text("".join(cells)):
            raise InvalidProfile("The row has a character that can't be stored.")
        row = _Reading()
        for number, key in simple:
            if cell := placeholders.filled(cells[number]):
                row.put(key, text.csv_text(cell) if "'" in cell else cell)
        for numbers, put in several:
            if texts := _texts(cells, numbers):
                put(row, texts)
        if fields := {name: text.csv_text(cell) for number, name in own if (cell := cells[number].strip())}:
            row.checked("customFields", "custom_fields", lambda: profiles.custom_fields(fields))
        given = row.given
        if placeholders.is_no_name(f"{given.get('first_name', '')} {given.get('last_name', '')}"):
            del given["first_name"], given["last_name"]
        if "profile_url" in given and "/" not in given["profile_url"]:
            given.setdefault("public_id", given.pop("profile_url"))
        return profiles.identity(given, row.problems, by_email=True)

    return take


def _numbers(mapping: Mapping[str, str], key: str) -> list[int]:
    return sorted(int(number) for number, wanted in mapping.items() if wanted == key)


def _take_place(row: _Reading, texts: list[str]) -> None:
    row.put("location", ", ".join(texts))


def _take_tags(row: _Reading, texts: list[str]) -> None:
    found = [tag for each in texts for part in TAGS_APART.split(each) for tag in _unquoted(part.strip())]
    row.checked("tags", "tags", lambda: profiles.tags(found))


def _unquoted(tags: str) -> list[str]:
    """Return tags without quotation marks; Mailchimp writes the tags of a person as `"Newsletter","Customers"`."""
    is_quoted = len(tags) > 1 and tags.startswith('"') and tags.endswith('"')
    return _QUOTED_APART.split(tags[1:-1]) if is_quoted else [tags]


def _take_names(row: _Reading, texts: list[str]) -> None:
    for name in texts:
        for key, part in zip(("firstName", "lastName"), full_names.split(name), strict=True):
            if part:
                row.put(key, part, first=True)


def _take_address(row: _Reading, texts: list[str]) -> None:
    written = _first_address(texts)
    row.put("email", written)
    if len(texts) > 1 or written != texts[0]:
        known = text.written_email(written)
        own = [one for one in dict.fromkeys(_addresses(texts)) if one != known and not role_addresses.is_role(one)]
        row.given["other_emails"] = own[:MOST_OTHER_ADDRESSES]
    name, bracket, _ = written.partition("<")
    if bracket and (name := name.strip(" \"'")) and "@" not in name:
        _take_names(row, [name])


def _take_phone(row: _Reading, texts: list[str]) -> None:
    row.put("phone", texts[0].split(":::")[0].strip())


_TAKE_SEVERAL: dict[str, Callable[[_Reading, list[str]], None]] = {
    "location": _take_place,
    "tags": _take_tags,
    "fullName": _take_names,
    "email": _take_address,
    "phone": _take_phone,
}
"""How the filled cells of several columns, or parts of one, become fields; names come after those of columns."""


def addresses(cells: Sequence[str], mapping: Mapping[str, str]) -> list[str]:
    """Return every valid address of the row's columns of addresses."""
    return _addresses(_texts(cells, _numbers(mapping, "email")))


def _addresses(texts: Iterable[str]) -> list[str]:
    parts = (part for cell in texts for part in _ADDRESSES_APART.split(cell))
    return [address for part in parts if (address := text.written_email(part))]


def domain_alone(cells: Sequence[str], mapping: Mapping[str, str]) -> str:
    """Return the domain that stands where a person's address would, as lists of blocked addresses have it."""
    texts = (cell.lstrip("*@.") for cell in _texts(cells, _numbers(mapping, "email")))
    found = (text.domain(cell) for cell in texts if "@" not in cell and " " not in cell)
    return next((domain for domain in found if domain and not free_mail_hosts.is_free(domain)), "")


def _first_address(cells: Sequence[str]) -> str:
    """Return the first valid address of the cells, which may hold several; without one, the first cell as it is."""
    for cell in cells:
        for part in _ADDRESSES_APART.split(cell) if cell.count("@") > 1 else [cell]:
            if text.written_email(part):
                return part.strip()
    return cells[0] if cells else ""


def _texts(cells: Sequence[str], numbers: Iterable[int]) -> list[str]:
    return [cell for number in numbers if (cell := text.csv_text(placeholders.filled(cells[number])))]
