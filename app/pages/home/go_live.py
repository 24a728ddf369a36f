"""Go live: a workspace for real people beside the sandbox, and the checklist to its first launch."""

from typing import Any

from flask import Blueprint, Response, g, request, session

from app.core.errors import Conflict, InvalidRequest
from app.domain.installation.go_live import checklist, copied_parts, live_workspace, sandbox_copy
from app.domain.workspace import workspaces
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import error_text, redirect_to, redirect_to_path, render, show_toast, try_verb
from app.pages.framework.forms import Form, Text, Texts

area = Blueprint("go_live", __name__, url_prefix="/go-live")
PARTS = {
    "settings": "Contact rules and other settings",
    "documents": "Documents",
    "plays": "Plays and templates",
    "never_contact": "Do-not-contact entries",
    "people": "Lists of people you imported or typed",
}


class WorkspaceForm(Form):
    """The new workspace."""

    name = Text(strip=True)
    timezone = Text(strip=True)


class CopyForm(Form):
    """What is copied."""

    parts = Texts()


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the next step: a live workspace beside the sandbox, or its checklist."""
    if not workspace.sandbox and live_workspace.find(workspace):
        return _checklist(workspace)
    return _begin(workspace)


@area.get("/new")
def new(workspace: Workspace) -> Response:
    """Show the form of a new workspace."""
    return _begin(workspace)


def _begin(workspace: Workspace, form: WorkspaceForm | None = None) -> Response:
    known = live_workspace.beside(workspace) if workspace.sandbox else None
    there = next((place for place, _ in g.places if known and place.id == known[0].id), None)
    name = f"{workspace.name} live" if workspace.sandbox else ""
    return render(
        "go_live/new.html",
        status=422 if form else 200,
        there=there,
        form=form or WorkspaceForm.of(name=name, timezone=workspace.timezone),
    )


def _checklist(workspace: Workspace, status: int = 200, **context: Any) -> Response:
    run = live_workspace.find(workspace)
    if run is None:
        return redirect_to(".index")
    sandbox = workspaces.get(run.sandbox_id) if run.sandbox_id else None
    some = checklist.items(workspace, run)
    has = copied_parts.has(sandbox) if sandbox else {}
    return render(
        "go_live/checklist.html",
        part="go_live/_checklist.html",
        status=status,
        run=run,
        moves=sandbox_copy.moves(run),
        sandbox=sandbox,
        items={one.name: one for one in some},
        ready=checklist.is_ready(some),
        left=sum(not one.settled for one in some),
        parts=[(name, label, has[name]) for name, label in PARTS.items() if has.get(name)],
        labels=PARTS,
        held=workspace.approve_first,
        first=live_workspace.FIRST_PEOPLE,
        **({"problem": ""} | context),
    )


@area.post("/workspace")
def create(workspace: Workspace, user: User) -> Response:
    """Create the live workspace and open it."""
    form = WorkspaceForm.posted()
    try:
        made = live_workspace.create(workspace, user, form.name.data, form.timezone.data)
    except InvalidRequest as refusal:
        return _begin(workspace, form.take_errors(refusal))
    session["workspace"] = made.id
    show_toast(f"{made.name} is ready. Nothing is sent until you launch.")
    return redirect_to(".index")


@area.post("/copy")
def copy(workspace: Workspace, user: User) -> Response:
    """Copy the chosen parts of the sandbox."""
    try:
        parts = " ".join(CopyForm.posted().parts.data).split()
        sandbox_copy.start(workspace, user, parts)
    except (Conflict, InvalidRequest) as refusal:
        return _checklist(workspace, 409, problem=error_text(refusal))
    return redirect_to(".index")


@area.post("/copy/<any(undo, keep):what>")
def decide(workspace: Workspace, user: User, what: str) -> Response:
    """Undo what was copied, or keep it."""
    if what == "undo":
        try_verb(lambda: sandbox_copy.undo(workspace, user), "Copy undone.")
    else:
        try_verb(lambda: sandbox_copy.keep(workspace, user))
    return redirect_to(".index")


@area.post("/items/<any(social, mailbox, copy):name>")
def skip(workspace: Workspace, user: User, name: str) -> Response:
    """Skip a line of the checklist, or take it in again."""
    checklist.skip(workspace, user, name, request.form.get("do") != "again")
    return redirect_to(".index")


@area.post("/limits")
def limits(workspace: Workspace, user: User) -> Response:
    """Note that the daily limits are right."""
    checklist.confirm_limits(workspace, user)
    return redirect_to(".index")


@area.post("/first/<any(on, off):state>")
def first(workspace: Workspace, user: User, state: str) -> Response:
    """Hold the first people of campaigns for approval, or do not."""
    checklist.approve_first(workspace, user, state == "on")
    return redirect_to(".index")


@area.post("/finish")
def finish(workspace: Workspace, user: User) -> Response:
    """Close the checklist and continue to the launch."""
    checklist.finish(workspace, user)
    return redirect_to_path("/autopilot")
