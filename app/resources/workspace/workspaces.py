"""A new workspace and saved views as API resources."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource


class WorkspaceCreated(Resource):
    """A new live workspace and a key with the caller's permissions; the key is shown only now."""

    id: int
    name: str
    timezone: str
    created_at: datetime
    key: str

    @classmethod
    def of(cls, workspace: Any, key: str) -> Json:  # type: ignore[override]
        same = ("id", "name", "timezone")
        return {name: getattr(workspace, name) for name in same} | {"createdAt": workspace.created_at, "key": key}


class SavedView(Resource):
    """A named filter, order and columns of a table, saved by the key's member."""

    id: int
    table: str
    name: str
    query: str
    created_at: datetime

    @classmethod
    def of(cls, view: Any) -> Json:
        same = ("id", "name", "query")
        return {name: getattr(view, name) for name in same} | {"table": view.place, "createdAt": view.created_at}
