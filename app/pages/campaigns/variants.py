"""The choice of a variant for everyone without a text, its undo, and whether winners are taken."""

from flask import Response, request

from app.domain.campaigns import variants
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework.base import redirect_to, show_toast, try_verb


@campaigns_area.post("/<int:campaign_id>/variants/<int:step>")
def choose_variant(workspace: Workspace, campaign_id: int, step: int) -> Response:
    """Give one variant to everyone without a text of the step."""
    key = request.form.get("variant", "")
    if try_verb(lambda: variants.choose(workspace, campaign_id, step, key)):
        undo = f"/campaigns/{campaign_id}/variants/{step}/undo"
        show_toast(f"Everyone who hasn't received step {step + 1} gets variant {key}.", undo=undo)
    return redirect_to("pages.campaigns.sequence", campaign_id=campaign_id)


@campaigns_area.post("/<int:campaign_id>/variants/<int:step>/undo")
def undo_variant(workspace: Workspace, campaign_id: int, step: int) -> Response:
    """Take the choice back: the former shares hold again."""
    try_verb(lambda: variants.undo(workspace, campaign_id, step), f"Step {step + 1} compares its variants again.")
    return redirect_to("pages.campaigns.sequence", campaign_id=campaign_id)


@campaigns_area.post("/<int:campaign_id>/variants/winners")
def pick_winner(workspace: Workspace, campaign_id: int) -> Response:
    """Switch whether winners are taken without asking."""
    on = request.form.get("do") == "take"
    said = "Winning variants are chosen automatically." if on else "Winning variants wait for your decision."
    try_verb(lambda: variants.switch(workspace, campaign_id, on=on), said)
    return redirect_to("pages.campaigns.settings", campaign_id=campaign_id)
