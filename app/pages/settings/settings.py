"""Settings: the index page, appearance, and the workspace's name and time zone."""

from dataclasses import dataclass

from flask import Blueprint, Response, current_app, g, request, session

from app.core.errors import Forbidden, InvalidRequest
from app.domain.platform import restore_hold
from app.domain.workspace import roles, server_admins, workspaces
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import redirect_to, redirect_to_path, render, safe_path, show_toast, signed_in
from app.pages.framework.forms import Form, Text, Tick
from app.pages.framework.shell import THEMES
from app.pages.settings import credits, profile

area = Blueprint("settings", __name__, url_prefix="/settings")
area.register_blueprint(credits.part)
A_YEAR = 31_536_000


class AppearanceForm(Form):
    theme = Text()
    density = Text()
    keys = Tick()


@dataclass(frozen=True)
class Place:
    """A line of the page, shown if its endpoint exists and the role may open it."""

    label: str
    text: str
    icon: str
    endpoint: str
    of_server: bool = False  # for server admins only


PLACES = {
    "You": [
        Place("Profile", "Name, email, password, sessions.", "user-round", "pages.profile.index"),
        Place("Two-factor sign-in", "Require a code from your phone when signing in.", "lock", "pages.profile.factor"),
        Place("Appearance", "Colors, density, keyboard shortcuts.", "sun", "pages.settings.appearance"),
    ],
    "Workspace": [
        Place("Team", "Members and roles.", "users-round", "pages.team.index"),
        Place(
            "Services",
            "Networks, people search, email lookup, signals: keys, usage, health.",
            "zap",
            "pages.services.index",
        ),
        Place("Sources", "Analytics, payments and your website.", "plug", "pages.autopilot.connections"),
        Place(
            "Adding people",
            "How known people change, and the lawful basis.",
            "user-plus",
            "pages.people_defaults.index",
        ),
        Place("Alerts", "Notifications about replies and senders.", "bell", "pages.autopilot.where"),
        Place("Contact rules", "Who campaigns leave out, and how often.", "filter", "pages.contact_rules.index"),
        Place("Blackout dates", "Days on which no campaign sends anything.", "calendar", "pages.blackouts.index"),
        Place("Do not contact", "Do-not-contact list", "shield-ban", "pages.never_contact.index"),
        Place("API keys", "API keys", "key-round", "pages.developers.key_list"),
        Place("Audit log", "Who did what, and from where.", "list-checks", "pages.audit.index"),
    ],
    "Server": [
        Place("Writer", "Who writes your texts: the built-in writer or an AI model.", "pencil", "pages.writer.index"),
        Place("System", "Engine, queues, failures, backups.", "activity", "pages.system.index", of_server=True),
    ],
    "Plan": [
        Place("Credits", "Balance and history.", "gauge", "pages.settings.credits.index"),
        Place("Billing", "Plan and limits", "credit-card", "pages.settings.credits.subscription"),
    ],
}


@area.get("")
@signed_in
def index(workspace: Workspace, user: User) -> Response:
    return render("settings/index.html", groups=shown(user))


def shown(user: User) -> dict[str, list[Place]]:
    """Return the places that the user's role may open, by heading."""
    known = current_app.view_functions
    hidden = not server_admins.is_admin(user, current_app.config["OVERTURE_OPERATORS"])
    groups = {
        title: [
            one
            for one in places
            if one.endpoint in known and page_permissions.may(g.role, one.endpoint) and not (one.of_server and hidden)
        ]
        for title, places in PLACES.items()
    }
    return {title: places for title, places in groups.items() if places}


@area.get("/appearance")
@signed_in
def appearance(workspace: Workspace) -> Response:
    return render("settings/appearance.html")


@area.post("/appearance")
@signed_in
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
        if value:
            response.set_cookie(name, value, max_age=A_YEAR, samesite="Lax", secure=request.is_secure, httponly=True)
        else:
            response.delete_cookie(name)
    return response


@area.post("/workspace")
@signed_in
def workspace(workspace: Workspace, user: User) -> Response:
    """Save the workspace's name and time zone."""
    form = profile.WorkspaceForm.posted()
    try:
        workspaces.change(workspace, **form.data)
    except InvalidRequest as refusal:
        return profile.page(workspace, user, 422, place=form.take_errors(refusal))
    show_toast("Saved.")
    return redirect_to("pages.profile.index")


@area.post("/release")
@signed_in
def release(workspace: Workspace, user: User) -> Response:
    """The restored copy sends again, once it has read what happened since its backup."""
    if not restore_hold.is_answered_for_by(workspace.id):
        raise Forbidden("Only owners of the first workspace can release this installation.", "Ask your server admin.")
    if start := restore_hold.release(user.email):
        show_toast(f"Released. Inboxes are read now; people are contacted from {start:%H:%M} UTC on.")
    return redirect_to("pages.home.index")


class SwitchForm(Form):
    """The workspace to open, and the page of it."""

    workspace = Text()
    next = Text()


@area.post("/switch")
@signed_in
def switch(workspace: Workspace) -> Response:
    """Open another workspace of the user."""
    form = SwitchForm.posted()
    for place, role in g.places:
        if str(place.id) == form.workspace.data:
            session["workspace"] = place.id
            return redirect_to_path(safe_path(form.next.data, roles.landing(role)))
    return redirect_to("pages.home.index")
