"""Fast-forward a sandbox workspace."""

from flask import Blueprint, Response

from app.core.errors import AppError, Conflict
from app.domain.installation.sandbox import first_days, sandbox_clock
from app.domain.workspace.workspaces import User, Workspace
from app.pages.approvals import reading, wording
from app.pages.autopilot import wizard_launch
from app.pages.campaigns import campaigns
from app.pages.framework.base import (
    came_from,
    error_text,
    htmx,
    redirect_to,
    redirect_to_path,
    render,
    show_toast,
    try_verb,
)
from app.pages.framework.forms import Form, Whole

area = Blueprint("sandbox", __name__, url_prefix="/sandbox")


@area.get("/card")
def card(workspace: Workspace) -> Response:
    """Show the sandbox card while time moves; afterwards the page is asked for once more, with all its counts."""
    if not (workspace.sandbox and htmx()):
        return redirect_to("pages.home.index")
    response = render("_sandbox_card.html")
    found = sandbox_clock.latest_skip(workspace)
    if htmx().partial and not (found and found.running):
        response.headers["HX-Refresh"] = "true"
    return response


@area.post("/first-days")
def watch(workspace: Workspace) -> Response:
    """Let the first days after the launch go by, up to the first reply."""
    hours = sandbox_clock.WATCHED_HOURS
    try_verb(lambda: sandbox_clock.start_skip(workspace, hours, watched=True))
    return _launched(workspace)


@area.post("/first-days/approve")
def approve(workspace: Workspace, user: User) -> Response:
    """Approve the drafts that were read on the page, and let the days go on."""
    said = [result.outcome for result in reading.approve_posted(workspace, user)]
    if said.count("approved") < len(said):
        show_toast(wording.counted(said), "warn")
    if "approved" in said:
        try_verb(lambda: sandbox_clock.start_skip(workspace, sandbox_clock.WATCHED_HOURS, watched=True))
    return _launched(workspace)


@area.post("/first-days/stop")
def stop(workspace: Workspace) -> Response:
    """Let time stand still again."""
    sandbox_clock.stop_skip(workspace)
    return _launched(workspace)


def _launched(workspace: Workspace) -> Response:
    if htmx().partial:
        return wizard_launch.show_launched(workspace, first_days.view(workspace))
    return redirect_to("pages.autopilot.launched")


class SkipForm(Form):
    """How far, and the campaign to return to."""

    hours = Whole()
    campaign = Whole()


@area.post("/skip")
def skip(workspace: Workspace) -> Response:
    """Start the fast-forward."""
    form = SkipForm.posted()
    campaign = form.campaign.data
    refusal: AppError | None = None
    try:
        sandbox_clock.start_skip(workspace, form.hours.data)
    except Conflict as conflict:
        refusal = conflict
    if campaign and (refusal or htmx().partial):
        return campaigns.overview(workspace, campaign, refusal)
    if refusal:
        show_toast(error_text(refusal), "danger")
    if campaign and not refusal:
        return redirect_to("pages.campaigns.show", campaign_id=campaign)
    return redirect_to_path(came_from())
