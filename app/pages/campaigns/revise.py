"""Revise the steps of a running campaign: the builder's form, beside the effect on people."""

from typing import Any

from flask import Response

from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.campaigns import preview
from app.domain.campaigns.changes import changes, revisions
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.leads import lists
from app.domain.leads.campaign_leads import filters
from app.domain.rules.sequences import step_keys
from app.domain.senders import accounts
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.campaigns.form import editing, longest, shown_to
from app.pages.campaigns.form_data import CampaignForm, Draft
from app.pages.campaigns.frame import Frame
from app.pages.framework.base import Errors, may_change, redirect_to, render, show_toast
from app.pages.framework.words import people_count, step_word

CHANGES = {
    "text": "New text in step {number}",
    "shares": "New shares in step {number}",
    "wait": "New wait before step {number}",
    "new": "Step {number} added: {label}",
    "removed": "Step {number} removed: {label}",
    "moved": "Moved to step {number}: {label}",
    "changed": "Step {number} changed: {label}",
}
APPLY_TO = (
    ("new", "People who haven't reached the step yet", "People already waiting get the old version."),
    ("all", "Everyone who hasn't finished", "Everyone gets the new version, starting with their next step."),
    (
        "chosen",
        "People you choose",
        "These people get the new version, starting with their next step. Others only get it if they join later.",
    ),
)
MOST_PEOPLE = 100  # to choose from; the API takes more


@campaigns_area.get("/<int:campaign_id>/sequence/edit")
@may_change
def revise(workspace: Workspace, campaign_id: int) -> Response:
    """Show the steps for changing; redirect where they can't be changed."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    if "revise" not in frame.moves:
        show_toast("These steps can't be changed now.", "warn")
        return redirect_to("pages.campaigns.sequence", campaign_id=campaign_id)
    return _form(workspace, frame, Draft.of_campaign(frame.campaign), "new", [])


@campaigns_area.post("/<int:campaign_id>/sequence/edit")
def save_revision(workspace: Workspace, campaign_id: int) -> Response:
    """Save the changed steps; every other button changes the form."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    form = CampaignForm.posted()
    draft, apply_to, do = Draft.of_form(form), form.apply_to.data, form.do.data
    chosen = form.lead_ids.data if apply_to == "chosen" else []
    if do != "save":
        return _form(workspace, frame, draft, apply_to, chosen, do=do)
    steps = [step.argument() for step in draft.steps]
    try:
        wanted = Wanted(sequence=steps, apply_to=apply_to, chosen=chosen)
        effect = changes.preview(workspace, campaign_id, wanted)[0].effect
        changes.apply(workspace, campaign_id, wanted)
    except (InvalidRequest, Conflict) as refusal:
        return _form(workspace, frame, draft, apply_to, chosen, refusal)
    changed = f"Who gets the change: {people_count(effect.affected)}."
    show_toast(f"Changes saved. {changed}" if effect.steps else "No changes.")
    return redirect_to("pages.campaigns.sequence", campaign_id=campaign_id)


@campaigns_area.post("/<int:campaign_id>/sequence/effect")
def revision_effect(workspace: Workspace, campaign_id: int) -> Response:
    """Return the effect of the form's steps."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "sequence")
    form = CampaignForm.posted()
    draft, apply_to = Draft.of_form(form), form.apply_to.data
    chosen = form.lead_ids.data if apply_to == "chosen" else []
    seen = _seen(workspace, frame, draft, apply_to, chosen)
    draft.open_first()
    return render("campaigns/_seen.html", draft=draft, errors=Errors(), **seen)


def _form(
    workspace: Workspace,
    frame: Frame,
    draft: Draft,
    apply_to: str,
    chosen: list[int],
    refusal: AppError | None = None,
    do: str = "",
) -> Response:
    edited = editing(draft, refusal, do)
    problems = edited["problems"]
    return render(
        "campaigns/form.html",
        part="campaigns/_editor.html",
        status=200 if refusal is None else 422 if problems else refusal.status,
        draft=draft,
        action=frame.path("revise"),
        refusal=None if problems else refusal,
        fixed=len(draft.steps) if draft.branches else 0,  # a sequence with branches keeps its order
        had=_had(frame, draft),
        **edited,
        **_seen(workspace, frame, draft, apply_to, chosen),
    )


def _had(frame: Frame, draft: Draft) -> set[int]:
    """Return the numbers of the form's steps that people have had."""
    campaign, had = frame.campaign, revisions.keys_had(frame.campaign)
    named = step_keys.with_keys(campaign.sequence, [step.argument() for step in draft.steps], campaign.next_key)
    return {number for number, key in enumerate(step_keys.keys(named), start=1) if key in had}


def _seen(workspace: Workspace, frame: Frame, draft: Draft, apply_to: str, chosen: list[int]) -> dict[str, Any]:
    """Return the people the change affects, and the steps as one of them would get them."""
    steps = [step.argument() for step in draft.steps]
    effect, problem = None, ""
    try:
        wanted = Wanted(sequence=steps, apply_to=apply_to, chosen=chosen)
        effect = changes.preview(workspace, frame.campaign.id, wanted)[0].effect
    except (InvalidRequest, Conflict) as refusal:
        problem = refusal.fields[0].message if refusal.fields else refusal.message
    page = filters.page(workspace, frame.campaign, filters.LeadFilter(), {"limit": "25"})
    people = [lead for _, lead, _ in page.rows]
    lead = next((one for one in people if one.id == draft.lead_id), people[0] if people else None)
    known = [*frame.senders, *accounts.every(workspace)]
    listed = lists.lists_by_id(workspace, [frame.campaign.list_id or 0]).get(frame.campaign.list_id or 0)
    return {
        "frame": frame,
        "longest": longest(frame.senders),
        "choices": APPLY_TO,
        "senders": frame.senders,
        "apply_to": apply_to,
        "chosen": chosen,
        "choosable": _choosable(workspace, frame) if apply_to == "chosen" else [],
        "effect": effect,
        "problem": problem,
        "changes": _changes(effect) if effect else [],
        "links": _links(frame, effect) if effect else {},
        "people": people,
        "lead": lead,
        **shown_to(workspace, draft, lead, known, listed, frame.campaign),
        "variables": preview.variables(people),
        "list": listed,
    }


def _changes(effect: Any) -> list[str]:
    return [CHANGES[one.change].format(number=one.index + 1, label=step_word(one.type).label) for one in effect.steps]


def _links(frame: Frame, effect: Any) -> dict[int, str]:
    """Return the addresses of the people who wait at each changed step, by its number."""
    return {
        one.index + 1: frame.people("at", step=one.index + 1)
        for one in effect.steps
        if one.change in ("text", "wait", "removed")
    }


def _choosable(workspace: Workspace, frame: Frame) -> list[tuple[int, str]]:
    """Return the first active people, with what tells them apart."""
    found: list[tuple[int, str]] = []
    for state in ("active", "awaiting_accept", "pending", "paused"):
        page = filters.page(workspace, frame.campaign, filters.LeadFilter(state), {"limit": str(MOST_PEOPLE)})
        found += [
            (row.id, f"{lead.name}, {lead.company_name}" if lead.company_name else lead.name)
            for row, lead, _ in page.rows
        ]
    return found[:MOST_PEOPLE]
