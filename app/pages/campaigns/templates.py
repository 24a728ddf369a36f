"""Templates: sequences of campaigns and plays, saved to begin the next ones with."""

from flask import Blueprint, Response, request

from app.domain.autopilot import plays, templates
from app.domain.autopilot.play_steps import IN_A_CAMPAIGN
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework.base import redirect_to, render, show_toast, try_verb

area = Blueprint("templates", __name__, url_prefix="/templates")


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the templates of campaigns and of plays."""
    return render(
        "campaigns/templates.html",
        of_campaigns=templates.sequences(workspace),
        of_plays=templates.every(workspace),
        kinds=IN_A_CAMPAIGN,
        plays=[play for play in plays.every(workspace) if play.status == "review"],
    )


@campaigns_area.post("/<int:campaign_id>/template")
def save_template(workspace: Workspace, campaign_id: int) -> Response:
    """Save the campaign's steps under a name."""
    name = request.form.get("name", "")
    try_verb(
        lambda: templates.save_sequence(workspace, campaign_id, name),
        "Saved as a template. New campaigns can start with this template.",
    )
    return redirect_to("pages.campaigns.show", campaign_id=campaign_id)


@campaigns_area.post("/templates/<int:template_id>/delete")
def delete_template(workspace: Workspace, template_id: int) -> Response:
    """Delete a template; campaigns made from it stay."""
    name = templates.delete_sequence(workspace, template_id)
    show_toast(f"“{name}” deleted. Existing campaigns don't change.", "info")
    return redirect_to("pages.templates.index")
