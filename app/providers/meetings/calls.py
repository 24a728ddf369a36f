"""What the services of meetings share: the parts of their signed calls, of which nothing is taken for granted."""

import hmac
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from app.core import text
from app.ports import Refused

LONGEST_REF, LONGEST_NAME, LONGEST_MARK = 300, 200, 400
MOST_ADDRESSES = 20
LEAST_SECRET = 16
UNSIGNED = "The signature doesn't match."


def header(headers: Mapping[str, str], name: str) -> str:
    """Return a header by its name in any case; '' without it."""
    return next((value for given, value in headers.items() if given.casefold() == name.casefold()), "")


def require_long(secret: str) -> None:
    """Raise Refused for a secret that could be guessed."""
    if len(secret) < LEAST_SECRET:
        raise Refused(f"Use at least {LEAST_SECRET} characters, the same here and in the booking service.")


def require_signed(secret: str, signed: bytes, given: Iterable[str]) -> None:
    """Raise Refused unless one of the given marks is the HMAC-SHA256 of what is signed, in hexadecimal digits."""
    wanted = hmac.new(secret.encode(), signed, "sha256").hexdigest().encode()
    if not secret or not any(hmac.compare_digest(mark.strip().lower().encode(), wanted) for mark in given):
        raise Refused(UNSIGNED)


def read(body: bytes) -> dict[str, Any]:
    """Return the call's JSON object; raise ValueError for anything else."""
    try:
        found = json.loads(body)
    except RecursionError:
        raise ValueError("The request is nested too deeply.") from None
    if not isinstance(found, dict):
        raise ValueError("The request is not a JSON object.")
    return found


def words(value: Any, longest: int = LONGEST_NAME) -> str:
    """Return a text on one line, cut; '' for anything else."""
    return text.shorten(text.squeeze(value), longest) if isinstance(value, str) and text.is_text(value) else ""


def ref(value: Any) -> str:
    """Return the id of a meeting; raise ValueError for none."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_REF or not value.isprintable():
        raise ValueError("The request doesn't name a meeting.")
    return value


def moment(value: Any) -> datetime | None:
    """Return a moment in UTC; None for anything else."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
        return found.astimezone(UTC) if found and found.tzinfo else None
    except (ValueError, OverflowError):
        return None


def addresses(values: Iterable[Any]) -> tuple[str, ...]:
    """Return the email addresses among these, each once, in their order."""
    found = [text.email(value) for value in values if isinstance(value, str)]
    return tuple(dict.fromkeys(one for one in found if one))[:MOST_ADDRESSES]


def marks(*holders: Any) -> tuple[str, ...]:
    """Return the texts among the values of these objects, in which the token of our link may stand."""
    values = [value for holder in holders if isinstance(holder, dict) for value in holder.values()]
    texts = [value for value in values if isinstance(value, str) and text.is_text(value)]
    return tuple(value for value in texts if 0 < len(value) <= LONGEST_MARK)
