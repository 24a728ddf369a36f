"""Validate and normalize profiles: the person, and only the given fields."""

import json
import re
from hashlib import blake2b
from typing import Any

from app.core import text

LONGEST = 4000
# As the specification names them: the column, and how long the text may be.
TEXTS: dict[str, tuple[str, int]] = {
    "profileUrl": ("profile_url", 2000),
    "publicId": ("public_id", 2000),
    "firstName": ("first_name", LONGEST),
    "lastName": ("last_name", LONGEST),
    "headline": ("headline", LONGEST),
    "position": ("position", LONGEST),
    "companyName": ("company_name", LONGEST),
    "companyUrl": ("company_url", 2000),
    "location": ("location", LONGEST),
    "email": ("email", 320),
    "phone": ("phone", 200),
}
COLUMNS = tuple(column for column, _ in TEXTS.values())
LONGEST_ID = 300
MOST_CUSTOM_FIELDS, LONGEST_CUSTOM_NAME, LONGEST_CUSTOM = 100, 100, 20_000
MOST_TAGS, LONGEST_TAG = 50, 50
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
_BROKEN_IN_JSON = re.compile(r"(?<!\\)(?:\\\\)*\\u0000|[\ud800-\udfff]")
_MADE = re.compile("address-[0-9a-f]{16}")
_APART = re.compile("[;|]")  # stand between tags in a file

ProfileFields = dict[str, Any]
"""The columns that were given, `person` among them."""


class InvalidProfile(Exception):
    """This profile cannot be taken; the sentence says why."""


def read(profile: Any) -> ProfileFields:
    """Return the columns of `profile` with its `person`; raise Unfit for no identity or a wrong type."""
    if not isinstance(profile, dict):
        raise InvalidProfile("A profile must be an object.")
    given: ProfileFields = {}
    for name, value in profile.items():
        known = TEXTS.get(name)
        if known is None:
            if name == "customFields":
                given["custom_fields"] = custom_fields(value)
            continue
        column, longest = known
        if not isinstance(value, str):
            raise InvalidProfile(f"{name} must be a text.")
        if len(value) > longest:
            raise InvalidProfile(f"{name} has {len(value)} characters; the maximum is {longest}.")
        if not text.is_text(value):
            raise InvalidProfile(f"{name} has a character that can't be stored.")
        given[column] = value.strip()
    return identity(given)


def is_single_line(value: str) -> bool:
    """Return whether the value has no control characters, so that it fits on one line."""
    return _CONTROL.search(value) is None


def identity(given: ProfileFields) -> ProfileFields:
    """Return `given` with its person, the normalized public id and the normalized email address."""
    person = text.public_id(given.get("public_id") or given.get("profile_url") or "")
    if not person:
        raise InvalidProfile(_unnamed(given))
    if len(person) > LONGEST_ID:
        raise InvalidProfile(f"The public id has {len(person)} characters; the maximum is {LONGEST_ID}.")
    given["person"] = given["public_id"] = person
    if given.get("email"):
        address = text.email(given["email"])
        if not address:
            raise InvalidProfile(f'Invalid email "{text.shorten(given["email"], 80)}"')
        given["email"] = address
    return given


def person_of_address(address: str) -> str:
    """Return the public id of a person known only by address; the same for the same address."""
    return "address-" + blake2b(text.email(address).encode(), digest_size=8).hexdigest()


def is_address_only(person: str) -> bool:
    """Return whether the person has no network profile, so that only emails reach them."""
    return _MADE.fullmatch(person) is not None


def custom_fields(value: Any) -> dict[str, Any]:
    """Return the custom fields; raise Unfit when they are no object, too many or too long."""
    if not isinstance(value, dict):
        raise InvalidProfile("customFields must be an object.")
    if not value:
        return {}
    if len(value) > MOST_CUSTOM_FIELDS:
        raise InvalidProfile(f"customFields has {len(value)} names; the maximum is {MOST_CUSTOM_FIELDS}.")
    try:
        whole = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        raise InvalidProfile("customFields has a value that JSON does not allow.") from None
    if len(whole) > LONGEST_CUSTOM:
        raise InvalidProfile(f"customFields has {len(whole)} characters; the maximum is {LONGEST_CUSTOM}.")
    if _BROKEN_IN_JSON.search(whole):
        raise InvalidProfile("customFields has a character that can't be stored.")
    fields = {name.strip(): content for name, content in value.items()}
    if not all(0 < len(name) <= LONGEST_CUSTOM_NAME for name in fields):
        raise InvalidProfile(f"A name in customFields must have 1 to {LONGEST_CUSTOM_NAME} characters.")
    return fields


def tags(values: list[str]) -> list[str]:
    """Return the normalized tags, each once in any case; raise Unfit for too many or too long ones."""
    kept: dict[str, str] = {}
    for value in values:
        tag = text.squeeze(value)
        if len(tag) > LONGEST_TAG:
            raise InvalidProfile(f"A tag must have at most {LONGEST_TAG} characters.")
        if not text.is_text(tag) or _APART.search(tag):
            raise InvalidProfile("A tag can't contain a semicolon, a bar or a control character.")
        if tag:
            kept.setdefault(tag.casefold(), tag)
    if len(kept) > MOST_TAGS:
        raise InvalidProfile(f"A person can have at most {MOST_TAGS} tags.")
    return list(kept.values())


def merge(known: dict[str, Any], given: ProfileFields) -> dict[str, Any]:
    """Merge given fields into a known person: given fields win, absent ones stay, custom fields add up."""
    changes = {column: value for column, value in given.items() if value != known[column]}
    if not changes:
        return changes
    url = changes.get("profile_url")
    if url and known["profile_url"] and text.public_id(url) == text.public_id(known["profile_url"]):
        del changes["profile_url"]  # the same profile in another spelling is nothing new
    if "custom_fields" in changes:
        changes["custom_fields"] = known["custom_fields"] | changes["custom_fields"]
    if "tags" in changes:
        changes["tags"] = _joined(known["tags"], changes["tags"])
    return {column: value for column, value in changes.items() if value != known[column]}


def _joined(known: list[str], more: list[str]) -> list[str]:
    """Return the tags of both, up to the limit."""
    has = {tag.casefold() for tag in known}
    return [*known, *(tag for tag in more if tag.casefold() not in has)][:MOST_TAGS]


def _unnamed(given: ProfileFields) -> str:
    link = given.get("public_id") or given.get("profile_url")
    if not link:
        return "Profile link and public id are missing."
    return f'Invalid profile link "{text.shorten(link, 120)}"'
