"""Trust: what is promised, what no one can promise, how long data is kept, and who gets it; all of it as a file."""

from flask import Blueprint, Response, current_app, g, stream_with_context

from app.core.errors import Conflict, InvalidRequest
from app.core.installation import VERSION
from app.domain.installation import trust
from app.domain.installation.transfer import workspace_export
from app.domain.platform import retention
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import error_text, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Whole

area = Blueprint("trust", __name__, url_prefix="/settings/trust")


class RetentionForm(Form):
    """For how many days each is kept."""

    requests = Whole(wrong=-1)
    deliveries = Whole(wrong=-1)
    payloads = Whole(wrong=-1)


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(workspace, RetentionForm.of(**retention.all_days(workspace)))


@area.post("")
def save(workspace: Workspace) -> Response:
    form = RetentionForm.posted(**retention.all_days(workspace))
    try:
        retention.change(workspace, form.data)
    except InvalidRequest as refusal:
        return _page(workspace, form.take_errors(refusal), 422)
    show_toast("Saved. Older data is deleted within a few hours.")
    return redirect_to(".index")


@area.post("/export")
def export(workspace: Workspace) -> Response:
    """Download the whole workspace in one file, without its secrets; the browser counts the bytes as they come."""
    try:
        content = workspace_export.stream(workspace)
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")
        return redirect_to(".index")
    response = Response(stream_with_context(content), content_type="application/gzip")
    response.headers.set("Content-Disposition", "attachment", filename=f"workspace-{workspace.id}.jsonl.gz")
    return response


def _page(workspace: Workspace, form: RetentionForm, status: int = 200) -> Response:
    config = current_app.config
    return render(
        "settings/trust.html",
        status=status,
        form=form,
        promises=trust.PROMISES,
        limits=trust.LIMITS,
        sub_processors=trust.sub_processors(workspace),
        kinds=retention.KINDS,
        choices={
            kind: [(days, retention.say(days).capitalize()) for days in kept.choices]
            for kind, kept in retention.KINDS.items()
        },
        days=retention.all_days(workspace),
        say=retention.say,
        may_save=page_permissions.may(g.role, "pages.trust.save", change=True),
        backups=0 if config["OVERTURE_BACKUP"] == "off" else config["OVERTURE_BACKUP_KEEP"],
        contact=config["OVERTURE_CONTACT"],
        version=VERSION,
    )
