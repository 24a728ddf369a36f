"""Conversations: one inbox for all senders, threads, and manual replies."""

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlencode

from flask import Blueprint, Response, g, request, url_for

from app.core.errors import AppError, Conflict, ConversationChanged, InvalidRequest
from app.core.text import number
from app.domain.autopilot.research import reply_drafts
from app.domain.campaigns import campaigns
from app.domain.conversations import inbox, messages, notes, reply_times, threads
from app.domain.conversations.threads import Place
from app.domain.engine.inbound import reclassify
from app.domain.engine.manual import compose
from app.domain.people.exclusions import never_contact as lead_never_contact
from app.domain.rules.message_syntax import foreign
from app.domain.senders import accounts
from app.domain.tasks import tasks
from app.domain.tasks.meetings import meetings
from app.domain.workspace import roles, saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages import undo
from app.pages.conversations import files, filters, view
from app.pages.conversations.view import STATES, TABS, Talk
from app.pages.framework import words
from app.pages.framework.base import (
    error_text,
    errors_of,
    htmx,
    may_change,
    redirect_to_path,
    render,
    show_toast,
)
from app.pages.framework.forms import Day, Form, Moment, Text, Whole
from app.pages.leads import lead

area = Blueprint("conversations", __name__, url_prefix="/conversations")


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    """Show the inbox; for htmx a page of it, or its changed lines."""
    if htmx().partial and request.args.get("after"):
        return render("conversations/_more.html", part="conversations/_more.html", **_inbox(workspace, user, 0))
    opened = number(request.args.get("open", "")) if htmx().partial else 0
    seen = _inbox(workspace, user, opened)
    part = "conversations/_fresh.html" if htmx().target == "inbox" else "conversations/_listed.html"
    return render("conversations/index.html", part=part, talk=None, **seen)


@area.get("/<int:conversation_id>")
def show(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Show a conversation beside the inbox, and mark it as read for those who may reply."""
    before = number(request.args.get("before", "")) or None
    talk = _read(workspace, user, conversation_id, before=before)
    seen = _inbox(workspace, user, conversation_id)
    return render(
        "conversations/index.html", part="conversations/_opened.html", talk=talk, form=MessageForm.of(), **seen
    )


def _read(workspace: Workspace, user: User, conversation_id: int, **where: int | None) -> Talk:
    """Return the conversation, read by those who may reply; mentions in its notes are seen by any member."""
    row = threads.get(workspace, conversation_id)
    if "beside" in request.args:  # shown by the inbox itself, and unread until a user opens it or acts on it
        return _talk(workspace, user, row, **where)
    if row.unread and roles.may(g.role, "conversations", change=True):
        threads.mark(workspace, conversation_id, read=True)
        row = threads.get(workspace, conversation_id)
    notes.see(workspace, user, conversation_id)
    return _talk(workspace, user, row, **where)


@area.get("/<int:conversation_id>/earlier")
def earlier(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Show the messages before one."""
    before = number(request.args.get("before", ""))
    if not htmx():
        return redirect_to_path(url_for(".show", conversation_id=conversation_id, before=before or None))
    talk = _talk(workspace, user, threads.get(workspace, conversation_id), before=before)
    return render("conversations/_earlier.html", talk=talk, **filters.address())


@area.get("/<int:conversation_id>/news")
def news(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Show the last messages; 204 while nothing changed."""
    if not htmx():
        return redirect_to_path(url_for(".show", conversation_id=conversation_id))
    threads.get(workspace, conversation_id)
    if request.args.get("v") == threads.etag(conversation_id):
        return Response("", 204)
    since = number(request.args.get("from", "")) or None
    talk = _read(workspace, user, conversation_id, since=since)
    known = number(request.args.get("known", ""))
    changed = bool(talk.unsent.text) and messages.last_reply(conversation_id) > known
    return render("conversations/_news.html", talk=talk, changed=changed, **filters.address())


class MessageForm(files.TypedForm):
    """A message, and the newest one its writer had seen."""

    PATHS: ClassVar[dict[str, str]] = {"sendAt": "at", "attachments": "files"}

    files = Text()
    known = Whole(default=None, empty=None)
    do = Text()
    at = Moment("Time", wrong="Enter a date and a time.")
    snippet = Whole(default=None, empty=None)


@area.post("/<int:conversation_id>/messages")
def send(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Queue the message, or show why it can't be sent."""
    form = MessageForm.posted()
    if refused := files.attached(workspace, user, conversation_id):
        return _unsent(workspace, user, conversation_id, form.take_errors(refused))
    if form.do.data == "translate":
        return _translated(workspace, user, conversation_id, form)
    if form.do.data in ("snippet", "drafted"):
        return _inserted(workspace, user, conversation_id, form)
    send_at = _time(workspace, conversation_id, form)
    if form.errors:
        return _unsent(workspace, user, conversation_id, form)
    compose.save_draft(workspace, user, conversation_id, form.unsent())
    choice = filters.choice(filters.address()["address"])
    place = inbox.place_of(workspace, threads.get(workspace, conversation_id), choice)
    try:
        message = compose.write(
            workspace,
            conversation_id,
            form.text.data,
            form.subject.data,
            form.known.data,
            send_at=send_at,
            wait=workspace.undo_seconds,
            reply_all=form.to.data == "all",
            cc=files.addresses(form.cc.data),
        )
    except (Conflict, ConversationChanged, InvalidRequest) as refusal:
        return _unsent(workspace, user, conversation_id, form.take_errors(refusal), refusal)
    _show_sending_time(workspace, conversation_id, message)
    if back := filters.way_back():
        if message.send_at is None and not workspace.undo_seconds:
            show_toast("Your reply is on its way.")
        return redirect_to_path(back)
    if not htmx():
        return redirect_to_path(_here(conversation_id) + "#reply")
    found = inbox.following(workspace, choice, place, around=False)
    if found is None or found.id == conversation_id:
        return _after(workspace, user, conversation_id, sent=True, answered=True)
    return _advance(workspace, user, found)


def _time(workspace: Workspace, conversation_id: int, form: MessageForm) -> datetime | None:
    """Return when the reply is to be sent, in the person's time zone; None for now."""
    if not form.do.data:
        return None
    zone = reply_times.zone_of(workspace, threads.thread(workspace, conversation_id).person)
    if form.do.data != "at":
        return reply_times.offered(workspace.now(), zone).get(form.do.data)
    if form.at.data is None:
        form.take_errors(InvalidRequest.of(("sendAt", "Choose a date and a time.")))
        return None
    return form.at.data.replace(tzinfo=zone.info)


def _show_sending_time(workspace: Workspace, conversation_id: int, message: Any) -> None:
    """Say when the message goes, with the way to take it back."""
    path = url_for(
        ".retry", conversation_id=conversation_id, message_id=message.id, verb="discard", **filters.address()["address"]
    )
    if message.send_at is not None:
        zone = reply_times.zone_of(workspace, threads.thread(workspace, conversation_id).person)
        when = words.clock_time(message.send_at, zone.info, workspace.now())
        show_toast(f"Scheduled for {when}{', their time' if zone.theirs else ''}.", undo=path)
    elif workspace.undo_seconds:
        show_toast(f"Your reply will be sent in {workspace.undo_seconds} s.", undo=path)


def _inserted(workspace: Workspace, user: User, conversation_id: int, form: MessageForm) -> Response:
    """Put a snippet behind what was typed, or the drafted reply in its place; nothing is sent."""
    text = form.text.data
    if form.do.data == "snippet":
        found = [one for one in view.ready(workspace, conversation_id) if one.id == form.snippet.data]
        added = found[0].text if found else ""
        text = f"{text.rstrip()}\n\n{added}" if text.strip() and added else text or added
    elif not text.strip():
        drafted = reply_drafts.find(workspace, conversation_id)
        text = view.drafted_text(workspace, conversation_id, drafted.text) if drafted else ""
    compose.save_draft(workspace, user, conversation_id, form.unsent()._replace(text=text))
    if not htmx():
        return redirect_to_path(_here(conversation_id) + "#reply")
    return _after(workspace, user, conversation_id, sent=True)


def _translated(workspace: Workspace, user: User, conversation_id: int, form: MessageForm) -> Response:
    """Write what another tool would read in our syntax; nothing is sent."""
    text, subject = foreign.translate(form.text.data), foreign.translate(form.subject.data)
    compose.save_draft(workspace, user, conversation_id, form.unsent()._replace(text=text, subject=subject))
    if not htmx():
        return redirect_to_path(_here(conversation_id) + "#reply")
    return _after(workspace, user, conversation_id, sent=True)


def _unsent(
    workspace: Workspace, user: User, conversation_id: int, form: MessageForm, refusal: AppError | None = None
) -> Response:
    """Keep the text in the form, with the error and the newer message above it."""
    threads.mark(workspace, conversation_id, read=True)
    talk = _talk(workspace, user, threads.get(workspace, conversation_id), since=_since())
    changed = refusal is not None and refusal.code == "conversation_changed"
    if refusal is not None and refusal.code == "conflict":
        show_toast(error_text(refusal), "danger")
    seen = {"talk": talk, "form": form, "changed": changed, **_inbox(workspace, user, conversation_id)}
    status = 422 if form.errors else 409
    return render("conversations/index.html", part="conversations/_unsent.html", status=status, **seen)


def _after(workspace: Workspace, user: User, conversation_id: int, **said: Any) -> Response:
    """Show the conversation after an action: its thread, form, panel and inbox, or without htmx its page."""
    if not htmx():
        return redirect_to_path(_here(conversation_id))
    talk = _read(workspace, user, conversation_id, since=_since())
    seen = {"talk": talk, "form": MessageForm.of(), **said, **_inbox(workspace, user, conversation_id)}
    return render("conversations/_done.html", part="conversations/_done.html", **seen)


def _next(workspace: Workspace, place: Place, conversation_id: int) -> Any | None:
    """Return the conversation behind that place of the list; None when this is the only one of it."""
    found = inbox.following(workspace, filters.choice(filters.address()["address"]), place)
    return None if found is None or found.id == conversation_id else found


def _advance(workspace: Workspace, user: User, found: Any | None) -> Response:
    """Show the next conversation in place of the one that left the list, or that nothing is left."""
    if back := filters.way_back():
        return redirect_to_path(back)
    address = filters.address()["address"]
    if found is None:
        path = url_for(".index", **address)
        if not htmx():
            return redirect_to_path(path)
        seen = {"talk": None, **_inbox(workspace, user, 0)}
    else:
        path = url_for(".show", conversation_id=found.id, **address)
        if not htmx():
            return redirect_to_path(path)
        talk = _read(workspace, user, found.id)
        seen = {"talk": talk, "form": MessageForm.of(), **_inbox(workspace, user, found.id)}
    response = render("conversations/_next.html", part="conversations/_next.html", **seen)
    response.headers["HX-Push-Url"] = path
    return response


@area.post("/<int:conversation_id>/typed")
def keep(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Save the unsent text."""
    form = MessageForm.posted()
    compose.save_draft(workspace, user, conversation_id, form.unsent(), form.written.data)
    if not htmx():
        return redirect_to_path(_here(conversation_id))
    reading = compose.read(workspace, conversation_id, form.text.data)
    return render("conversations/_typed.html", conversation_id=conversation_id, reading=reading)


@area.post("/<int:conversation_id>/messages/<int:message_id>/<any(again, discard):verb>")
def retry(workspace: Workspace, user: User, conversation_id: int, message_id: int, verb: str) -> Response:
    """Retry an unsent message, or move it back into the form."""
    try:
        if verb == "again":
            compose.retry(workspace, conversation_id, message_id)
        else:
            compose.taken_back(workspace, user, conversation_id, message_id)
    except Conflict as refusal:
        show_toast(error_text(refusal), "danger")
    return _after(workspace, user, conversation_id, sent=verb == "discard")


@area.post("/<int:conversation_id>/tone")
def tone(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Correct the sentiment of the last reply."""
    reclassify.classify(workspace, conversation_id, request.form.get("do", ""))
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/unread")
def unread(workspace: Workspace, conversation_id: int) -> Response:
    """Mark the conversation as unread and show the inbox."""
    threads.mark(workspace, conversation_id, read=False)
    show_toast("Marked as unread.")
    return redirect_to_path(url_for(".index", **filters.address()["address"]))


@area.post("/<int:conversation_id>/mute")
def mute(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Turn notifications for the conversation off or on."""
    found = threads.mute(workspace, conversation_id, muted=request.form.get("do") == "mute")
    show_toast("Notifications muted. Messages are still saved here." if found.muted_at else "Notifications on.")
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/done")
def done(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Mark the conversation as done and go to the next one."""
    row = threads.get(workspace, conversation_id)
    place = inbox.place_of(workspace, row, filters.choice(filters.address()["address"]))
    _, name = inbox.finish(workspace, conversation_id)
    show_toast(f"{view.name_of(row)[:80]}: done.", undo=_undo_path(conversation_id, name))
    return _advance(workspace, user, _next(workspace, place, conversation_id))


def _undo_path(conversation_id: int, name: str) -> str:
    return undo.path(inbox.MOVED, name, filters.way_back() or _here(conversation_id))


class ReminderForm(Form):
    """When a conversation comes back: one of the days offered, or a date, and why."""

    do = Text()
    day = Day("Day", wrong="")
    text = Text(strip=True)


@area.post("/<int:conversation_id>/remind")
def remind(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Hide the conversation until a day and go to the next one."""
    form = ReminderForm.posted()
    row = threads.get(workspace, conversation_id)
    place = inbox.place_of(workspace, row, filters.choice(filters.address()["address"]))
    day = view.remind_days(workspace).get(form.do.data, form.day.data)
    try:
        thread, name = inbox.remind(workspace, conversation_id, day, form.text.data)
    except InvalidRequest as refusal:
        show_toast(" ".join(errors_of(refusal).values()), "danger")
        return _after(workspace, user, conversation_id)
    when = words.day(thread.remind_at, g.zone)
    show_toast(f"Reminder for {view.name_of(row)[:80]} set for {when}.", undo=_undo_path(conversation_id, name))
    return _advance(workspace, user, _next(workspace, place, conversation_id))


@area.post("/<int:conversation_id>/open")
def reopen(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Put the conversation among the open ones again."""
    inbox.reopen(workspace, conversation_id)
    if back := filters.way_back():
        return redirect_to_path(back)
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/assign")
def assign(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Give the conversation to a member; the next one follows when it left the list."""
    choice = replace(filters.choice(filters.address()["address"]), unread=None)
    row = threads.get(workspace, conversation_id)
    place = inbox.place_of(workspace, row, choice)
    wanted = number(request.values.get("do", "")) or None
    try:
        _, former = inbox.assign(workspace, conversation_id, wanted)
    except InvalidRequest as refusal:
        show_toast(" ".join(errors_of(refusal).values()), "danger")
        return redirect_to_path(_here(conversation_id))
    whose = "you" if wanted == user.id else inbox.people(workspace).get(wanted or 0, "no one")
    undo = url_for(".assign", conversation_id=conversation_id, do=former or 0, **filters.address()["address"])
    show_toast(f"Conversation with {view.name_of(row)[:80]} assigned to {whose[:80]}.", undo=undo)
    if htmx() and not threads.contains(workspace, choice, conversation_id):
        return _advance(workspace, user, _next(workspace, place, conversation_id))
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/meeting")
def meeting(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Mark that a meeting is booked, or take it back."""
    booked = request.values.get("do", "booked") == "booked"
    thread = meetings.mark(workspace, conversation_id, booked=booked)
    undo = url_for(
        ".meeting", conversation_id=conversation_id, do="none" if booked else "booked", **filters.address()["address"]
    )
    name = view.name_of(threads.get(workspace, thread.id))[:80]
    show_toast(f"Meeting booked with {name}." if booked else f"No meeting booked with {name}.", undo=undo)
    return _after(workspace, user, conversation_id)


@area.get("/<int:conversation_id>/drafted")
@may_change
def drafted(workspace: Workspace, conversation_id: int) -> Response:
    """Show the writer's reply in grey, while it is being written that it is, and nothing when there is none."""
    if not htmx():
        return redirect_to_path(_here(conversation_id))
    found = reply_drafts.ask(workspace, conversation_id)
    text = view.drafted_text(workspace, conversation_id, found.text) if found else ""
    return render(
        "conversations/_drafted.html",
        conversation_id=conversation_id,
        drafted=found if text else None,
        text=text,
        waits=found is None and reply_drafts.is_under_way(workspace, conversation_id),
        turn=number(request.args.get("turn", "")),
    )


class NoteForm(Form):
    """A note for members."""

    note = Text()


@area.post("/<int:conversation_id>/notes")
def note(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Add a note that only members see."""
    form = NoteForm.posted()
    try:
        notes.add(workspace, conversation_id, form.note.data)
    except InvalidRequest as refusal:
        show_toast(" ".join(errors_of(refusal).values()), "danger")
        return _after(workspace, user, conversation_id)
    return _after(workspace, user, conversation_id, noted=True)


@area.post("/<int:conversation_id>/notes/<int:note_id>/delete")
def delete_note(workspace: Workspace, user: User, conversation_id: int, note_id: int) -> Response:
    """Delete a note."""
    notes.remove(workspace, conversation_id, note_id)
    show_toast("Note deleted.")
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/tags")
def tags(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Add and remove tags of the person."""
    lead.change_tags(workspace, threads.get(workspace, conversation_id).lead_id or 0, _here(conversation_id))
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/stop")
def stop(workspace: Workspace, user: User, conversation_id: int) -> Response:
    """Stop all campaigns for the person."""
    number = compose.stop_sequences(workspace, conversation_id)
    show_toast("Campaigns stopped for this person." if number else "No campaign was active.", "ok")
    return _after(workspace, user, conversation_id)


@area.post("/<int:conversation_id>/never-contact")
def never_contact(workspace: Workspace, conversation_id: int) -> Response:
    """Add the person to the do-not-contact list."""
    row = threads.get(workspace, conversation_id)
    lead_never_contact.add_person(workspace, row.person_id, "Added in a conversation.")
    show_toast(f"{view.name_of(row)} is now on your do-not-contact list.")
    return redirect_to_path(_here(conversation_id))


def _talk(workspace: Workspace, user: User, row: Any, **where: int | None) -> Talk:
    """Return the conversation; matches of the search are never folded."""
    return view.show(workspace, user, row, query=filters.address()["address"].get("q", ""), **where)


def _inbox(workspace: Workspace, user: User, opened: int) -> dict[str, Any]:
    """Return the filtered list: states with their counts, lines and the next page."""
    address = filters.address()["address"]
    choice = filters.choice(address)
    tab, state = address.get("tab", ""), address.get("view", "")
    found, behind = inbox.page(workspace, choice, filters.place(request.args.get("after", "")))
    counted = inbox.counts(workspace, choice)
    states = [
        {
            "label": label,
            "count": counted[which],
            "current": state == name and tab != "silent",
            "href": url_for(
                ".index", **{**address, "view": name or None, "tab": None if tab == "silent" else tab or None}
            ),
        }
        for name, (label, which) in STATES.items()
    ]
    after = f"{behind.at.isoformat()}~{behind.id}~{behind.part}" if behind else ""
    people = inbox.people(workspace)
    who = {"me": "Mine", "none": "Unassigned", "mentions": "Mentions me"}
    only = [
        *([TABS[tab]] if tab else []),
        *([accounts.get(workspace, choice.account_id).name] if choice.account_id else []),
        *([campaigns.get(workspace, choice.campaign_id).name] if choice.campaign_id else []),
        *([choice.company] if choice.company else []),
        *(["Meeting booked"] if choice.meeting else []),
        *(["Oldest first"] if choice.oldest_first else []),
        *([who.get(address["who"]) or people.get(number(address["who"]), "")] if "who" in address else []),
    ]
    return {
        "rows": view.rows(workspace, user, found),
        "states": states,
        "more": url_for(".index", **address, after=after) if after else "",
        "address": address,
        "views": partial(saved_views.of_member, workspace, user, "conversations"),  # polls don't show them
        "here": urlencode(address),
        "opened": opened,
        "only": only,
        "filters": filters.choices(workspace, user, people, address),
        "everything": counted["all"] + counted["silent"],
        "silent": counted["silent"],
        "tasks_due": tasks.counts(workspace)[0],
    }


def _here(conversation_id: int) -> str:
    return url_for(".show", conversation_id=conversation_id, **filters.address()["address"])


def _since() -> int | None:
    """Return the oldest message shown, so that the thread keeps its length."""
    return number(request.form.get("from", "")) or None
