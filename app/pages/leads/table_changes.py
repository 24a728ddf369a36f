"""Changes of everyone whom the filter of a list finds, with progress and undo."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from app.core import text
from app.core.db import session
from app.core.errors import AppError
from app.domain.campaigns import bulk_changes, campaigns
from app.domain.leads import lists
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import error_text, htmx, redirect_to, render, show_toast, try_verb
from app.pages.framework.words import people_count

part = Blueprint("changes", __name__, url_prefix="/lists/<int:list_id>")
LISTS = "pages.lists.show"
SAID = {  # done, and under way
    "tag": ("“{value}” added to {who}.", "Adding “{value}”"),
    "untag": ("“{value}” removed from {who}.", "Removing “{value}”"),
    "move": ("{who} moved to “{called}”.", "Moving people to “{called}”"),
    "campaign": ("{who} added to “{called}”.", "Adding people to “{called}”"),
    "remove": ("{who} removed from the list.", "Removing people from the list"),
    "never": ("{who} added to your do-not-contact list.", "Adding people to the do-not-contact list"),
}


def begin(workspace: Workspace, list_id: int, form: Any, filters: Mapping[str, Any], back: dict[str, Any]) -> Response:
    """Begin a change of those whom the filter finds, or say why not."""
    do, tag = form.do.data, form.tag.data
    wanted = {"value": tag, "into": text.number(form.into.data), "campaign": text.number(form.campaign.data)}
    try:
        change = bulk_changes.start(workspace, list_id, do, filters, wanted)
    except AppError as refusal:
        if refusal.code == "not_found":
            show_toast("Choose a list." if do == "move" else "Choose a campaign.", "danger")
        else:
            show_toast(error_text(refusal), "danger")
        return redirect_to(LISTS, list_id=list_id, **back)
    return redirect_to(LISTS, list_id=list_id, change=change.id, **back)


def of_list(workspace: Workspace, found: Any) -> dict[str, Any] | None:
    """Return what is shown of the change that is under way or was just made: `?change=3` names it."""
    number = text.number(request.args.get("change", ""))
    change = bulk_changes.under_way(workspace, found.id)
    if change is None and number:
        change = bulk_changes.get(workspace, found.id, number)
    return _shown(workspace, change) if change else None


def _shown(workspace: Workspace, change: Any) -> dict[str, Any]:
    who = people_count(change.changed)
    done, doing = (words.format(**change.about, who=who) for words in SAID[change.verb])
    running = change.state in bulk_changes.UNDER_WAY
    said = {
        "done": done,
        "undone": "Undone.",
        "undoing": f"Undoing: {doing[0].lower()}{doing[1:]}",
        "failed": f"{done} Stopped: {change.error}",
    }.get(change.state, doing)
    if change.state == "undone" and change.verb == "campaign":
        said = f"{who.capitalize()} excluded from “{change.about['called']}” again."
    pct = int(100 * change.done / change.total) if change.total else 100
    may = bulk_changes.may_undo(workspace, change)
    return {"of": change, "running": running, "said": said, "pct": pct, "may_undo": may}


@part.get("/changes/<int:change_id>")
def show(workspace: Workspace, list_id: int, change_id: int) -> Response:
    """Show how far the change is; the page comes again when it has ended."""
    change = bulk_changes.get(workspace, list_id, change_id)
    shown = _shown(workspace, change)
    back = _back()
    if not htmx().partial or not shown["running"]:
        return redirect_to(LISTS, list_id=list_id, change=change_id, **back)
    return render("lists/_change.html", list=lists.get_list(workspace, list_id), change=shown, query=back)


@part.post("/changes/<int:change_id>/undo")
def undo(workspace: Workspace, list_id: int, change_id: int) -> Response:
    """Undo the change."""
    try_verb(lambda: bulk_changes.undo(workspace, list_id, change_id))
    return redirect_to(LISTS, list_id=list_id, change=change_id, **_back())


def _back() -> dict[str, str]:
    """Return the filter, order and columns of the page from which the change was made."""
    return {name: value for name, value in request.args.items() if name not in ("change", "cursor", "shown", "list_id")}


def places(workspace: Workspace, list_id: int) -> dict[str, Any]:
    """Return the other lists, and the campaigns that take people in."""
    others = [(one.id, one.name) for one in lists.newest(workspace) if one.id != list_id]
    running = session().scalars(campaigns.page(workspace, "running").limit(lists.MOST_TO_CHOOSE)).all()
    return {"others": others, "running": [(one.id, one.name) for one in running]}
