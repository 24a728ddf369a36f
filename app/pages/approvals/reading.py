"""Drafts read together: each text once with what differs per person, and one press that approves what was shown."""

from collections.abc import Sequence

from flask import Blueprint, Response, g, request

from app.core.errors import InvalidRequest
from app.core.text import number
from app.domain.approvals import bulk, reading
from app.domain.workspace import roles
from app.domain.workspace.workspaces import User, Workspace
from app.pages.approvals import approvals
from app.pages.framework.base import redirect_to_path, render, show_toast
from app.pages.framework.forms import Form, Texts

area = Blueprint("reading", __name__, url_prefix="/approvals/together")


class ReadForm(Form):
    """The drafts that the user read and approves, each with its mark."""

    drafts = Texts(name="draft")


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the waiting drafts grouped by their text."""
    campaign_id = number(request.args.get("campaign", ""))
    found = reading.look(workspace, [campaign_id] if campaign_id else None)
    return render("approvals/reading.html", reading=found, may_decide=roles.may(g.role, "approvals", change=True))


@area.post("")
def approve(workspace: Workspace, user: User) -> Response:
    """Approve what was shown; what changed since, or has a warning, keeps waiting."""
    back, results = request.full_path.rstrip("?"), approve_posted(workspace, user)
    if results:
        approvals.show_counted(results, back)
    return redirect_to_path(back)


def approve_posted(workspace: Workspace, user: User) -> Sequence[bulk.Result]:
    """Approve the drafts of the form that still are what was read; say so when none was picked."""
    read = dict(one.partition(":")[::2] for one in ReadForm.posted().drafts.data)
    try:
        return reading.approve(workspace, {number(name): seen for name, seen in read.items()}, user)
    except InvalidRequest:
        show_toast("Select at least one draft.", "warn")
        return []
