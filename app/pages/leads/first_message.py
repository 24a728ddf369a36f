"""The first message to a person by hand: pick the sender, write, send."""

from collections.abc import Sequence
from typing import Any, ClassVar

from flask import Blueprint, Response, url_for

from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.conversations import threads
from app.domain.engine.manual import compose
from app.domain.leads import leads
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.domain.workspace.workspaces import Workspace
from app.pages.conversations import files
from app.pages.framework.base import may_change, redirect_to_path, render
from app.pages.framework.forms import Form, Text, Whole

part = Blueprint("first_message", __name__, url_prefix="/people/<int:lead_id>/write")


class FirstMessageForm(Form):
    PATHS: ClassVar[dict[str, str]] = {"accountId": "account", "attachments": "files"}

    account = Whole()
    subject = Text()
    cc = Text()
    files = Text()
    text = Text()


@part.get("")
@may_change
def show(workspace: Workspace, lead_id: int) -> Response:
    """Show the form for the first message, and the conversations there are already."""
    return _page(workspace, lead_id, FirstMessageForm.of())


def _page(workspace: Workspace, lead_id: int, form: FirstMessageForm, refusal: AppError | None = None) -> Response:
    lead = leads.get_visible(workspace, lead_id)
    found = sorted(threads.of_person(workspace, lead.person_id), key=lambda one: one.last_message_at, reverse=True)
    known, entry = {one.sender_id: one.id for one in found}, never_contact.find(workspace, lead.person_id)
    reached = {"email": lead.email, "social": lead.public_id}
    senders = [one for one in accounts.every(workspace) if one.active and reached[one.channel]]
    names = {one.id: one.name for one in senders}
    talks = [(names[sender_id], thread_id) for sender_id, thread_id in known.items() if sender_id in names]
    others = _choices([one for one in senders if one.id not in known])
    if talks and not others and not entry:
        return redirect_to_path(url_for("pages.conversations.show", conversation_id=talks[0][1], _anchor="reply"))
    return render(
        "leads/write.html",
        status=422 if form.errors else 409 if refusal else 200,
        lead=lead,
        form=form,
        refusal=refusal,
        entry=entry,
        senders=others,
        talks=talks,
    )


@part.post("/gets")
def preview(workspace: Workspace, lead_id: int) -> Response:
    """Show how the person would get what is typed."""
    lead, form = leads.get_visible(workspace, lead_id), FirstMessageForm.posted()
    reading = compose.read_first(workspace, lead.person_id, form.account.data, form.text.data)
    return render("conversations/_gets.html", conversation_id="new", reading=reading)


def _choices(senders: Sequence[Any]) -> dict[str, list[tuple[int, str]]]:
    """Return the senders by kind; those of the second alone write InMails, and have neither Cc nor files."""
    found = {"Mailboxes": [(one.id, f"{one.name} ({one.address})") for one in senders if one.channel == "email"]}
    found["LinkedIn"] = [(one.id, one.name) for one in senders if one.channel != "email"]
    return {kind: choices for kind, choices in found.items() if choices}


@part.post("")
def send(workspace: Workspace, lead_id: int) -> Response:
    """Queue the message and show its conversation, or say why it can't be sent."""
    form, lead = FirstMessageForm.posted(), leads.get_visible(workspace, lead_id)
    try:
        message = compose.begin(
            workspace,
            lead.person_id,
            form.account.data,
            form.text.data,
            form.subject.data,
            wait=workspace.undo_seconds,
            cc=files.addresses(form.cc.data),
            files=files.given(),
        )
    except (Conflict, InvalidRequest) as refusal:
        return _page(workspace, lead_id, form.take_errors(refusal), refusal)
    return redirect_to_path(url_for("pages.conversations.show", conversation_id=message.conversation_id))
