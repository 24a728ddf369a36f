"""Validate and normalize profiles: the person, and only the given fields."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from app.core import text
from app.domain.people.people import MOST_TAGS, ProfileFields
from app.ports import FoundPerson

LONGEST = 4000
# By field name in the API: the column, and the greatest length of the text.
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
LONGEST_ID = 300
MOST_CUSTOM_FIELDS, LONGEST_CUSTOM_NAME, LONGEST_CUSTOM = 100, 100, 20_000
LONGEST_TAG = 50
_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
_BROKEN_IN_JSON = re.compile(r"(?<!\\)(?:\\\\)*\\u0000|[\ud800-\udfff]")
_APART = re.compile("[;|]")  # separators of tags in a file

_NO_IDENTITY = "Send `profileUrl` or `publicId`. With `identity` set to “email”, an email address is enough."
_NO_IDENTITY_OR_EMAIL = "Add a profile link, public id or email address."


def is_single_line(value: str) -> bool:
    """Return whether the value has no control characters, so that it fits on one line."""
    return _CONTROL.search(value) is None


class InvalidProfile(Exception):
    """This profile cannot be taken; the sentence says why."""


class Profile(NamedTuple):
    """The valid columns of a profile, and what is wrong with the others, as (field, sentence)."""

    fields: ProfileFields
    problems: list[tuple[str, str]]


def of_found(person: FoundPerson) -> dict[str, str]:
    """Return a person whom a search found as a profile, without what is not known of them."""
    told = {
        "publicId": person.public_id,
        "profileUrl": person.profile_url,
        "firstName": person.first_name,
        "lastName": person.last_name,
        "headline": person.headline,
        "position": person.title,
        "companyName": person.company,
        "companyUrl": f"https://{person.company_domain}" if person.company_domain else "",
        "location": person.location,
        "email": person.email,
    }
    return {name: value for name, value in told.items() if value}


def shortened(told: Mapping[str, str]) -> dict[str, str]:
    """Return these texts of a profile, each cut to what it may hold."""
    return {name: text.shorten(value, TEXTS[name][1]) for name, value in told.items()}


def read(profile: Any, by_email: bool = False) -> Profile:
    """Read a profile; leave invalid values out. Raise InvalidProfile when nothing names the person.

    `by_email` lets an address alone name the person.
    """
    if not isinstance(profile, dict):
        raise InvalidProfile("A profile must be an object.")
    given: ProfileFields = {}
    problems: list[tuple[str, str]] = []
    for name, value in profile.items():
        if name == "customFields":
            try:
                given["custom_fields"] = custom_fields(value)
            except InvalidProfile as refusal:
                problems.append((name, str(refusal)))
        elif known := TEXTS.get(name):
            column, longest = known
            if problem := _problem(name, value, longest):
                problems.append((name, problem))
            else:
                given[column] = value.strip()
    return identity(given, problems, by_email)


def _problem(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str):
        return f"{name} must be a string."
    if len(value) > longest:
        return f"{name} has {len(value):,} characters; the maximum is {longest:,}."
    return "" if text.is_text(value) else f"{name} has a character that can't be stored."


def identity(given: ProfileFields, problems: list[tuple[str, str]], by_email: bool) -> Profile:
    """Return the profile with its public id and address normalized; raise InvalidProfile when neither names anyone."""
    link = given.get("public_id") or given.get("profile_url") or ""
    public_id = text.public_id(link)
    if len(public_id) > LONGEST_ID:
        public_id = ""
    if link and not public_id:
        field = "publicId" if given.get("public_id") else "profileUrl"
        problems.append(
            (field, f'Invalid profile link "{text.shorten(link, 120)}". Use one such as linkedin.com/in/ada.')
        )
        given.pop("profile_url", None)
    given.pop("public_id", None)
    if public_id:
        given["public_id"] = public_id
    if written := given.get("email"):
        given["email"] = text.written_email(written)
        if not given["email"]:
            problems.append(("email", f'Invalid email "{text.shorten(written, 80)}". Fix it or remove it.'))
            del given["email"]
    if not public_id and not (by_email and given.get("email")):
        first = next((sentence for name, sentence in problems if name in _NAMING[by_email]), "")
        raise InvalidProfile(first or (_NO_IDENTITY_OR_EMAIL if by_email else _NO_IDENTITY))
    return Profile(given, problems)


_NAMING = {True: ("publicId", "profileUrl", "email"), False: ("publicId", "profileUrl")}


def custom_fields(value: Any) -> dict[str, Any]:
    """Return the custom fields; raise InvalidProfile when they are no object, too many or too long."""
    if not isinstance(value, dict):
        raise InvalidProfile("customFields must be an object.")
    if not value:
        return {}
    if len(value) > MOST_CUSTOM_FIELDS:
        raise InvalidProfile(f"customFields has {len(value)} names; the maximum is {MOST_CUSTOM_FIELDS}.")
    try:
        whole = _JSON.encode(value)
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
    """Return the normalized tags, each once in any case; raise InvalidProfile for too many or too long ones."""
    kept: dict[str, str] = {}
    for value in values:
        tag = text.squeeze(value)
        if len(tag) > LONGEST_TAG:
            raise InvalidProfile(f"A tag can have at most {LONGEST_TAG} characters.")
        if not text.is_text(tag) or _APART.search(tag):
            raise InvalidProfile("A tag can't contain a semicolon, a bar or a control character.")
        if tag:
            kept.setdefault(tag.casefold(), tag)
    if len(kept) > MOST_TAGS:
        raise InvalidProfile(f"A person can have at most {MOST_TAGS} tags.")
    return list(kept.values())
