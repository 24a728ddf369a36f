"""A play's texts written again: the new ones beside the old ones, then in their place, and the undo."""

from flask import Response, request

from app.domain.autopilot import plays, write_again
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN
from app.domain.workspace.workspaces import Workspace
from app.pages.autopilot.plays import ROLES
from app.pages.autopilot.plays import area as plays_area
from app.pages.framework.base import redirect_to_path, render, show_toast, signed_in, try_verb


@plays_area.post("/plays/<int:play_id>/write-again")
@signed_in(roles=ROLES)
def write_texts(workspace: Workspace, play_id: int) -> Response:
    """Write the texts again and show them."""
    if try_verb(lambda: write_again.preview(workspace, play_id)):
        return redirect_to_path(f"/plays/{play_id}/write-again")
    return redirect_to_path(f"/plays/{play_id}")


@plays_area.get("/plays/<int:play_id>/write-again")
@signed_in
def new_texts(workspace: Workspace, play_id: int) -> Response:
    """Show the new texts beside the old ones; without new ones, the play."""
    play, _ = plays.get(workspace, play_id)
    if play.anew is None:
        show_toast("The messages would stay the same.", "info")
        return redirect_to_path(f"/plays/{play_id}")
    return render("plays/write_again.html", play=play, anew=play.anew, kinds=IN_A_CAMPAIGN)


@plays_area.post("/plays/<int:play_id>/write-again/use")
@signed_in(roles=ROLES)
def use_texts(workspace: Workspace, play_id: int) -> Response:
    """Use the new texts of the ticked steps; the others stay."""
    chosen = request.form.getlist("step")
    if try_verb(lambda: write_again.use(workspace, play_id, chosen)):
        undo = f"/plays/{play_id}/write-again/undo" if chosen else ""
        show_toast("The new messages are in use." if chosen else "Your messages are unchanged.", undo=undo)
    return redirect_to_path(f"/plays/{play_id}")


@plays_area.post("/plays/<int:play_id>/write-again/undo")
@signed_in(roles=ROLES)
def undo_texts(workspace: Workspace, play_id: int) -> Response:
    """Take the new texts back."""
    try_verb(lambda: write_again.undo(workspace, play_id), "The old messages are back.", "info")
    return redirect_to_path(f"/plays/{play_id}")
