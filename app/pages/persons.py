"""One person: what is known about them, their tags, the campaigns they are in, and never contacting them again."""

from typing import Any

from flask import Blueprint, Response, request

from app.core.errors import InvalidRequest
from app.domain import leads, suppression, waiting
from app.domain.workspaces import Workspace
from app.pages.base import errors_of, redirect_to, render, signed_in, tell

part = Blueprint("people", __name__, url_prefix="/people/<int:lead_id>")
CHANGERS = ("operator",)


@part.get("")
@signed_in
def show(workspace: Workspace, lead_id: int) -> Response:
    """The person."""
    return _page(workspace, lead_id)


def _page(workspace: Workspace, lead_id: int, refusal: InvalidRequest | None = None) -> Response:
    lead = leads.get(workspace, lead_id)
    found = leads.lists_by_id(workspace, [lead.list_id or 0])
    campaigns = [
        (campaign, person, waiting.of_people(workspace, campaign, [person])[person.id])
        for campaign, person in leads.campaigns_of(workspace, lead_id)
    ]
    return render(
        "lists/person.html",
        status=422 if refusal else 200,
        lead=lead,
        list=found.get(lead.list_id or 0),
        campaigns=campaigns,
        entry=suppression.find(workspace, lead),
        choices=_choices(lead),
        tags=request.form.get("tags", ", ".join(lead.tags)) if refusal else ", ".join(lead.tags),
        errors=errors_of(refusal) if refusal else {},
    )


def _choices(lead: Any) -> list[tuple[str, str, str]]:
    """What can be kept from being contacted, from one person to everybody at their company: kind, value, words."""
    host = lead.email.rpartition("@")[2]
    return [
        ("person", lead.person, "This person"),
        *([("email", lead.email, f"The address {lead.email}")] if lead.email else []),
        *([("domain", host, f"Everybody with an address at {host}")] if host else []),
        *([("company", lead.company_name, f"Everybody at {lead.company_name}")] if lead.company_name else []),
    ]


@part.post("/tags")
@signed_in(roles=CHANGERS)
def tags(workspace: Workspace, lead_id: int) -> Response:
    """The person has the typed tags."""
    try:
        leads.set_tags(workspace, lead_id, request.form.get("tags", "").split(","))
    except InvalidRequest as refusal:
        return _page(workspace, lead_id, refusal)
    tell("The tags are saved.")
    return redirect_to(".show", lead_id=lead_id)


@part.post("/never-contact")
@signed_in(roles=CHANGERS)
def never_contact(workspace: Workspace, lead_id: int) -> Response:
    """They, or everybody the choice names, are never contacted again."""
    lead = leads.get(workspace, lead_id)
    chosen = next((one for one in _choices(lead) if one[0] == request.form.get("kind", "person")), None)
    if chosen is None:
        raise InvalidRequest.of(("kind", "Choose whom."))
    suppression.add(workspace, [(chosen[0], chosen[1])], "Chosen on their page.")
    tell(f"{chosen[2]} will not be contacted any more.")
    return redirect_to(".show", lead_id=lead_id)
