"""Parse Unipile's responses of both versions into one form. Lenient: fields move."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from app.core import text

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Member:
    """A member of the network. `id` is the network's own, `public_id` the one in the address of their profile."""

    id: str
    public_id: str = ""
    name: str = ""
    headline: str = ""
    picture: str = ""
    profile_url: str = ""
    visit_token: str = ""
    sales_navigator: bool = False


@dataclass(frozen=True)
class Invitation:
    """An open invitation that the account sent."""

    id: str
    member: Member
    at: datetime | None


@dataclass(frozen=True)
class Relation:
    """A connection of the account."""

    id: str
    member: Member
    at: datetime | None


@dataclass(frozen=True)
class Chat:
    """A conversation between the account and one other; `at` is its latest activity."""

    id: str
    member: Member
    at: datetime
    inmail: bool = False
    alone: bool = True  # with one person, not a group


@dataclass(frozen=True)
class Said:
    """One message. `mine` when the account's owner, or we, wrote it."""

    id: str
    mine: bool
    text: str
    at: datetime
    subject: str = ""
    silent: bool = False  # an event or something hidden, which no person wrote


@dataclass(frozen=True)
class Post:
    """Something a member published."""

    id: str
    at: datetime | None
    repost: bool
    can_react: bool
    reacted: bool


@dataclass(frozen=True)
class Standing:
    """The state of an account at Unipile: running, connecting, challenged, disconnected or unknown."""

    id: str
    name: str
    state: str
    provider: str
    created_at: datetime | None
    sales_navigator: bool = False


def word(found: Json, *names: str) -> str:
    """Return the first of these fields that has text or a number, as storable text; '' without one."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value:
            return text.whole(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
    return ""


def part(found: Json, name: str) -> Json:
    """Return the object in that field; {} without one."""
    value = found.get(name)
    return value if isinstance(value, Mapping) else {}


def parts(found: Json, *names: str) -> list[Json]:
    """Return the objects of the first of these fields that is a list; raise KeyError without one."""
    for name in names:
        if isinstance(found.get(name), list):
            return [one for one in found[name] if isinstance(one, Mapping)]
    raise KeyError(names[0])


def yes(found: Json, *names: str) -> bool:
    """Return whether one of these fields is true, or 1."""
    return any(found.get(name) in (True, 1) for name in names)


def must(found: Json, *names: str) -> str:
    """Return a required `word`; raise KeyError when it is missing."""
    value = word(found, *names)
    if not value:
        raise KeyError(names[0])
    return value


def moment(found: Json, *names: str) -> datetime | None:
    """Return the time in the first of these fields that has one: ISO text, or milliseconds."""
    for name in names:
        value = found.get(name)
        try:
            if isinstance(value, str) and value:
                read = datetime.fromisoformat(value.replace("Z", "+00:00"))
                return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
            if isinstance(value, int | float) and not isinstance(value, bool):
                return datetime.fromtimestamp(value / 1000, UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def written(at: datetime) -> str:
    """Return a time in Unipile's format: ISO, in UTC, with milliseconds."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.000Z")


def member(found: Json) -> Member:
    """Parse a member in v2's form, which is the same everywhere."""
    specifics = part(found, "specifics")
    name = " ".join(filter(None, (word(found, "first_name"), word(found, "last_name"))))
    return Member(
        must(found, "id"),
        word(found, "public_identifier"),
        word(found, "display_name") or name,
        word(found, "description", "headline"),
        word(found, "public_picture_url"),
        word(found, "profile_url"),
        word(specifics, "notify_visit_token"),
        sales_navigator=bool(part(found, "sales_navigator")),
    )
