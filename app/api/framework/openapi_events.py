"""The webhooks of the published contract: one body per event kind, from the parts of event data."""

import json
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from app.api.framework import openapi_parts
from app.api.framework.openapi_schemas import Schemas
from app.domain.webhooks import events
from app.domain.webhooks.payload_versions import IN_FIRST
from app.resources.base import Shape
from app.resources.event_data import PARTS

Json = dict[str, Any]
_coded = "`, `".join  # between two backticks
SAID = openapi_parts.SAID["events"]
TAG = {
    "name": "Events we send",
    "description": f"{SAID['about'].strip()} In version 1, events have no `version` and fewer fields: of "
    + ", and of ".join(f"`{part}` only `{_coded(sorted(names))}`" for part, names in IN_FIRST.items())
    + ".",
}
_REF = "The id of the event, which is the same on every attempt."
_SIGNED = (
    "`v1,` followed by the HMAC-SHA256 of `webhook-id.webhook-timestamp.body` in base64; use the raw body. The HMAC"
    " key is the part of the secret after `whsec_`, decoded from base64. If there are several signatures, separated by"
    " spaces, one of them must match."
)
_AT = datetime(2026, 3, 2, 9, 30, 15, tzinfo=UTC)
_HEADERS = (
    ("webhook-id", _REF, "evt_019f3a5c2b1d8e7f60"),
    (
        "webhook-timestamp",
        "When this attempt was made, in seconds since 1970: real time, also in a sandbox. Refuse older than 5 minutes.",
        "1772443815",
    ),
    ("webhook-signature", _SIGNED, "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
)


class Envelope(Shape):
    """The fields that every event has."""

    id: str = Field(description=_REF)
    version: Literal[2]
    """The version of the payload. Webhooks with version 1 receive fewer fields and no `version`."""
    sequence: int | None = None
    """The event's number in the workspace, one higher than for the previous event; absent in a test event."""
    test: Literal[True] | None = None
    """True in a test event; absent in all other events."""
    created_at: datetime
    """When it happened. Events can be recorded later than that, so sort by `sequence`."""
    timestamp: datetime
    """The same time as `createdAt`, under the name of the Standard Webhooks specification."""
    workspace_id: int
    """The id of the workspace."""


def _model(kind: str, about: events.EventKind) -> type[BaseModel]:
    name = "".join(word.capitalize() for word in kind.split("_"))
    held: Any = {part: _held(part, always=part in about.always) for part in about.parts}
    data = create_model(f"{name}Data", __base__=Shape, __doc__=f"The data of `{kind}`.", **held)
    given: Any = {
        "type": (Literal[kind], Field(description="The kind of event.")),
        "data": (data, Field(description=f"What happened: {about.when[0].lower()}{about.when[1:]}")),
    }
    return create_model(f"{name}Event", __base__=Envelope, __doc__=about.when, **given)


def _held(part: str, *, always: bool) -> Any:
    """Return the declaration of one part of an event's data."""
    kind, about = PARTS[part]
    if always:
        return kind, Field(description=about)
    return kind | None, Field(None, description=f"{about[:-1]}; absent if {SAID['absent'][part]}.")


@cache
def models() -> dict[str, type[BaseModel]]:
    """Return what each kind of event looks like. Made when it is asked for: most processes publish nothing."""
    return {kind: _model(kind, about) for kind, about in events.EVENTS.items()}


def webhooks(schemas: Schemas) -> Json:
    """Return the `webhooks` of the document."""
    return {kind: {"post": _received(kind, about, schemas)} for kind, about in events.EVENTS.items()}


def _described(kind: str, about: events.EventKind) -> str:
    """Say which parts each event of the kind has, and when the others are absent."""
    parts: dict[str, list[str]] = {}
    for part in about.parts:
        parts.setdefault("" if part in about.always else SAID["absent"][part], []).append(part)
    said = f"`data` always has `{_coded(parts.pop(''))}`."
    said += "".join(f" Absent if {why}: `{_coded(those)}`." for why, those in parts.items())
    return said + "".join(f" {more}" for begin, more in SAID["more"].items() if kind.startswith(begin))


def _received(kind: str, about: events.EventKind, schemas: Schemas) -> Json:
    body = events.body("evt_019f3a5c2b1d8e7f60", kind, _AT, 7, events.sample(kind), sequence=4211)
    return {
        "operationId": f"on_{kind}",
        "summary": about.when,
        "description": _described(kind, about),
        "tags": [TAG["name"]],
        "security": [],
        "parameters": [
            {"name": name, "in": "header", "required": True, "description": words, "schema": {"type": "string"},
             "example": example}
            for name, words, example in _HEADERS
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schemas.ref(models()[kind]), "example": json.loads(body)}},
        },
        "responses": {
            "2XX": {"description": "Delivered. Any other response, or none within 15 seconds, is retried for 3 days."},
            "410": {"description": "Gone. The webhook is switched off and receives no more events."},
        },
    }  # fmt: skip
