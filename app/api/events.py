"""Events for polling: the same bodies as webhooks, numbered without gaps."""

from typing import Any

import sqlalchemy as sa

from app import resources
from app.api.framework.endpoint import Filter, endpoint, one_of
from app.core import text
from app.core.db import MAX_ID
from app.domain.webhooks import events
from app.domain.workspace.workspaces import Workspace


def _sequence(given: str) -> int:
    if (sequence := text.number(given, -1)) < 0:
        raise ValueError("Use a sequence number of 0 or more.")
    return sequence


AFTER = Filter(
    _sequence,
    {"type": "integer", "minimum": 0, "maximum": MAX_ID},
    "Only events with a higher sequence number; send the highest you have seen.",
)


@endpoint(
    "GET",
    "/events",
    scope="events:read",
    page_of=resources.Event,
    errors="E0",
    filters={"after": AFTER, "type": one_of(*events.EVENTS)},
    oldest_first=True,
)
def page(workspace: Workspace, after: int = 0, type: str = "") -> sa.Select[Any]:
    """List the workspace's events by number, whether or not a webhook gets them."""
    return events.page(workspace, after, type)
