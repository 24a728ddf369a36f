"""The do-not-contact list: add, search, and remove with undo."""

from datetime import date
from typing import Any

from flask import Blueprint, Response, request, url_for

from app.core.errors import InvalidRequest
from app.domain.leads import never_contact_files
from app.domain.people.exclusions import never_contact
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import htmx, redirect_to, render, show_toast
from app.pages.framework.forms import Day, Form, Lines, Text
from app.pages.framework.tables import page_of
from app.pages.framework.words import date_range, many
from app.pages.leads.csv_import import table_file

area = Blueprint("never_contact", __name__, url_prefix="/never-contact")
KINDS = {"person": "Person", "email": "Email", "domain": "Domain", "company": "Company", "erased": "Erased"}


class EntriesForm(Form):
    """Do-not-contact entries, one a line, or a file of them; the reason, and the last day on which they count."""

    entries = Lines()
    file = Text()
    reason = Text()
    until = Day(wrong="Choose a day.")


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(workspace, EntriesForm.of())


def _page(workspace: Workspace, form: EntriesForm, **more: Any) -> Response:
    q = request.args.get("q", "").strip()[:200]
    page, shown_next = page_of(never_contact.page(workspace, q), q=q)
    return render(
        "never_contact/index.html",
        part="never_contact/_rows.html" if request.args.get("cursor") else "never_contact/_found.html",
        status=422 if form.errors else 200,
        page=page,
        more=shown_next,
        q=q,
        total=never_contact.count(workspace),
        words=KINDS,
        ends=lambda entry: date_range(entry.until, entry.until),
        form=form,
        **{"refused": [], "said": "", "of_file": False, **more},
    )


@area.post("")
def add(workspace: Workspace) -> Response:
    """Add the lines to the do-not-contact list; invalid lines stay to be corrected."""
    form = EntriesForm.posted()
    reason, until, given = form.reason.data, form.until.data, request.files.get("file")
    of_file = bool(given and given.filename)
    try:
        if form.until.process_errors:
            raise InvalidRequest.of(("until", form.until.process_errors[0]))
        if of_file:
            found = never_contact_files.read(workspace, given.stream, reason, until)  # type: ignore[arg-type, union-attr]
            result = never_contact_files.add(workspace, found)
        elif form.entries.data:
            result = never_contact.add(workspace, form.entries.data, reason, until)
        else:
            raise InvalidRequest.of(("entries", "Paste at least one line, or choose a file."))
    except InvalidRequest as refusal:
        return _page(workspace, form.take_errors(refusal))
    known = f" Already listed: {result.known:,}." if result.known else ""
    said = f"{many(result.added, 'entry', 'entries')} added.{known}"
    if result.refused:
        lines = form.entries.data if of_file else [line for _, line, _ in result.refused]
        again = EntriesForm.of(entries=lines, reason=reason, until=until)
        return _page(workspace, again, refused=result.refused, said=said, of_file=of_file)
    show_toast(said)
    return redirect_to(".index")


@area.get("/export.csv")
def export(workspace: Workspace) -> Response:
    """Download the do-not-contact list as CSV or Excel."""
    return table_file(never_contact_files.rows(workspace), "do-not-contact")


@area.post("/<int:entry_id>/remove")
def remove(workspace: Workspace, entry_id: int) -> Response:
    """Remove the entry, and offer an undo."""
    entry = never_contact.remove(workspace, entry_id)
    said = f"“{entry.label}” removed from your do-not-contact list."
    if htmx().partial:
        undo = url_for(
            ".restore", kind=entry.kind, entry=entry.value, reason=entry.reason or None, until=entry.until or None
        )
        return render("never_contact/_removed.html", said=said, undo=undo, total=never_contact.count(workspace))
    show_toast(said)
    return redirect_to(".index")


@area.post("/restore")
def restore(workspace: Workspace) -> Response:
    """Restore a removed entry."""
    given = request.args
    until = given.get("until", "")
    try:
        day = date.fromisoformat(until) if until else None
    except ValueError:
        day = None  # for good: the safe side
    entry = (given.get("kind", ""), given.get("entry", ""))
    never_contact.add(workspace, [entry], given.get("reason", ""), day)
    show_toast("Added back to the list.")
    return redirect_to(".index")
