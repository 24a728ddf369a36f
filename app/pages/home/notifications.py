"""Notifications: what happened since the last visit, and the same for a browser that asks while no one looks."""

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, g, jsonify, request, url_for

from app.domain.approvals import approvals
from app.domain.conversations import threads
from app.domain.notifications import happenings
from app.domain.notifications.happenings import Happening
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import htmx, redirect_to, render

area = Blueprint("notifications", __name__, url_prefix="/notifications")
ICONS = {
    "reply": "reply",
    "meeting": "calendar-clock",
    "booking": "calendar-clock",
    "problem": "triangle-alert",
    "silence": "triangle-alert",
    "import": "upload",
    "end": "megaphone",
}


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    """Show what happened, what is new first; it is looked at then. With `since`, answer a browser that asks."""
    if "since" in request.args:
        return _news(workspace, request.args["since"])
    before = happenings.look(workspace, user)
    found = [(one, ICONS[one.kind], _link(one), one.at > before) for one in happenings.latest(workspace, g.role)]
    groups = [("New", [row for row in found if row[3]]), ("Earlier", [row for row in found if not row[3]])]
    return render("notifications/index.html", groups=groups, found=found)


@area.get("/waiting")
def waiting(workspace: Workspace) -> Response:
    """Show what waits, for the navigation of a page that is open; without htmx the notifications do."""
    return render("_waiting.html") if htmx() else redirect_to(".index")


def _news(workspace: Workspace, written: str) -> Response:
    """Return what happened since that moment of this workspace, what waits, and the moment to ask from next."""
    mark = f"{workspace.id}~"
    try:
        since = datetime.fromisoformat(written.removeprefix(mark)) if written.startswith(mark) else None
    except ValueError:
        since = None
    known = since is not None and since.tzinfo is not None
    at, found = workspace.now(), happenings.latest(workspace, g.role, since) if known else []
    news: list[dict[str, Any]] = [
        {
            "id": f"{one.kind}-{one.id}-{one.at.timestamp():.0f}",
            "title": one.title,
            "text": one.words,
            "href": _link(one),
        }
        for one in found
    ]
    reads = page_permissions.may(g.role, "pages.conversations.index")
    counts = {"a": approvals.count(workspace), "c": threads.waiting(workspace) if reads else 0}
    return jsonify(since=f"{mark}{at.isoformat()}", news=news, counts=counts)


def _link(one: Happening) -> str:
    if one.kind in ("reply", "meeting"):
        return url_for("pages.conversations.show", conversation_id=one.id)
    if one.kind == "booking":
        return url_for("pages.meetings.index")
    if one.kind in ("problem", "silence"):
        return url_for("pages.senders.show", account_id=one.id)
    if one.kind == "import":
        return url_for("pages.lists.imports.show", list_id=one.list_id, import_id=one.id)
    return url_for("pages.campaigns.show", campaign_id=one.id)
