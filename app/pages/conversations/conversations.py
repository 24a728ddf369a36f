"""Conversations: one inbox for all senders, threads, and manual replies."""

import re
from datetime import datetime
from typing import Any

from flask import Blueprint, Response, g, request, url_for

from app.core.errors import AppError, InvalidRequest
from app.core.text import number
from app.domain.campaigns import campaigns
from app.domain.conversations import threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.inbound import reclassify
from app.domain.engine.manual import compose
from app.domain.exclusions import never_contact as lead_never_contact
from app.domain.leads import tags as lead_tags
from app.domain.rules.message_syntax import foreign
from app.domain.senders import accounts
from app.domain.tasks import tasks
from app.domain.workspace.workspaces import User, Workspace
from app.pages.conversations import view
from app.pages.conversations.view import CHANGERS, TABS, Talk
from app.pages.framework.base import error_text, errors_of, htmx, redirect_to_path, render, show_toast, signed_in
from app.pages.framework.forms import Form, Text, Whole

area = Blueprint("conversations", __name__, url_prefix="/conversations")

SENTIMENTS = {"positive": "positive", "neutral": "generic", "negative": "negative"}
_PLACE = re.compile(r"(\d{4}-\d\d-\d\dT[\d:.]{8,15}\+00:00)~(\d{1,18})", re.ASCII)


@area.get("")
@signed_in
def index(workspace: Workspace) -> Response:
    """Show the inbox; for htmx a page of it, or its changed lines."""
    if htmx().partial and request.args.get("after"):
        return render("conversations/_more.html", part="conversations/_more.html", **_inbox(workspace, 0))
    opened = number(request.args.get("open", "")) if htmx().partial else 0
    seen = _inbox(workspace, opened)
    part = "conversations/_inbox.html" if htmx().target == "inbox" else "conversations/_list.html"
    return render("conversations/index.html", part=part, talk=None, **seen)


@area.get("/<int:conversation_id>")
@signed_in
def show(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Show a conversation beside the inbox, and mark it as read for those who may reply."""
    row = threads.get(workspace, conversation_id)
    if row.unread and g.role in ("owner", *CHANGERS):
        threads.mark(workspace, conversation_id, read=True)
        row = threads.get(workspace, conversation_id)
    before = number(request.args.get("before", "")) or None
    talk = _talk(workspace, user, row, before=before)
    seen = _inbox(workspace, conversation_id)
    return render(
        "conversations/index.html", part="conversations/_opened.html", talk=talk, form=MessageForm.of(), **seen
    )


@area.get("/<int:conversation_id>/earlier")
@signed_in
def earlier(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Show the messages before one."""
    before = number(request.args.get("before", ""))
    if not htmx():
        return redirect_to_path(url_for(".show", conversation_id=conversation_id, before=before or None))
    talk = _talk(workspace, user, threads.get(workspace, conversation_id), before=before)
    return render("conversations/_earlier.html", talk=talk, **_address())


@area.get("/<int:conversation_id>/news")
@signed_in
def news(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Show the last messages; 204 while nothing changed."""
    if not htmx():
        return redirect_to_path(url_for(".show", conversation_id=conversation_id))
    row = threads.get(workspace, conversation_id)
    if request.args.get("v") == threads.etag(conversation_id):
        return Response("", 204)
    if row.unread and g.role in ("owner", *CHANGERS):
        threads.mark(workspace, conversation_id, read=True)
    since = number(request.args.get("from", "")) or None
    talk = _talk(workspace, user, threads.get(workspace, conversation_id), since=since)
    known = number(request.args.get("known", ""))
    changed = bool(talk.text) and threads.last_inbound(conversation_id) > known
    return render("conversations/_news.html", talk=talk, changed=changed, form=MessageForm.of(), **_address())


class MessageForm(Form):
    """A message, and the newest one its writer had seen."""

    text = Text()
    subject = Text()
    known = Whole(default=None, empty=None)
    do = Text()


@area.post("/<int:conversation_id>/messages")
@signed_in(roles=CHANGERS)
def send(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Queue the message, or show why it can't be sent."""
    form = MessageForm.posted()
    if form.do.data == "translate":
        return _translated(workspace, user, conversation_id, form)
    compose.save_draft(workspace, user, conversation_id, form.text.data, form.subject.data)
    try:
        compose.write(workspace, conversation_id, form.text.data, form.subject.data, form.known.data)
    except AppError as refusal:
        if refusal.code not in ("invalid_request", "conversation_changed", "conflict"):
            raise
        return _unsent(workspace, user, conversation_id, form.take_errors(refusal), refusal)
    compose.save_draft(workspace, user, conversation_id, "")
    if not htmx():
        return redirect_to_path(_here(conversation_id) + "#reply")
    return _as_it_is(workspace, user, conversation_id, sent=True)


def _translated(workspace: Workspace, user: User, conversation_id: int, form: MessageForm) -> Response:
    """Write what another tool would read in our syntax; nothing is sent."""
    texts = (foreign.translate(form.text.data), foreign.translate(form.subject.data))
    compose.save_draft(workspace, user, conversation_id, *texts)
    if not htmx():
        return redirect_to_path(_here(conversation_id) + "#reply")
    return _as_it_is(workspace, user, conversation_id, sent=True)


def _unsent(workspace: Workspace, user: User, conversation_id: int, form: MessageForm, refusal: AppError) -> Response:
    """Keep the text in the form, with the error and the newer message above it."""
    threads.mark(workspace, conversation_id, read=True)
    talk = _talk(workspace, user, threads.get(workspace, conversation_id), since=_since())
    changed = refusal.code == "conversation_changed"
    if refusal.code == "conflict":
        show_toast(error_text(refusal), "danger")
    seen = {"talk": talk, "form": form, "changed": changed, **_inbox(workspace, conversation_id)}
    status = 422 if form.errors else 409
    return render("conversations/index.html", part="conversations/_unsent.html", status=status, **seen)


def _as_it_is(workspace: Workspace, user: User, conversation_id: int, **said: Any) -> Response:
    """Show thread, form, panel and inbox after an action."""
    talk = _talk(workspace, user, threads.get(workspace, conversation_id), since=_since())
    seen = {"talk": talk, "form": MessageForm.of(), **said, **_inbox(workspace, conversation_id)}
    return render("conversations/_done.html", part="conversations/_done.html", **seen)


@area.post("/<int:conversation_id>/typed")
@signed_in(roles=CHANGERS)
def keep(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Save the unsent text."""
    form = MessageForm.posted()
    compose.save_draft(workspace, user, conversation_id, form.text.data, form.subject.data)
    if not htmx():
        return redirect_to_path(_here(conversation_id))
    reading = compose.read(workspace, conversation_id, form.text.data)
    return render("conversations/_typed.html", conversation_id=conversation_id, reading=reading)


@area.post("/<int:conversation_id>/messages/<int:message_id>/<any(again, discard):verb>")
@signed_in(roles=CHANGERS)
def retry(workspace: Workspace, user: User, conversation_id: int, message_id: int, verb: str) -> Response:
    """Retry an unsent message, or move it back into the form."""
    try:
        if verb == "again":
            compose.retry(workspace, conversation_id, message_id)
        else:
            gone = compose.discard(workspace, conversation_id, message_id)
            typed, _ = compose.draft(workspace, user, conversation_id)
            compose.save_draft(workspace, user, conversation_id, typed or gone.text)
    except AppError as refusal:
        if refusal.code != "conflict":
            raise
        show_toast(error_text(refusal), "danger")
    if htmx():
        return _as_it_is(workspace, user, conversation_id, sent=verb == "discard")
    return redirect_to_path(_here(conversation_id))


@area.post("/<int:conversation_id>/tone")
@signed_in(roles=CHANGERS)
def tone(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Correct the sentiment of the last reply."""
    reclassify.classify(workspace, conversation_id, request.form.get("do", ""))
    if htmx():
        return _as_it_is(workspace, user, conversation_id)
    return redirect_to_path(_here(conversation_id))


@area.post("/<int:conversation_id>/unread")
@signed_in(roles=CHANGERS)
def unread(workspace: Workspace, conversation_id: int) -> Response:
    """Mark the conversation as unread and show the inbox."""
    threads.mark(workspace, conversation_id, read=False)
    show_toast("Marked as unread.")
    return redirect_to_path(url_for(".index", **_address()["address"]))


@area.post("/<int:conversation_id>/mute")
@signed_in(roles=CHANGERS)
def mute(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Turn notifications for the conversation off or on."""
    found = threads.mute(workspace, conversation_id, muted=request.form.get("do") == "mute")
    show_toast("Notifications muted. Messages are still saved here." if found.muted_at else "Notifications on.")
    if htmx():
        return _as_it_is(workspace, user, conversation_id)
    return redirect_to_path(_here(conversation_id))


@area.post("/<int:conversation_id>/tags")
@signed_in(roles=CHANGERS)
def tags(workspace: Workspace, user: User, conversation_id: int) -> Response:
    row = threads.get(workspace, conversation_id)
    talk = _talk(workspace, user, row)
    try:
        former = ", ".join(talk.person.tags)
        lead_tags.set_tags(workspace, talk.lead_id, request.values.get("tags", "").split(","))
        show_toast("Tags saved.", undo=url_for(".tags", conversation_id=conversation_id, tags=former))
    except InvalidRequest as refusal:
        show_toast(" ".join(errors_of(refusal).values()), "danger")
    if htmx():
        return _as_it_is(workspace, user, conversation_id)
    return redirect_to_path(_here(conversation_id))


@area.post("/<int:conversation_id>/stop")
@signed_in(roles=CHANGERS)
def stop(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Stop all sequences for the person."""
    number = compose.stop_sequences(workspace, conversation_id)
    show_toast("They get no more sequence messages." if number else "They were not active in any sequence.", "ok")
    if htmx():
        return _as_it_is(workspace, user, conversation_id)
    return redirect_to_path(_here(conversation_id))


@area.post("/<int:conversation_id>/never-contact")
@signed_in(roles=CHANGERS)
def never_contact(workspace: Workspace, conversation_id: int) -> Response:
    """Add the person to the do-not-contact list."""
    row = threads.get(workspace, conversation_id)
    lead_never_contact.add_person(workspace, row.person_id, "Added in a conversation.")
    show_toast(f"{view.name_of(row)} is now on your do-not-contact list.")
    return redirect_to_path(_here(conversation_id))


def _talk(workspace: Workspace, user: User, row: Any, **where: int | None) -> Talk:
    """Return the conversation; matches of the search are never folded."""
    return view.show(workspace, user, row, query=_address()["address"].get("q", ""), **where)


def _inbox(workspace: Workspace, opened: int) -> dict[str, Any]:
    """Return the filtered list: tabs with their counts, lines and the next page."""
    address = _address()["address"]
    choice = _choice(address)
    tab = address.get("tab", "")
    found, behind = threads.newest(workspace, choice, _place(request.args.get("after", "")))
    counted = threads.counts(workspace, choice)
    tabs = [
        {
            "label": label,
            "count": getattr(counted, counts),
            "current": tab == name,
            "aside": name == "silent",
            "href": url_for(".index", **{**address, "tab": name or None}),
        }
        for name, (label, counts) in TABS.items()
    ]
    more = url_for(".index", **address, after=f"{behind[0].isoformat()}~{behind[1]}") if behind else ""
    only = [
        *([accounts.get(workspace, choice.account_id).name] if choice.account_id else []),
        *([campaigns.get(workspace, choice.campaign_id).name] if choice.campaign_id else []),
    ]
    return {
        "rows": view.rows(found),
        "tabs": tabs,
        "more": more,
        "address": address,
        "opened": opened,
        "only": only,
        "everything": counted.answered + counted.silent,
        "tasks_due": tasks.counts(workspace)[0],
    }


def _address() -> dict[str, Any]:
    """Return the known filters of the address, which every link keeps."""
    args = request.values
    known = {
        "tab": args.get("tab", "") if args.get("tab", "") in TABS else "",
        "q": " ".join(args.get("q", "").split())[:200],
        "sender": number(args.get("sender", "")),
        "campaign": number(args.get("campaign", "")),
    }
    return {"address": {name: value for name, value in known.items() if value}}


def _choice(address: dict[str, Any]) -> ThreadFilter:
    tab = address.get("tab", "")
    return ThreadFilter(
        sentiment=SENTIMENTS.get(tab),
        unread=True if tab == "unread" else None,
        answered=tab != "silent",
        account_id=address.get("sender"),
        campaign_id=address.get("campaign"),
        query=q if len(q := address.get("q", "")) > 1 else "",  # a single letter matches too many names
    )


def _place(written: str) -> tuple[datetime, int] | None:
    try:
        found = _PLACE.fullmatch(written)
        return (datetime.fromisoformat(found[1]), int(found[2])) if found else None
    except ValueError:
        return None


def _here(conversation_id: int) -> str:
    return url_for(".show", conversation_id=conversation_id, **_address()["address"])


def _since() -> int | None:
    """Return the oldest message shown, so that the thread keeps its length."""
    return number(request.form.get("from", "")) or None
