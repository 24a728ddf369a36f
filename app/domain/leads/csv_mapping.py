"""Map CSV columns to fields: guessed by name, chosen by a person, applied to every row."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from app.core import text
from app.core.errors import InvalidRequest
from app.domain.leads import profiles
from app.domain.leads.profiles import InvalidProfile, ProfileFields

IGNORE = ""
CUSTOM = "custom:"
TAGS_APART = re.compile(r"[;|\n]")
# What a column can be, as it is called on the page, and the names that common exports give it.
CSV_FIELDS: dict[str, tuple[str, str]] = {
    "profileUrl": (
        "Profile link",
        "profile url, profile, profile link, person linkedin url, linkedin profile url, linkedin url, linkedin,"
        " linkedin profile, contact linkedin url, prospect linkedin url, linkedin profile link, linkedin link,"
        " hs linkedin url, default profile url, vanity url, li url, url, link",
    ),
    "publicId": ("Public id", "public id, public identifier, linkedin id, profile id, vanity name, username, handle"),
    "firstName": ("First name", "first name, firstname, given name, forename, contact first name, first"),
    "lastName": ("Last name", "last name, lastname, surname, family name, contact last name, last"),
    "fullName": (
        "Full name",
        "full name, fullname, name, contact name, person name, contact full name, contact",
    ),
    "headline": ("Headline", "headline, linkedin headline, profile headline, bio, summary line"),
    "position": (
        "Job title",
        "position, job title, title, current title, current position, prospect position, role, current job, jobtitle,"
        " occupation, contact title",
    ),
    "companyName": (
        "Company",
        "company name, company, organization, organisation, account name, current company, employer, organization name,"
        " associated company, primary company, company name for emails, account, business",
    ),
    "companyUrl": (
        "Company website",
        "company url, company website, website, company domain, domain, website url, organization website, homepage,"
        " company domain name, web site, corporate website",
    ),
    "location": ("Location", "location, person location, contact location, geo, region, address"),
    "email": (
        "Email",
        "email, e mail, email address, e mail address, work email, business email, contact email, primary email,"
        " professional email, email 1, mail",
    ),
    "phone": (
        "Phone",
        "phone, phone number, mobile, mobile phone, mobile number, mobile phone number, work direct phone,"
        " direct phone, corporate phone, work phone, telephone, cell phone, home phone, phone 1",
    ),
    "tags": ("Tags", "tags, tag, labels, label"),
    "imageUrl": ("Picture", "image url, image, picture, picture url, photo, photo url, profile image url, avatar"),
}
IDENTITY = {"profileUrl", "publicId"}
SEVERAL = ("location", "tags")  # may come from several columns
ABOUT_REFUSALS = ("Row", "Reason")  # stand behind the columns of a file of refused rows, which may come back corrected
PLACES = ("city", "state", "country")  # together they are the location where no column is
NAMES = {name.replace(" ", ""): key for key, (_, names) in CSV_FIELDS.items() for name in names.split(", ")}
RANK = {name.replace(" ", ""): rank for _, names in CSV_FIELDS.values() for rank, name in enumerate(names.split(", "))}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SIGNS = re.compile(r"[\W_]+")


def normalize(name: str) -> str:
    """Normalize a column name: `Person LinkedIn URL`, `person_linkedin_url` and `personLinkedinUrl` are equal."""
    return _SIGNS.sub("", text.squeeze(name).casefold())


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
    return any(NAMES.get(normalize(cell)) in ("profileUrl", "publicId", "email") for cell in row)


def is_person(row: Sequence[str]) -> bool:
    """Return whether the row is a person and no header: a cell is a profile link or an email address."""
    return any(("/in/" in cell and text.public_id(cell)) or ("@" in cell and text.email(cell)) for cell in row)


def guess_mapping(header: Sequence[str], samples: Sequence[Sequence[str]] = ()) -> dict[str, str]:
    """Guess for each column, numbered from 0, its field, a custom field, or nothing."""
    mapping: dict[str, str] = {}
    best: dict[str, tuple[int, int]] = {}
    for number, name in enumerate(header):
        key = NAMES.get(normalize(name)) or _by_content([row[number] for row in samples if number < len(row)])
        if name.casefold().startswith(CUSTOM) and name[len(CUSTOM) :].strip():
            mapping[str(number)] = CUSTOM + name[len(CUSTOM) :].strip()
            continue
        mapping[str(number)] = CUSTOM + name if _filled(samples, number) else IGNORE
        if key:
            best[key] = min(best.get(key, (1000, 0)), (RANK.get(normalize(name), 999), number))
    for key, (_, number) in best.items():
        mapping[str(number)] = key
    if "fullName" in best and {"firstName", "lastName"} <= best.keys():
        mapping[str(best["fullName"][1])] = IGNORE
    if tuple(header[-2:]) == ABOUT_REFUSALS:
        mapping.update({str(len(header) - 2): IGNORE, str(len(header) - 1): IGNORE})
    if "location" not in best:
        places = {normalize(name): number for number, name in reversed(list(enumerate(header)))}
        mapping.update({str(places[place]): "location" for place in PLACES if place in places})
    return mapping


def _by_content(cells: Sequence[str]) -> str:
    filled = [cell for cell in cells if cell.strip()]
    if filled and all("/in/" in cell and text.public_id(cell) for cell in filled):
        return "profileUrl"
    return "email" if filled and all(text.email(cell) for cell in filled) else ""


def _filled(samples: Sequence[Sequence[str]], number: int) -> bool:
    return not samples or any(row[number].strip() for row in samples if number < len(row))


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
            label = CSV_FIELDS[key][0] if key in CSV_FIELDS else key.removeprefix(CUSTOM)
            problems.append((path, f"Two columns can't both be “{label}”. Choose “Don't import” for one."))
        else:
            clean[number] = key
            used |= {key} if key else set()
    if not used & IDENTITY:
        problems.append(("mapping", "Choose the column with the profile link or the public id."))
    if problems:
        raise InvalidRequest.of(*problems)
    return clean


def _is_target(key: str) -> bool:
    name = key.removeprefix(CUSTOM).strip()
    mine = key.startswith(CUSTOM) and 0 < len(name) <= profiles.LONGEST_CUSTOM_NAME and profiles.is_single_line(name)
    return key == IGNORE or key in CSV_FIELDS or mine


def row_reader(mapping: Mapping[str, str]) -> Callable[[Sequence[str]], ProfileFields]:
    """Return a function from row to profile; it raises Unfit for invalid rows. An empty cell gives nothing."""
    simple = [
        (int(number), *profiles.TEXTS[key], CSV_FIELDS[key][0])
        for number, key in mapping.items()
        if key in profiles.TEXTS
    ]
    simple = [one for one in simple if one[1] != "location"]
    own = [(int(number), key.removeprefix(CUSTOM).strip()) for number, key in mapping.items() if key.startswith(CUSTOM)]
    several = {key: _numbers(mapping, key) for key in ("location", "tags", "fullName", "imageUrl")}
    more = any(several.values())

    def take(cells: Sequence[str]) -> ProfileFields:
        given: ProfileFields = {}
        whole = "".join(cells)
        if not text.is_text(whole):
            raise InvalidProfile("The row has a character that can't be stored.")
        for number, column, longest, label in simple:
            if cell := cells[number].strip():
                if cell[0] == "'":
                    cell = text.csv_text(cell)
                given[column] = cell if len(cell) <= longest else _fitting(cell, longest, label)
        if more:
            _take_several(given, cells, several)
        if own:
            fields = {name: text.csv_text(cell) for number, name in own if (cell := cells[number].strip())}
            if fields:
                easy = len(whole) <= profiles.LONGEST and len(own) <= profiles.MOST_CUSTOM_FIELDS
                given["custom_fields"] = fields if easy else profiles.custom_fields(fields)
        if "profile_url" in given and "/" not in given["profile_url"]:
            given.setdefault("public_id", given.pop("profile_url"))
        return profiles.identity(given)

    return take


def _numbers(mapping: Mapping[str, str], key: str) -> list[int]:
    return sorted(int(number) for number, wanted in mapping.items() if wanted == key)


def _take_several(given: ProfileFields, cells: Sequence[str], several: Mapping[str, list[int]]) -> None:
    """Add the fields that come from several cells, or from a part of one."""
    if place := ", ".join(_texts(cells, several["location"])):
        given["location"] = _fitting(place, profiles.LONGEST, "Location")
    if tags := [tag for cell in _texts(cells, several["tags"]) for tag in TAGS_APART.split(cell)]:
        given["tags"] = profiles.tags(tags)
    for name in _texts(cells, several["fullName"]):
        first, _, last = text.squeeze(_fitting(name, profiles.LONGEST, "Full name")).partition(" ")
        given.setdefault("first_name", first)
        given.setdefault("last_name", last)
    for url in _texts(cells, several["imageUrl"]):
        given["image_url"] = _fitting(url, profiles.TEXTS["profileUrl"][1], "Picture")


def _texts(cells: Sequence[str], numbers: Iterable[int]) -> list[str]:
    return [cell for number in numbers if (cell := text.csv_text(cells[number].strip()))]


def _fitting(cell: str, longest: int, label: str) -> str:
    if len(cell) > longest:
        raise InvalidProfile(f"{label} has {len(cell):,} characters; the maximum is {longest:,}.")
    return cell
