"""Held companies: where a reply holds colleagues, and the decision about them."""

from flask import Blueprint, Response, request, url_for

from app.core.errors import Conflict, InvalidRequest
from app.domain.leads import records
from app.domain.leads.campaign_leads import company_decisions
from app.domain.leads.campaign_leads.company_decisions import Decided
from app.domain.people.exclusions import company_holds
from app.domain.people.exclusions.company_holds import Found
from app.domain.workspace.workspaces import Workspace
from app.pages import undo
from app.pages.framework.base import error_text, redirect_to_path, render, safe_path, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.framework.tables import page_of
from app.pages.framework.words import people_count

area = Blueprint("company_holds", __name__, url_prefix="/company-holds")
TABS = {"": "To decide", "decided": "Decided", "all": "All"}
WORDS = {"go_on": "Continued", "end": "Stopped", "hand_over": "Continued with one sender"}
DONE = {
    "go_on": "Campaigns continue for {people}",
    "end": "Campaigns stopped for {people}",
    "hand_over": "Campaigns continue for {people}, from {sender}",
}


class DecisionForm(Form):
    """The decision, and the page to return to."""

    decision = Text()
    next = Text()


@area.get("")
def index(workspace: Workspace) -> Response:
    show = request.args.get("show", "") if request.args.get("show", "") in TABS else ""
    found = {
        "": Found(workspace, decided=False, holding=True),
        "decided": Found(workspace, decided=True),
        "all": Found(workspace),
    }[show]
    page, more = page_of(found, show=show)
    return render(
        "company_holds/index.html",
        part="company_holds/_rows.html" if request.args.get("cursor") else "",
        rows=page.rows,
        undoable=company_decisions.undoable(workspace, [one.hold for one in page.rows]),
        more=more,
        show=show,
        words=WORDS,
        tabs=[
            {
                "label": label,
                "href": url_for(".index", show=name or None),
                "current": name == show,
                "count": None if name else company_holds.count(workspace),
            }
            for name, label in TABS.items()
        ],
    )


@area.get("/<int:hold_id>")
def show(workspace: Workspace, hold_id: int) -> Response:
    """Show who counts as the company's people, and why."""
    found = company_holds.get(workspace, hold_id)
    page, more = page_of(company_holds.People(workspace, found.hold))
    return render(
        "company_holds/show.html",
        part="company_holds/_people.html" if request.args.get("cursor") else "",
        one=found,
        people=page.rows,
        lead_ids=records.lead_ids([person.id for person, _ in page.rows]),
        more=more,
    )


@area.post("/<int:hold_id>/decide")
def decide(workspace: Workspace, hold_id: int) -> Response:
    """Do with the people who are held what was chosen."""
    form = DecisionForm.posted()
    try:
        done = company_decisions.decide(workspace, hold_id, form.decision.data)
        sender = company_holds.get(workspace, hold_id).sender
    except (Conflict, InvalidRequest) as refusal:
        show_toast(error_text(refusal), "danger")
        return _back(form)
    name = "" if done.hold.decision == "end" else str(hold_id)
    path = undo.path(company_decisions.DECIDED, name, safe_path(form.next.data or "", url_for(".index")))
    show_toast(_decision_text(done, sender.name if sender else ""), "warn" if done.left else "ok", path)
    return _back(form)


def _decision_text(done: Decided, sender: str) -> str:
    said = DONE[done.hold.decision].format(people=people_count(done.people), sender=sender)
    left = [f"{people_count(one.people)} in {one.campaign} can't continue: {one.why}" for one in done.left]
    return " ".join([f"{done.hold.name}: {said}.", *left])


def _back(form: DecisionForm) -> Response:
    return redirect_to_path(safe_path(form.next.data or "", url_for(".index")))
