"""Booked meetings; those of which no one knows whose they are come first, to be assigned or dismissed."""

from flask import Blueprint, Response, g, request

from app import ports
from app.core import paging, text
from app.core.paging import Window
from app.domain.tasks.meetings import meetings
from app.domain.workspace import search
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import redirect_to, render, try_verb
from app.pages.framework.tables import page_of

area = Blueprint("meetings", __name__, url_prefix="/settings/meetings")
MOST_UNMATCHED, MOST_FOUND = 50, 8
STATES = {"booked": ("Booked", "ok"), "moved": ("Moved", "neutral"), "canceled": ("Canceled", "warn")}


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the meetings, newest first; of an unmatched one, the people that were looked for."""
    page, more = page_of(meetings.page(workspace))
    open_ones = paging.page(meetings.page(workspace, unmatched=True), None, Window(limit=MOST_UNMATCHED)).rows
    chosen, q = text.number(request.args.get("meeting", "")), request.args.get("q", "").strip()[:200]
    return render(
        "settings/meetings/index.html",
        part="settings/meetings/_rows.html" if request.args.get("cursor") else None,
        page=page,
        more=more,
        open_ones=open_ones,
        people=meetings.people_of(workspace, page.rows),
        states=STATES,
        titles={service.name: service.title for service in ports.services()},
        chosen=chosen,
        q=q,
        found=search.find(workspace, q, g.role, MOST_FOUND).people if chosen and q else (),
        may=page_permissions.may(g.role, "pages.meetings.assign", True),
    )


@area.post("/<int:meeting_id>/assign")
def assign(workspace: Workspace, meeting_id: int) -> Response:
    person_id = text.number(request.form.get("person", ""))
    try_verb(lambda: meetings.assign(workspace, meeting_id, person_id), "Assigned. Their campaigns have ended.")
    return redirect_to(".index")


@area.post("/<int:meeting_id>/dismiss")
def dismiss(workspace: Workspace, meeting_id: int) -> Response:
    try_verb(lambda: meetings.dismiss(workspace, meeting_id), "Dismissed.")
    return redirect_to(".index")
