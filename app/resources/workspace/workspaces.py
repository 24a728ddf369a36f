"""A new workspace and saved views as API resources."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource


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
