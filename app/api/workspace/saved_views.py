"""Saved views of tables, of the member for whom the key speaks."""

from typing import Annotated, Any

import sqlalchemy as sa

from app import resources
from app.api.framework import authorization
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint, one_of
from app.api.framework.schema_notes import A_NAME, among, up_to
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import Workspace

TABLE: Any = among(*saved_views.PLACES)
QUERY: Any = up_to(saved_views.LONGEST // 4)


class NewView(Body):
    """The table view to save."""

    table: Annotated[str, TABLE]
    """The table the view is for."""
    name: Annotated[str, A_NAME]
    """The name of the view."""
    query: Annotated[str, QUERY]
    """The filter, order and columns, as in the query string of the page's URL (without the question mark)."""


@endpoint(
    "GET",
    "/views",
    scope="views:read",
    page_of=resources.SavedView,
    filters={"table": one_of(*saved_views.PLACES, about="Only views of this table; `requests`: API requests.")},
)
def page(workspace: Workspace, table: str = "") -> sa.Select[Any]:
    """List saved views, newest first, optionally only for one table."""
    return saved_views.page(workspace, authorization.member(), table)


@endpoint(
    "POST",
    "/views",
    scope="views:write",
    body=NewView,
    returns=resources.SavedView,
    example={"table": "campaigns", "name": "Running", "query": "status=running"},
)
def save(workspace: Workspace, body: NewView) -> Any:
    """Save a view of a table, replacing any view with the same name.

    Returns 409 if there are already 50 views of this table; delete a view first.
    """
    return saved_views.save(workspace, authorization.member(), body.table, body.name, body.query)


@endpoint("DELETE", "/views/<id:view_id>", scope="views:write", returns=None)
def delete(workspace: Workspace, view_id: int) -> None:
    """Delete a saved view.

    The table and its rows are not affected.
    """
    saved_views.delete(workspace, authorization.member(), view_id)
