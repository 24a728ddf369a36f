"""Drafts read together: each text once with what differs per person, and one press that approves what was shown."""

from collections import Counter
from typing import Any

from flask import Blueprint, Response, g, request

from app.core.errors import InvalidRequest
from app.core.text import number
from app.domain.approvals import reading
from app.domain.workspace.workspaces import User, Workspace
from app.pages.approvals import wording
from app.pages.approvals.approvals import DECIDERS
from app.pages.framework.base import redirect_to, render, show_toast, signed_in
from app.pages.framework.forms import Form, Texts

area = Blueprint("reading", __name__, url_prefix="/approvals/together")


class ReadForm(Form):
    """The drafts that the user read and approves, each with its mark."""

    drafts = Texts(name="draft")


@area.get("")
@signed_in
def index(workspace: Workspace) -> Response:
    """Show the waiting drafts grouped by their text."""
    campaign_id = number(request.args.get("campaign", ""))
    found = reading.look(workspace, [campaign_id] if campaign_id else None)
    return render("approvals/reading.html", reading=found, may_decide=g.role in ("owner", *DECIDERS))


@area.post("")
@signed_in(roles=DECIDERS)
def approve(workspace: Workspace, user: User) -> Response:
    """Approve what was shown; what changed since, or has a warning, keeps waiting."""
    outcomes = approve_posted(workspace, user)
    if outcomes is not None:
        show_toast(wording.counted(list(outcomes.elements())))
    campaign: dict[str, Any] = {"campaign": request.args["campaign"]} if request.args.get("campaign") else {}
    return redirect_to("pages.reading.index", **campaign)


def approve_posted(workspace: Workspace, user: User) -> Counter[str] | None:
    """Approve the drafts of the form that still are what was read; None, with a message, when none was picked."""
    read = dict(one.partition(":")[::2] for one in ReadForm.posted().drafts.data)
    try:
        return reading.approve(workspace, {number(name): seen for name, seen in read.items()}, user)
    except InvalidRequest:
        show_toast("Select at least one draft.", "warn")
        return None
