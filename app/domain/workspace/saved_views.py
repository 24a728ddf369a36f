"""Saved views: the address of a table as a member named it, for this member in this workspace."""

from collections.abc import Sequence

import sqlalchemy as sa

from app.core import text
from app.core.db import get_owned, session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound
from app.models.leads import SavedView
from app.models.workspaces import User, Workspace

MOST, LONGEST = 50, 2000


def of_member(workspace: Workspace, user: User, place: str) -> Sequence[SavedView]:
    """Return the member's views of that table by name."""
    query = sa.select(SavedView).where(*_theirs(workspace, user), SavedView.place == place)
    return session().scalars(query.order_by(sa.func.lower(SavedView.name), SavedView.id)).all()


def save(workspace: Workspace, user: User, place: str, name: str, query: str) -> SavedView:
    """Keep the address under that name; a view that has the name already is replaced."""
    name = text.squeeze(name)
    if wrong := text.name_problem(name):
        raise InvalidRequest.of(("name", wrong))
    if len(query) > LONGEST:
        raise InvalidRequest.of(("name", "This filter is too long to be saved."))
    with transaction() as current:
        views = {view.name: view for view in of_member(workspace, user, place)}
        if view := views.get(name):
            view.query = query
            return view
        if len(views) >= MOST:
            raise Conflict(f"You have {MOST} views of this table.", recovery="Delete one first.")
        view = SavedView(
            workspace_id=workspace.id, user_id=user.id, place=place, name=name, query=query, created_at=workspace.now()
        )
        current.add(view)
        current.flush()
        return view


def delete(workspace: Workspace, user: User, view_id: int) -> None:
    """Forget the view, or raise NotFound."""
    with transaction() as current:
        view = get_owned(SavedView, workspace, view_id, lock=True)
        if view.user_id != user.id:
            raise NotFound("View not found.")
        current.delete(view)


def _theirs(workspace: Workspace, user: User) -> tuple[sa.ColumnElement[bool], ...]:
    return SavedView.workspace_id == workspace.id, SavedView.user_id == user.id
