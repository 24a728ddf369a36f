"""Events for polling: the same bodies as webhooks."""

import json
from datetime import datetime
from typing import Any

from pydantic import Field

from app.resources.base import Json, Resource


class Event(Resource):
    """An event, as sent to webhooks. `sequence` has no gaps in a workspace."""

    id: str
    sequence: int
    type: str
    version: int | None = Field(default=None, description="Of the payload; missing in events from before version 2.")
    created_at: datetime
    timestamp: datetime = Field(
        description="The same time as `createdAt`, under the name of the Standard Webhooks specification."
    )
    workspace_id: int
    data: dict[str, Any]

    @classmethod
    def of(cls, event: Any) -> Json:
        body: Json = json.loads(event.body)
        return body
