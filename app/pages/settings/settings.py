"""Settings: the index page, appearance, and the workspace's name and time zone."""

from flask import Blueprint, Response, g, session

from app.core.errors import InvalidRequest
from app.domain.platform import restore_hold
from app.domain.workspace import roles, server_admins, workspaces
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import settings_rail
from app.pages.framework.base import (
    keep_in_browser,
    redirect_to,
    redirect_to_path,
    render,
    safe_path,
    show_toast,
)
from app.pages.framework.forms import Form, Text, Tick
from app.pages.framework.shell import THEMES
from app.pages.settings import credits

area = Blueprint("settings", __name__, url_prefix="/settings")
area.register_blueprint(credits.part)


class AppearanceForm(Form):
    theme = Text()
    density = Text()
    keys = Tick()


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    return render("settings/index.html", groups=settings_rail.groups(user))


@area.get(f"/<any({', '.join(settings_rail.SLUGS)}):slug>")
def group(workspace: Workspace, user: User, slug: str) -> Response:
    """Show the sections of a group one below the other, and lines to its further pages."""
    found = next((one for one in settings_rail.groups(user) if one.slug == slug), None)
    if found is None:
        return redirect_to(".index")
    sections = [(one, settings_rail.section(one, user)) for one in found.places if one.whole]
    return render("settings/group.html", group=found, sections=[(one, shown) for one, shown in sections if shown])


@area.get("/appearance")
def appearance(workspace: Workspace) -> Response:
    return render("settings/appearance.html")


@area.post("/appearance")
def show_like(workspace: Workspace) -> Response:
    """Save the appearance for this browser."""
    show_toast("Saved for this browser.")
    response = redirect_to(".appearance")
    form = AppearanceForm.posted()
    chosen = {
        "theme": form.theme.data if form.theme.data in THEMES else "",
        "density": "compact" if form.density.data == "compact" else "",
        "keys": "" if form.keys.data else "off",
    }
    for name, value in chosen.items():
        keep_in_browser(response, name, value)
    return response


class WorkspaceForm(Form):
    name = Text(name="workspace", strip=True)
    timezone = Text(strip=True)


@area.get("/name")
def place(workspace: Workspace) -> Response:
    return _place(WorkspaceForm.of(name=workspace.name, timezone=workspace.timezone))


def _place(form: WorkspaceForm, status: int = 200) -> Response:
    return render("settings/workspace.html", form=form, status=status)


@area.post("/workspace")
def workspace(workspace: Workspace) -> Response:
    """Save the workspace's name and time zone."""
    form = WorkspaceForm.posted()
    try:
        workspaces.change(workspace, **form.data)
    except InvalidRequest as refusal:
        return _place(form.take_errors(refusal), 422)
    show_toast("Saved.")
    return redirect_to(".place")


@area.get("/browser")
def browser(workspace: Workspace) -> Response:
    """Show whether this browser tells what happened."""
    return render("settings/browser.html")


@area.post("/release")
def release(workspace: Workspace, user: User) -> Response:
    """The restored copy sends again, once it has read what happened since its backup."""
    server_admins.require(user)
    if start := restore_hold.release(user.email):
        show_toast(f"Reading the inboxes now; people will be contacted from {start:%H:%M} UTC.")
    return redirect_to("pages.home.index")


class SwitchForm(Form):
    """The workspace to open, and the page of it."""

    workspace = Text()
    next = Text()


@area.post("/switch")
def switch(workspace: Workspace) -> Response:
    """Open another workspace of the user."""
    form = SwitchForm.posted()
    for place, role in g.places:
        if str(place.id) == form.workspace.data:
            session["workspace"] = place.id
            return redirect_to_path(safe_path(form.next.data, roles.landing(role)))
    return redirect_to("pages.home.index")
