"""Files of emails: shown safely or downloaded, and those that a member attaches to a reply."""

import re

from flask import Blueprint, Response, request, url_for

from app.core.errors import InvalidRequest
from app.domain.conversations import attachments
from app.domain.engine.manual import compose
from app.domain.workspace.workspaces import User, Workspace
from app.pages.conversations import filters
from app.pages.framework.base import errors_of, htmx, redirect_to_path, render
from app.pages.framework.forms import Form, Text, Whole
from app.ports import File

area = Blueprint("files", __name__, url_prefix="/conversations/<int:conversation_id>/files")
# A file of a stranger gets no script, no form and no origin of ours, whatever it holds.
ALONE = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_BETWEEN = re.compile("[,;]")
SANDBOXED = f"{ALONE}; sandbox"


class TypedForm(Form):
    """What was typed besides the files."""

    text = Text()
    subject = Text()
    to = Text()
    cc = Text()
    written = Whole()

    def unsent(self) -> compose.Unsent:
        """Return what is kept until it is sent."""
        return compose.Unsent(self.text.data, self.subject.data, self.cc.data, self.to.data)


@area.get("/<int:attachment_id>")
def show(workspace: Workspace, conversation_id: int, attachment_id: int) -> Response:
    """Show an image or a PDF by itself; any other file is downloaded."""
    found = attachments.get(workspace, conversation_id, attachment_id)
    content = found.content or b""
    kind = attachments.shown_as(content) if "download" not in request.args else ""
    response = Response(content, content_type=kind or "application/octet-stream")
    response.headers.set("Content-Disposition", "inline" if kind else "attachment", filename=found.name)
    # The PDF viewers of browsers refuse to run in a sandbox of ours; they have one of their own.
    response.headers["Content-Security-Policy"] = ALONE if kind == "application/pdf" else SANDBOXED
    return response


def addresses(typed: str) -> list[str]:
    """Return the addresses of a field, which stand between commas, semicolons or spaces."""
    return _BETWEEN.sub(" ", typed[: compose.LONGEST_CC]).split()


def given() -> list[File]:
    """Return the files that the form brought."""
    files = []
    for one in request.files.getlist("files"):
        if one.filename:
            content = one.stream.read(attachments.MOST_BYTES + 1)
            files.append(File(one.filename, one.mimetype or "application/octet-stream", len(content), content))
    return files


def attached(workspace: Workspace, user: User, conversation_id: int) -> InvalidRequest | None:
    """Keep the files that the form brought; return why they can't be sent."""
    files = given()
    try:
        if files:
            attachments.attach(workspace, user, conversation_id, files)
    except InvalidRequest as refusal:
        return refusal
    return None


@area.post("")
def attach(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Attach files to the reply that the user is writing."""
    return _shown(workspace, user, conversation_id, attached(workspace, user, conversation_id))


@area.post("/<int:attachment_id>/remove")
def remove(workspace: Workspace, user: User, conversation_id: int, attachment_id: int) -> Response:
    """Remove a file from the reply that the user is writing."""
    attachments.remove(workspace, user, conversation_id, attachment_id)
    return _shown(workspace, user, conversation_id, None)


def _shown(workspace: Workspace, user: User, conversation_id: int, refusal: InvalidRequest | None) -> Response:
    """Show the files of the reply; what was typed is kept."""
    form = TypedForm.posted()
    compose.save_draft(workspace, user, conversation_id, form.unsent(), form.written.data)
    if not htmx():
        address = filters.address()["address"]
        return redirect_to_path(
            url_for("pages.conversations.show", conversation_id=conversation_id, **address) + "#reply"
        )
    files = attachments.typed(workspace, user, conversation_id)
    errors = list(errors_of(refusal).values())
    return render("conversations/_files_changed.html", id=conversation_id, files=files, errors=errors)
