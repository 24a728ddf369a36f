"""The caller."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource, Shape


class MeWorkspace(Shape):
    """The key's workspace; `now` is the time on its own clock."""

    id: int
    name: str
    sandbox: bool
    timezone: str
    now: datetime


class MeKey(Shape):
    """The key of this request."""

    id: int
    scopes: list[str]


class Me(Resource):
    """The caller and their permissions."""

    workspace: MeWorkspace
    key: MeKey

    @classmethod
    def of(cls, workspace: Any, key_id: int, scopes: Sequence[str]) -> Json:  # type: ignore[override]
        return {
            "workspace": {
                "id": workspace.id,
                "name": workspace.name,
                "sandbox": workspace.sandbox,
                "timezone": workspace.timezone,
                "now": workspace.now(),
            },
            "key": {"id": key_id, "scopes": list(scopes)},
        }
