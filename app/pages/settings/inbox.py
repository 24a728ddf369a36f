"""Settings of the inbox: the time to undo, meeting links and snippets."""

from typing import ClassVar

from flask import Blueprint, Response

from app.core.errors import Conflict, InvalidRequest
from app.domain.conversations import inbox_settings, snippets
from app.domain.rules import message_templates
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import error_text, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text, Whole

area = Blueprint("inbox_settings", __name__, url_prefix="/settings/inbox")


class InboxForm(Form):
    """Settings of all members."""

    PATHS: ClassVar[dict[str, str]] = {"undoSeconds": "undo", "meetingLink": "link"}

    undo = Whole(name="undoSeconds", default=None, empty=None, wrong=-1)
    link = Text(name="meetingLink", strip=True)


class OwnForm(Form):
    """The member's own link."""

    PATHS: ClassVar[dict[str, str]] = {"ownLink": "link"}

    link = Text(name="ownLink", strip=True)


class SnippetForm(Form):
    """A snippet."""

    name = Text()
    text = Text()


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    """Show the settings and the snippets."""
    return _page(workspace, user)


def _page(
    workspace: Workspace,
    user: User,
    status: int = 200,
    form: InboxForm | None = None,
    own: OwnForm | None = None,
    new: SnippetForm | None = None,
    edited: tuple[int, SnippetForm] | None = None,
) -> Response:
    return render(
        "settings/inbox.html",
        status=status,
        form=form or InboxForm.of(undo=workspace.undo_seconds, link=workspace.meeting_link),
        own=own or OwnForm.of(link=inbox_settings.own_link(workspace, user)),
        new=new or SnippetForm.of(),
        edited=edited,
        snippets=[
            (one, edited[1] if edited and edited[0] == one.id else SnippetForm.of(name=one.name, text=one.text))
            for one in snippets.every(workspace)
        ],
        variables=list(message_templates.VARIABLES),
    )


@area.post("")
def save(workspace: Workspace, user: User) -> Response:
    """Change what holds for all members."""
    form = InboxForm.posted()
    try:
        inbox_settings.change(workspace, form.undo.data, form.link.data)
    except InvalidRequest as refusal:
        return _page(workspace, user, 422, form=form.take_errors(refusal))
    show_toast("Saved.")
    return redirect_to(".index")


@area.post("/mine")
def save_mine(workspace: Workspace, user: User) -> Response:
    """Change the member's own meeting link."""
    form = OwnForm.posted()
    try:
        inbox_settings.change_own_link(workspace, user, form.link.data)
    except InvalidRequest as refusal:
        return _page(workspace, user, 422, own=form.take_errors(refusal))
    show_toast("Saved.")
    return redirect_to(".index")


@area.post("/snippets")
def add(workspace: Workspace, user: User) -> Response:
    """Add a snippet."""
    form = SnippetForm.posted()
    try:
        snippets.add(workspace, form.name.data, form.text.data)
    except InvalidRequest as refusal:
        return _page(workspace, user, 422, new=form.take_errors(refusal))
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")
        return _page(workspace, user, 409, new=form)
    show_toast("Snippet added.")
    return redirect_to(".index", _anchor="snippets")


@area.post("/snippets/<int:snippet_id>")
def change(workspace: Workspace, user: User, snippet_id: int) -> Response:
    """Change a snippet."""
    form = SnippetForm.posted()
    try:
        snippets.change(workspace, snippet_id, form.name.data, form.text.data)
    except InvalidRequest as refusal:
        return _page(workspace, user, 422, edited=(snippet_id, form.take_errors(refusal)))
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")
        return _page(workspace, user, 409, edited=(snippet_id, form))
    show_toast("Snippet saved.")
    return redirect_to(".index", _anchor="snippets")


@area.post("/snippets/<int:snippet_id>/delete")
def remove(workspace: Workspace, snippet_id: int) -> Response:
    """Delete a snippet."""
    gone = snippets.remove(workspace, snippet_id)
    show_toast(f"Snippet “{gone.name}” deleted.")
    return redirect_to(".index", _anchor="snippets")
