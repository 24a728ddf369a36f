"""Add people to a list: pasted links, and CSV files from upload to rows with errors."""

from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, cast

from flask import Blueprint, Response, request, stream_with_context, url_for

from app.core import text_encodings
from app.core.errors import InvalidRequest, PlanLimitExceeded
from app.domain.engine import joiners
from app.domain.leads import company_csv, csv_export, csv_import, csv_mapping, leads, lists
from app.domain.leads.imports import import_opt_outs
from app.domain.people import sources
from app.domain.people.people import Merge
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import Errors, error_text, errors_of, htmx, may_change, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.leads.add_people import add_companies_page, add_page

part = Blueprint("imports", __name__, url_prefix="/lists/<int:list_id>")
FIELDS = list(csv_mapping.CSV_FIELDS.items())
COMPANY_FIELDS = list(company_csv.CSV_FIELDS.items())
MEANINGS = {
    import_opt_outs.NEVER: "Do not contact",
    import_opt_outs.BOUNCED: "Address doesn't work",
    import_opt_outs.CONTACT: "May be contacted",
}
"""What a value about consent can mean, as the page offers it."""
FIRST = 5  # refusals that the result shows
MERGES = {
    Merge.FILL: ("Fill in what is missing", "Keeps existing values."),
    Merge.OVERWRITE: ("Overwrite", "New values win, except over manual edits."),
    Merge.KEEP: ("Leave as is", "Only new people are added."),
}
"""How known people change, as files and settings offer it."""


@part.get("/add")
@may_change
def add(workspace: Workspace, list_id: int) -> Response:
    if lists.get_list(workspace, list_id).type == "companies":
        return redirect_to("pages.lists.companies.add", list_id=list_id)
    return add_page(workspace, list_id)


@part.post("/add")
def paste(workspace: Workspace, list_id: int) -> Response:
    """Add the people of the pasted links to the list; invalid lines stay in the form."""
    written = request.form.get("links", "")
    try:
        result, refused = leads.add_links(workspace, list_id, written)
    except (InvalidRequest, PlanLimitExceeded) as refusal:
        return add_page(workspace, list_id, links=written, errors=Errors(links=error_text(refusal)))
    said = _counts_text(result) + (joiners.promise(workspace, list_id) if result.added else "")
    if refused:
        links = "\n".join(line for _, line, _ in refused)
        return add_page(workspace, list_id, links=links, refused=refused, result=said)
    show_toast(said)
    return redirect_to("pages.lists.show", list_id=list_id)


def _counts_text(result: leads.AddResult) -> str:
    """Return the counts as a sentence."""
    parts = [f"{result.added:,} added"]
    parts += [f"{result.updated:,} updated"] if result.updated else []
    parts += [f"{result.skipped:,} already up to date or do-not-contact"] if result.skipped else []
    return ", ".join(parts) + "."


@part.post("/imports")
def upload(workspace: Workspace, list_id: int) -> Response:
    """Upload a file and choose its columns next."""
    try:
        found = csv_import.create(workspace, list_id, *_given_file())
    except InvalidRequest as refusal:
        page = add_companies_page if lists.get_list(workspace, list_id).type == "companies" else add_page
        return page(workspace, list_id, errors=errors_of(refusal))
    return redirect_to(".show", list_id=list_id, import_id=found.id)


def as_list(workspace: Workspace, type: str) -> Response:
    """Make a list of the file that was sent, with its name, and choose the columns next."""
    found = csv_import.create_list(workspace, type, *_given_file())
    return redirect_to("pages.lists.imports.show", list_id=found.list_id, import_id=found.id)


def _given_file() -> tuple[str, BinaryIO]:
    """Return the name and the content of the file that was sent."""
    given = request.files.get("file")
    if given is None or not given.filename:
        raise InvalidRequest.of(("file", "Choose a file first."))
    return given.filename, cast(BinaryIO, given.stream)


@part.get("/imports/<int:import_id>")
def show(workspace: Workspace, list_id: int, import_id: int) -> Response:
    """Show the columns to choose, the progress, or the result."""
    found = csv_import.get(workspace, import_id, list_id)
    moves = csv_import.moves(found)
    if "start" in moves:
        return _mapping_page(workspace, found)
    if htmx().partial and request.args.get("done") == str(found.done) and "cancel" in moves:
        return Response("", 204)
    return render("lists/import.html", part="lists/_import.html", **_progress(workspace, found))


def _progress(workspace: Workspace, found: Any) -> dict[str, Any]:
    poll, moves = "", csv_import.moves(found)
    if "cancel" in moves:
        poll = url_for(".show", list_id=found.list_id, import_id=found.id, done=found.done)
    share = int(100 * found.done / found.total) if found.total else 0
    errors = found.invalid + found.problems
    return {
        "list": lists.get_list(workspace, found.list_id),
        "found": found,
        "moves": moves,
        "poll": poll,
        "pct": share,
        "errors": errors,
        "joined_by": joiners.joined_by(workspace, found.list_id) if found.added and not poll else (),
        "refused": csv_import.first_refusals(workspace, found.id, FIRST) if errors else [],
        "left_out": csv_mapping.left_out,
    }


class ImportForm(Form):
    """How known people change and on what basis; `_mapping_form` adds the columns."""

    merge = Text()
    lawfulBasis = Text()
    encoding = Text()


def _mapping_form(found: Any) -> type[Form]:
    """Return a form with a field for each column of the file, and one for each value about consent."""
    columns = [f"column_{number}" for number in range(len(found.header))]
    signs = [f"sign_{number}" for number in range(len(import_opt_outs.surveyed(found).signs))]
    paths = {f"mapping.{number}": column for number, column in enumerate(columns)}
    paths |= {f"consent.{number}": sign for number, sign in enumerate(signs)}
    fields = {name: Text(name=name.replace("_", "-")) for name in (*columns, *signs)}
    return type("MappingForm", (ImportForm,), {"PATHS": paths, **fields})


def _mapping_page(workspace: Workspace, found: Any, form: Form | None = None) -> Response:
    into, told = lists.get_list(workspace, found.list_id), import_opt_outs.surveyed(found)
    signs = [(sign, import_opt_outs.called(sign), import_opt_outs.chosen(found, sign)) for sign in told.signs]
    return render(
        "lists/mapping.html",
        status=422 if form else 200,
        list=into,
        found=found,
        rows=found.total - told.never,
        preview=csv_import.preview(found),
        fields=COMPANY_FIELDS if into.type == "companies" else FIELDS,
        mapping=found.mapping,
        form=form or _mapping_form(found).of(merge=found.merge, lawfulBasis=found.lawful_basis),
        custom=csv_mapping.CUSTOM,
        merges=MERGES,
        bases=sources.LAWFUL_BASES,
        opted_out=import_opt_outs.sentences(found, into.type == "companies"),
        signs=signs,
        meanings=MEANINGS,
        encodings=text_encodings.labels(),
    )


def _chosen(found: Any) -> tuple[Form, csv_import.Choices]:
    """Return the form as it was sent, and what it chooses."""
    form = _mapping_form(found).posted()
    given = form.data
    consent: dict[str, dict[str, str]] = {}
    for number, sign in enumerate(import_opt_outs.surveyed(found).signs):
        consent.setdefault(sign.column, {})[sign.value] = given[f"sign_{number}"]
    columns = {name[7:]: meaning for name, meaning in given.items() if name.startswith("column_")}
    return form, csv_import.Choices(columns, given["merge"], given["lawfulBasis"], consent)


@part.post("/imports/<int:import_id>")
def start(workspace: Workspace, list_id: int, import_id: int) -> Response:
    """Save the mapping and start the import, or show which columns don't fit."""
    found = csv_import.get(workspace, import_id, list_id)
    form, choices = _chosen(found)
    found = csv_import.choose(workspace, import_id, choices)
    try:
        csv_import.start(workspace, import_id)
    except InvalidRequest as refusal:
        return _mapping_page(workspace, found, form.take_errors(refusal))
    return redirect_to(".show", list_id=list_id, import_id=import_id)


@part.post("/imports/<int:import_id>/encoding")
def read_as(workspace: Workspace, list_id: int, import_id: int) -> Response:
    """Read the file in another encoding and show its columns again, with what was chosen so far."""
    found = csv_import.get(workspace, import_id, list_id)
    form, choices = _chosen(found)
    found = csv_import.choose(workspace, import_id, choices)
    try:
        csv_import.read_as(workspace, import_id, form.data["encoding"])
    except InvalidRequest as refusal:
        return _mapping_page(workspace, found, form.take_errors(refusal))
    return redirect_to(".show", list_id=list_id, import_id=import_id, _anchor="preview")


@part.post("/imports/<int:import_id>/cancel")
def cancel(workspace: Workspace, list_id: int, import_id: int) -> Response:
    found = csv_import.cancel(workspace, csv_import.get(workspace, import_id, list_id).id)
    if found.done:
        show_toast(f"Stopped after {found.done:,} rows. Rows already added stay in the list.")
        return redirect_to(".show", list_id=list_id, import_id=import_id)
    show_toast(f"Import of {found.file_name} canceled.")
    return redirect_to(".add", list_id=list_id)


@part.get("/imports/<int:import_id>/refused.csv")
def refused(workspace: Workspace, list_id: int, import_id: int) -> Response:
    """Download the rows with errors as they were in the file, with number and reason."""
    found = csv_import.get(workspace, import_id, list_id)
    return table_file(csv_import.refusals(workspace, found.id), f"{csv_import.stem(found)} – errors")


def table_file(table: Iterable[Sequence[str]], name: str) -> Response:
    """Return a table for download, as CSV that is streamed, or as Excel where the address says so."""
    plain = "".join(sign if sign.isalnum() or sign in " -_." else "_" for sign in name) or "people"
    named, content, media_type = csv_export.file(plain, table, request.values.get("format", ""))
    response = Response(stream_with_context(content), content_type=media_type)
    response.headers.set("Content-Disposition", "attachment", filename=named)
    return response
