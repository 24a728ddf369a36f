"""The caller, a new workspace and saved views as API resources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource, Shape


class WorkspaceCreated(Resource):
    """A new live workspace, with an API key for it."""

    id: int
    """The id of the workspace."""
    name: str
    """The name of the workspace."""
    timezone: str
    """The IANA name of the workspace's time zone."""
    created_at: datetime
    """When the workspace was created."""
    key: str
    """An API key with the same permissions as the calling key; it is returned only once."""

    @classmethod
    def of(cls, workspace: Any, key: str) -> Json:  # type: ignore[override]
        return cls.filled(workspace, key=key)


class SavedView(Resource):
    """A saved view of a table."""

    id: int
    """The id of the view."""
    table: str
    """The table the view is for."""
    name: str
    """The name of the view."""
    query: str
    """The filter, order and columns, as in the query string of the page's URL."""
    created_at: datetime
    """When the view was created."""

    @classmethod
    def of(cls, view: Any) -> Json:
        return cls.filled(view, table=view.place)


class MeWorkspace(Shape):
    """The workspace that the API key belongs to."""

    id: int
    """The id of the workspace."""
    name: str
    """The name of the workspace."""
    sandbox: bool
    """True for a sandbox, in which people are simulated and nothing is really sent. To choose what a person does, begin
    the `publicId` or, without a profile, the email address with `accepts-` (connection requests, never replies),
    `ignores-`, `replies-positive-` or `replies-negative-` (accepts first), `away-` (out of office) or `bounces-`
    (emails bounce, and connection requests are ignored). Others accept and reply at random, also to your replies.
    """
    timezone: str
    """The IANA name of the workspace's time zone."""
    now: datetime
    """The current time of the workspace. In a sandbox, you can fast-forward the time, in the dashboard or with
    `overture sandbox advance`.
    """


class MeKey(Shape):
    """The API key of this request."""

    id: int
    """The id of the key."""
    scopes: list[str]
    """The scopes of the key."""


class Me(Resource):
    """The workspace and scopes of an API key."""

    workspace: MeWorkspace
    """The workspace that the key belongs to."""
    key: MeKey
    """The key that made this request."""

    @classmethod
    def of(cls, workspace: Any, key_id: int, scopes: Sequence[str]) -> Json:  # type: ignore[override]
        shown = MeWorkspace.filled(workspace, now=workspace.now())
        return {"workspace": shown, "key": {"id": key_id, "scopes": list(scopes)}}
