"""Payload versions: what a webhook gets of an event, as it was when the webhook was made.

An event is stored in the newest version. Older versions hold less, so they are made from it by leaving parts out.
"""

from typing import Any

from pydantic_core import from_json, to_json

FIRST, CURRENT = 1, 2
VERSIONS = (FIRST, CURRENT)
# What the parts of the data held in the first version; other parts are the same in all.
IN_FIRST: dict[str, frozenset[str]] = {
    "lead": frozenset({"id", "publicId", "profileUrl", "firstName", "lastName", "headline", "companyName"}),
    "tag": frozenset({"label", "sentiment", "former"}),
}


def in_version(body: str, version: int) -> str:
    """Return the body of an event in that version; one that was recorded in an older version stays as it is."""
    whole: dict[str, Any] = from_json(body) if body and version < CURRENT else {}
    if "version" not in whole:
        return body
    del whole["version"]
    data = whole["data"]
    for part in IN_FIRST.keys() & data.keys():
        data[part] = {name: value for name, value in data[part].items() if name in IN_FIRST[part]}
    return to_json(whole).decode()
