"""Saved views: the address of a table is kept under a name, and forgotten."""

from urllib.parse import parse_qsl, urlencode

from flask import Blueprint, Response, request

from app.core import text
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import redirect_to_path, safe_path, try_verb
from app.pages.framework.forms import Form, Text

area = Blueprint("views", __name__, url_prefix="/views")


class ViewForm(Form):
    """The name, and what it stands for: the table, its query, and the page to go back to."""

    place = Text()
    name = Text()
    query = Text()
    next = Text()


@area.post("")
def save(workspace: Workspace, user: User) -> Response:
    """Keep the address of the table under a name."""
    form = ViewForm.posted()
    said = f"View “{text.squeeze(form.name.data)}” saved."
    try_verb(lambda: saved_views.save(workspace, user, form.place.data, form.name.data, form.query.data), said)
    back, query = safe_path(form.next.data), urlencode(parse_qsl(form.query.data))
    return redirect_to_path(f"{back}?{query}" if query else back)


@area.post("/<int:view_id>/delete")
def delete(workspace: Workspace, user: User, view_id: int) -> Response:
    """Forget a view."""
    try_verb(lambda: saved_views.delete(workspace, user, view_id), "View deleted.")
    return redirect_to_path(safe_path(request.form.get("next")))
