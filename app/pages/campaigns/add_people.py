"""Add people to a running campaign, and export its people."""

from flask import Response, request

from app.core import text
from app.core.db import session
from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.campaigns import campaigns, csv_export, exclusion_preview
from app.domain.engine import joiners
from app.domain.leads import lists
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.exclusions import AT_ONCE
from app.pages.campaigns.people import choice_of
from app.pages.framework.base import errors_of, may_change, redirect_to, render, show_toast, try_verb
from app.pages.framework.forms import Form, Tick, Whole
from app.pages.framework.words import people_count
from app.pages.leads.csv_import import table_file


@campaigns_area.get("/<int:campaign_id>/people/add")
@may_change
def add_people(workspace: Workspace, campaign_id: int) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "people")
    if "enrol" not in frame.moves:
        show_toast("You can only add people to a running campaign.", "warn")
        return redirect_to("pages.campaigns.people", campaign_id=campaign_id)
    return _form(workspace, campaign_id, text.number(request.args.get("listId", "")))


@campaigns_area.post("/<int:campaign_id>/people/add")
def join(workspace: Workspace, campaign_id: int) -> Response:
    """Add the people of a list to the campaign."""
    list_id = text.number(request.form.get("listId", ""))
    try:
        result = campaigns.enrol_more(workspace, campaign_id, list_id=list_id)
    except (InvalidRequest, Conflict) as refusal:
        return _form(workspace, campaign_id, list_id, refusal)
    said = [f"{people_count(result.added).capitalize()} joined." if result.added else "No new people."]
    became = (
        (result.skipped, "already in this campaign"),
        (result.excluded, "excluded; see the reasons below"),
        (result.held, "put on hold; see the reasons below"),
    )
    for number, what in became:
        if number:
            said.append(f"{people_count(number).capitalize()} {'was' if number == 1 else 'were'} {what}.")
    show_toast(" ".join(said), "ok" if result.added else "info")
    return redirect_to("pages.campaigns.people", campaign_id=campaign_id)


class JoinersForm(Form):
    """Whether new people join, and how many a day."""

    join = Tick()
    per_day = Whole(name="perDay")


@campaigns_area.post("/<int:campaign_id>/joiners")
def choose_joiners(workspace: Workspace, campaign_id: int) -> Response:
    """Let new people in the campaign's lists join it, or stop that."""
    form = JoinersForm.posted()
    per_day = form.per_day.data if form.join.data else None
    said = f"Up to {per_day:,} new people will join per day." if per_day else "New people no longer join."
    try_verb(lambda: joiners.choose(workspace, campaign_id, per_day), said)
    drafted = campaigns.get(workspace, campaign_id).status == "draft"
    return redirect_to("pages.campaigns.show" if drafted else "pages.campaigns.settings", campaign_id=campaign_id)


def _form(workspace: Workspace, campaign_id: int, list_id: int = 0, refusal: AppError | None = None) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "people")
    errors = errors_of(refusal)
    if "listId" in errors and not list_id:
        errors["listId"] = "Choose a list."
    found = session().scalars(lists.people_lists(workspace).order_by(None)).all()
    known = list_id in {one.id for one in found}
    return render(
        "campaigns/join.html",
        part="campaigns/_joining.html",
        status=200 if refusal is None else 422 if errors else refusal.status,
        frame=frame,
        lists=[(one.id, f"{one.name} ({people_count(one.lead_count)})") for one in found],
        chosen=list_id or "",
        counted=exclusion_preview.of_list(workspace, campaign_id, list_id, most=AT_ONCE) if known else None,
        reason=campaign_frame.reason,
        errors=errors,
        refusal=None if errors else refusal,
    )


@campaigns_area.get("/<int:campaign_id>/people.csv")
def people_csv(workspace: Workspace, campaign_id: int) -> Response:
    """Download the filtered people."""
    campaign = campaigns.get(workspace, campaign_id)
    choice, _ = choice_of(workspace)
    return table_file(csv_export.rows(workspace, campaign_id, choice), f"{campaign.name} – people")
