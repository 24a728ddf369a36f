"""What was learnt: rules from edits with their evidence, the order of plays, and the way back from each."""

from flask import Blueprint, Response

from app.core import text
from app.domain.autopilot import documents
from app.domain.learning import draft_outcomes, learnt, proposals, ranking
from app.domain.learning.weekly_summary import LABELS
from app.domain.rules.responses import play_order
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import redirect_to_path, render, show_toast, signed_in, try_verb
from app.pages.framework.forms import Form, Text

area = Blueprint("learnt", __name__, url_prefix="/autopilot/learnt")
ROLES = ("operator",)
STATUS = {
    "proposed": ("Proposed", "info"),
    "later": ("Not now", "neutral"),
    "never": ("Declined", "neutral"),
    "on": ("Applies", "ok"),
    "off": ("Taken back", "neutral"),
}


@area.get("")
@signed_in
def index(workspace: Workspace) -> Response:
    view = learnt.view(workspace)
    edits = {rule.id: learnt.edits(workspace, rule) for rule, _ in view.rules}
    return render(
        "autopilot/learnt.html",
        view=view,
        edits=edits,
        counts=draft_outcomes.counts(workspace),
        pieces_of=documents.pieces_of,
        told=play_order.told,
        labels=LABELS,
        statuses=STATUS,
        order=("proposed", "on", "later", "off", "never"),
        latest={change.id for change in {change.angle: change for change, _ in reversed(view.ranking)}.values()},
    )


@area.post("/rules/<int:rule_id>/<any(accept, later, never):answer>")
@signed_in(roles=ROLES)
def decide(workspace: Workspace, rule_id: int, answer: str, user: User) -> Response:
    """Accept a rule, put it off, or decline it; then go back to where it was asked."""
    if answer == "accept":
        if try_verb(lambda: proposals.accept(workspace, rule_id, user)):
            undo = f"{area.url_prefix}/rules/{rule_id}/back"
            show_toast("New texts follow this rule, and so do waiting drafts.", undo=undo)
    else:
        verb, said = (
            (proposals.put_off, "You will be asked again after three more such edits.")
            if answer == "later"
            else (proposals.decline, "You won't be asked again.")
        )
        try_verb(lambda: verb(workspace, rule_id, user), said, "info")
    return _back()


@area.post("/rules/<int:rule_id>/back")
@signed_in(roles=ROLES)
def take_back(workspace: Workspace, rule_id: int, user: User) -> Response:
    """Take an accepted rule back."""
    said = "Taken back. New texts no longer follow this rule."
    try_verb(lambda: proposals.take_back(workspace, rule_id, user), said, "info")
    return _back()


@area.post("/ranking/<int:change_id>/back")
@signed_in(roles=ROLES)
def take_ranking_back(workspace: Workspace, change_id: int) -> Response:
    """Take a change of the order back."""
    said = "Taken back. The answers and votes up to now don't count for this reason to write."
    try_verb(lambda: ranking.take_back(workspace, change_id), said, "info")
    return redirect_to_path(area.url_prefix or "/")


class AskedForm(Form):
    """Where the question was asked: beside a draft, on the page of plays, or here."""

    draft = Text(default=None)
    place = Text(name="from")


def _back() -> Response:
    """Go back to where the question was asked."""
    form = AskedForm.posted()
    if form.draft.data is not None:
        draft = text.number(form.draft.data)
        return redirect_to_path(f"/approvals/{draft}" if draft else "/approvals")
    return redirect_to_path("/plays" if form.place.data == "plays" else area.url_prefix or "/")
