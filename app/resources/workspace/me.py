"""The caller."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource, Shape


class MeWorkspace(Shape):
    """The key's workspace; `now` is the time on its own clock."""

    id: int
    """The id of the workspace."""
    name: str
    """The name of the workspace."""
    sandbox: bool
    """True for a sandbox, in which everyone is simulated and nothing is sent."""
    timezone: str
    """The IANA name of the workspace's time zone."""
    now: datetime
    """The time on the workspace's clock; a sandbox's can be moved forward."""


class MeKey(Shape):
    """The key of this request."""

    id: int
    """The id of the key."""
    scopes: list[str]
    """What the key may do."""


class Me(Resource):
    """The caller and their permissions."""

    workspace: MeWorkspace
    """The workspace of the key."""
    key: MeKey
    """The key."""

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
