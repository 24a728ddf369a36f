"""Events for polling: the same bodies as webhooks."""

import json
from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource


class Event(Resource):
    """An event, as sent to webhooks."""

    id: str
    """The id of the event."""
    sequence: int
    """The event's number in the workspace. Numbers rise by 1, without gaps."""
    type: str
    """The kind of event, such as `message_reply`."""
    version: int | None = None
    """The version of the payload; absent in events created before version 2."""
    created_at: datetime
    """When the event was created."""
    timestamp: datetime
    """The same time as `createdAt`, under the name of the Standard Webhooks specification."""
    workspace_id: int
    """The workspace the event happened in."""
    data: dict[str, Any]
    """What happened; its fields depend on `type`, as described under the webhook of that name."""

    @classmethod
    def of(cls, event: Any) -> Json:
        body: Json = json.loads(event.body)
        return body
