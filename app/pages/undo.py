"""The page side of every undo: one address, and one message of what is there again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flask import Blueprint, Response, abort, request, url_for

from app.domain.conversations import inbox
from app.domain.leads import block, merge_people, removals, tags
from app.domain.leads.campaign_leads import company_decisions
from app.domain.platform.undo import Undoable
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import redirect_to_path, safe_path, show_toast, try_verb
from app.pages.framework.words import many, people_count

area = Blueprint("undo", __name__, url_prefix="/undo")


def path(undoable: Undoable[Any], name: str, back: str) -> str:
    """Return the address of an Undo button that leads to the page `back`; "" when nothing was done."""
    return url_for("pages.undo.undo", what=undoable.kind, name=name, next=back) if name else ""


@area.post("/<what>/<name>")
def undo(workspace: Workspace, what: str, name: str) -> Response:
    """Take back what was done under that name, or say that it's too late."""
    undoable = next((one for one in SAID if one.kind == what), None) or abort(404)
    try_verb(lambda: show_toast(SAID[undoable](undoable.undo(workspace, name))))
    return redirect_to_path(safe_path(request.args.get("next"), "/"))


def _unblocked(done: tuple[int, int]) -> str:
    number, stay = done
    rest = f" Still on the list because of another entry: {people_count(stay)}."
    return f"{people_count(number)} removed from your do-not-contact list.{rest if stay else ''}"


def tagged_words(number: int, add: Sequence[str], remove: Sequence[str]) -> str:
    """Return to or from how many people tags were added or removed."""
    tags = ", ".join(f"“{tag.strip()}”" for tag in [*add, *remove] if tag.strip())
    return f"{tags} {'added to' if any(add) else 'removed from'} {people_count(number)}."


SAID: Mapping[Undoable[Any], Callable[[Any], str]] = {
    removals.PEOPLE: lambda number: f"{people_count(number)} added back to the list.",
    removals.COMPANIES: lambda number: f"{many(number, 'company', 'companies')} added back to the list.",
    block.BLOCKED: _unblocked,
    merge_people.MERGED: lambda _: "Merge undone.",
    inbox.MOVED: lambda _: "The conversation is back in its place.",
    company_decisions.DECIDED: lambda done: f"{done.hold.name} is on hold again.",
    tags.TAGGED: lambda done: tagged_words(done[0], done[1]["add"], done[1]["remove"]),
}
