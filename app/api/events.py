"""Events for polling: the same bodies as webhooks, numbered without gaps."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app import resources
from app.api.framework.endpoint import Filter, endpoint, moment_of, one_of
from app.core import text
from app.core.db import MAX_ID
from app.domain.webhooks import events
from app.domain.workspace.workspaces import Workspace


def _sequence(given: str) -> int:
    if (sequence := text.number(given, -1)) < 0:
        raise ValueError("Use a sequence number of 0 or more.")
    return sequence


def _types(given: str) -> list[str]:
    kinds = [one.strip() for one in given.split(",")]
    if not events.EVENTS.keys() >= {*kinds}:
        raise ValueError(f"Use one or more of {', '.join(events.EVENTS)}, separated by commas.")
    return kinds


AFTER = Filter(
    _sequence,
    {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    "Only events with a higher `sequence` than this; send the highest `sequence` you have seen.",
)

_KINDS = "|".join(events.EVENTS)
TYPES = Filter(
    _types,
    {"type": "string", "pattern": rf"^({_KINDS})(,({_KINDS}))*$"},
    "Only events of these types, separated by commas; with `type`, only those that match both.",
)


@endpoint(
    "GET",
    "/events",
    scope="events:read",
    page_of=resources.Event,
    filters={
        "after": AFTER,
        "type": one_of(*events.EVENTS, about="Only events of this type; `types` can do the same."),
        "types": TYPES,
        "since": moment_of("Only events whose `createdAt` is this time or later."),
    },
    oldest_first=True,
)
def page(
    workspace: Workspace, after: int = 0, type: str = "", types: list[str] | None = None, since: datetime | None = None
) -> sa.Select[Any]:
    """List the workspace's events in the order of `sequence`; this works with or without webhooks.

    Store the `sequence` of the last event you handled, and send it as `after` the next time, so that you get each event
    exactly once. You have read all events once `nextCursor` is empty. By default, events are kept forever. Events past
    the workspace's retention period (`retention.payloads`) are left out, so the first `sequence` may not be 1.
    """
    kinds = [type] if type and type in (types or [type]) else [] if type else types
    return events.page(workspace, after, kinds, since)
