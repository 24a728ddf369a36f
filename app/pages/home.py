"""The first page after sign-in: what needs somebody, what runs, and for a newcomer the next step."""

from flask import Blueprint, Response, request

from app.domain.workspaces import Workspace
from app.pages.base import redirect_to_path, render, safe_path, signed_in
from app.pages.shell import THEMES

area = Blueprint("home", __name__)
A_YEAR = 31_536_000


@area.get("/")
@signed_in
def index(workspace: Workspace) -> Response:
    """What needs you."""
    return render("home/index.html")


@area.post("/theme")
def theme() -> Response:
    """The colours of this browser are light, dark or the system's."""
    response = redirect_to_path(safe_path(request.form.get("next")))
    chosen = request.form.get("theme", "")
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=A_YEAR, samesite="Lax", secure=request.is_secure, httponly=True)
    else:
        response.delete_cookie("theme")
    return response
