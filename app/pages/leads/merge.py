"""Merge two people: find the other one, see what happens, confirm; and the possible duplicates."""

from typing import Any

from flask import Blueprint, Response, g, request, url_for

from app.core import text
from app.core.errors import Conflict
from app.core.paging import Window
from app.domain.leads import leads, merge_people, records
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people import duplicates
from app.domain.workspace import search
from app.domain.workspace.workspaces import Workspace
from app.pages import undo
from app.pages.framework.base import may_change, redirect_to, render, show_toast
from app.pages.leads import sources

part = Blueprint("merging", __name__, url_prefix="/people")
MOST_FOUND = 20


@part.get("/<int:lead_id>/merge")
@may_change
def find(workspace: Workspace, lead_id: int) -> Response:
    """Search for the person to merge with."""
    lead = leads.get_visible(workspace, lead_id)
    q = request.args.get("q", "").strip()[: search.LONGEST]
    found = search.find(workspace, q, g.role, MOST_FOUND).people if q else ()
    return render(
        "leads/merge.html",
        part="leads/_merge_found.html",
        lead=lead,
        q=q,
        found=[one for one in found if one.person_id != lead.person_id],
        alike=duplicates.of_person(workspace, lead.person),
    )


@part.get("/merge")
@may_change
def preview(workspace: Workspace) -> Response:
    """Show what a merge of two people does, before it is confirmed."""
    keep, other = (text.number(request.args.get(name, "")) for name in ("keep", "other"))
    return _preview(workspace, keep, other)


def _preview(workspace: Workspace, keep_id: int, other_id: int, refusal: str = "") -> Response:
    looked = merge_people.preview(workspace, keep_id, other_id)
    return render(
        "leads/merge_preview.html",
        status=422 if refusal else 200,
        looked=looked,
        label=sources.label,
        refusal=refusal,
        lead_ids=records.lead_ids([keep_id, other_id]),
    )


@part.post("/merge")
def merge(workspace: Workspace) -> Response:
    keep, other = (text.number(request.form.get(name, "")) for name in ("keep", "other"))
    try:
        name = merge_people.merge_people(workspace, keep, other)
    except Conflict as refusal:
        return _preview(workspace, keep, other, f"{refusal.message} {refusal.recovery}")
    lead_id = records.lead_ids([keep]).get(keep)
    back = url_for("pages.lists.people.show", lead_id=lead_id) if lead_id else url_for(".alike")
    show_toast("Merged.", undo=undo.path(merge_people.MERGED, name, back))
    return redirect_to(back)


@part.get("/duplicates")
def alike(workspace: Workspace) -> Response:
    """Show people who may be one."""
    window = Window.of(request.args, (workspace.id, request.path))
    page = duplicates.of_workspace(workspace).page(window)
    both: list[Any] = [person for pair in page.rows for person in pair[:2]]
    return render(
        "leads/duplicates.html",
        part="leads/_duplicates.html",
        page=page,
        more=url_for(".alike", cursor=page.next_cursor) if page.next_cursor else "",
        looking=page.next_cursor and len(page.rows) < window.limit,  # of many people few are alike: the page goes on
        went_on=bool(window.cursor),
        lead_ids=records.lead_ids({person.id for person in both}),
    )


@part.post("/duplicates/apart")
def apart(workspace: Workspace) -> Response:
    """Remember that two people are not the same."""
    both = [text.number(request.form.get(name, "")) for name in ("person", "other")]
    campaign_leads.tell_apart(workspace, *both)
    show_toast("No longer suggested as duplicates.", undo=url_for(".together", person=both[0], other=both[1]))
    return redirect_to(".alike")


@part.post("/duplicates/together")
def together(workspace: Workspace) -> Response:
    """Suggest two people again."""
    duplicates.suggest_again(workspace, *(text.number(request.args.get(name, "")) for name in ("person", "other")))
    return redirect_to(".alike")
