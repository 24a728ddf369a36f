"""Events as they are pulled: the bodies that webhooks get."""

import json
from datetime import datetime
from typing import Any

from pydantic import Field

from app.resources.base import Json, Resource


class Event(Resource):
    """Something that became true, in the same words as webhooks are told. `sequence` has no gap in a workspace."""

    id: str
    sequence: int
    type: str
    created_at: datetime
    timestamp: datetime = Field(description="The same moment, under the name that receivers of webhooks look for.")
    workspace_id: int
    data: dict[str, Any]

    @classmethod
    def of(cls, event: Any) -> Json:
        """The body of the event."""
        body: Json = json.loads(event.body)
        return body
