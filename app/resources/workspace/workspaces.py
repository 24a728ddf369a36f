"""The caller, a new workspace and saved views as API resources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource, Shape


class WorkspaceCreated(Resource):
    """A new live workspace and a key with the caller's permissions; the key is shown only now."""

    id: int
    """The id of the workspace."""
    name: str
    """The name of the workspace."""
    timezone: str
    """The IANA name of the workspace's time zone."""
    created_at: datetime
    """When the workspace was created."""
    key: str
    """A key with all rights of the calling key."""

    @classmethod
    def of(cls, workspace: Any, key: str) -> Json:  # type: ignore[override]
        return cls.filled(workspace, key=key)


class SavedView(Resource):
    """A named filter, order and columns of a table, saved by the key's member."""

    id: int
    """The id of the view."""
    table: str
    """The table the view is for."""
    name: str
    """The name of the view."""
    query: str
    """Filter, order and columns, as in the address of the page."""
    created_at: datetime
    """When the view was created."""

    @classmethod
    def of(cls, view: Any) -> Json:
        return cls.filled(view, table=view.place)


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
