"""Read a search of the network into a list: the form, the progress, and stopping it."""

from typing import Any

from flask import Blueprint, Response, request, url_for

from app.core.errors import InvalidRequest
from app.domain.engine import joiners
from app.domain.leads import lists, search_address, search_import
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import htmx, redirect_to, render, show_toast
from app.pages.leads.add_people import SearchForm, add_page

part = Blueprint("searches", __name__, url_prefix="/lists/<int:list_id>/search-imports")


@part.post("")
def start(workspace: Workspace, list_id: int) -> Response:
    """Start reading the search, or show what doesn't fit."""
    form = SearchForm.posted()
    asked = {"account_id": form.account_id.data, "address": form.address.data, "most": form.most.data}
    try:
        found = search_import.start(workspace, list_id, **asked)
    except InvalidRequest as refusal:
        return add_page(workspace, list_id, search=form.take_errors(refusal))
    return redirect_to(".show", list_id=list_id, search_import_id=found.id)


@part.get("/<int:search_import_id>")
def show(workspace: Workspace, list_id: int, search_import_id: int) -> Response:
    """Show the progress or the result."""
    found = search_import.get(workspace, search_import_id, list_id)
    moves = search_import.moves(found)
    if htmx().partial and "cancel" in moves and request.args.get("at") == _place(found):
        return Response("", 204)
    poll = url_for(".show", list_id=list_id, search_import_id=found.id, at=_place(found)) if "cancel" in moves else ""
    expected = found.most if found.total is None else min(found.total, found.most)
    return render(
        "lists/search_import.html",
        part="lists/_search_import.html",
        list=lists.get_list(workspace, list_id),
        found=found,
        moves=moves,
        poll=poll,
        joined_by=joiners.joined_by(workspace, list_id) if found.added and not poll else (),
        title=search_address.title(found.address),
        expected=expected,
        pct=int(100 * found.read / expected) if expected else 0,
    )


def _place(found: Any) -> str:
    """Return how far the import is, and what it waits for, so that an unchanged card is not sent again."""
    return f"{found.read}-{found.waits_for and found.waits_until}"


@part.post("/<int:search_import_id>/cancel")
def cancel(workspace: Workspace, list_id: int, search_import_id: int) -> Response:
    found = search_import.cancel(workspace, search_import.get(workspace, search_import_id, list_id).id)
    show_toast(f"Stopped after {found.read:,} people. People already added stay in the list.")
    return redirect_to(".show", list_id=list_id, search_import_id=search_import_id)
