"""Saved views: the address of a table as a member named it, for this member in this workspace."""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode

import sqlalchemy as sa

from app.core import text
from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.models.leads import SavedView
from app.models.workspaces import User, Workspace

MOST, LONGEST = 50, 2000
PLACES = ("people", "campaigns", "campaign people", "conversations", "signals", "requests")


def of_member(workspace: Workspace, user: User, place: str) -> Sequence[SavedView]:
    """Return the member's views of that table by name."""
    query = page(workspace, user, place).order_by(sa.func.lower(SavedView.name), SavedView.id)
    return session().scalars(query).all()


def page(workspace: Workspace, user: User, place: str = "") -> sa.Select[SavedView]:
    """Return the query for the member's views, of one table or of all."""
    query = sa.select(SavedView).where(SavedView.workspace_id == workspace.id, SavedView.user_id == user.id)
    return query.where(SavedView.place == place) if place else query


def save(workspace: Workspace, user: User, place: str, name: str, query: str) -> SavedView:
    """Keep the query of the address under that name; a view that has the name already is replaced."""
    name, query, problems = text.squeeze(name), urlencode(parse_qsl(query)), []
    if wrong := text.name_problem(name):
        problems.append(("name", wrong))
    if place not in PLACES:
        problems.append(("table", f"Use one of: {', '.join(PLACES)}."))
    if len(query) > LONGEST:
        problems.append(("query", "This filter is too long to be saved."))
    InvalidRequest.raise_for(problems)
    with transaction() as current:
        views = {view.name: view for view in of_member(workspace, user, place)}
        if view := views.get(name):
            view.query = query
            return view
        if len(views) >= MOST:
            raise Conflict(f"You can save at most {MOST} views of this table.", recovery="Delete a view first.")
        view = SavedView(
            workspace_id=workspace.id, user_id=user.id, place=place, name=name, query=query, created_at=workspace.now()
        )
        current.add(view)
        current.flush()
        return view


def delete(workspace: Workspace, user: User, view_id: int) -> None:
    """Delete the view, or raise NotFound."""
    with transaction() as current:
        view = get_owned(SavedView, workspace, view_id, lock=True)
        if view.user_id != user.id:
            raise NotFound("View not found.")
        current.delete(view)
