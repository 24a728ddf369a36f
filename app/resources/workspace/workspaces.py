"""A new workspace and saved views as API resources."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource


class WorkspaceCreated(Resource):
    """A new live workspace with a key for it, which is shown only now and may do what the caller may."""

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
    """A table's filter, order and columns under a name, of the member for whom the key speaks."""

    id: int
    table: str
    name: str
    query: str
    created_at: datetime

    @classmethod
    def of(cls, view: Any) -> Json:
        same = ("id", "name", "query")
        return {name: getattr(view, name) for name in same} | {"table": view.place, "createdAt": view.created_at}
