"""Lists and their people: search, tag, remove, export."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Response, request, url_for

from app.core import paging, text
from app.core.errors import InvalidRequest
from app.core.paging import Page, Window
from app.domain.autopilot.monitors import fit
from app.domain.leads import block, csv_export, leads, lists, removals, tags
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people import sources
from app.domain.people.exclusions import never_contact
from app.domain.platform.undo import Undoable
from app.domain.workspace import saved_views
from app.domain.workspace.workspaces import User, Workspace
from app.pages import undo
from app.pages.campaigns.tabs import TONES
from app.pages.framework.base import Errors, errors_of, htmx, may_change, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.framework.tables import Column, Shown, Table, page_of
from app.pages.framework.words import people_count, status_word
from app.pages.leads import (
    add_person,
    companies,
    contact_record,
    csv_import,
    enrich,
    first_message,
    lead,
    merge,
    people_filter,
    search_import,
    table_changes,
)

area = Blueprint("lists", __name__)
area.register_blueprint(add_person.part)
area.register_blueprint(companies.part)
area.register_blueprint(contact_record.part)
area.register_blueprint(csv_import.part)
area.register_blueprint(first_message.part)
area.register_blueprint(lead.part)
area.register_blueprint(merge.part)
area.register_blueprint(search_import.part)
area.register_blueprint(table_changes.part)
PEOPLE = Table(
    "people",
    (
        Column("name", "Person", sort="name", fixed=True),
        Column("company", "Company", sort="company"),
        Column("title", "Title", "opt-l", sort="title", usual=False),
        Column("location", "Location", "opt-xl", sort="location"),
        Column("email", "Email", "opt-m", sort="email"),
        Column("phone", "Phone", "opt-l"),
        Column("campaign", "Campaign"),
        Column("fit", "Fit", "opt-m"),
        Column("added", "Added", "opt-l", usual=False),
    ),
)


class PickedForm(Form):
    do = Text()
    tag = Text()
    everyone = Text(name="all")
    into = Text()
    campaign = Text()


class ListForm(Form):
    name = Text()
    type = Text(default="people")
    lawfulBasis = Text()


@area.get("/lists")
def index(workspace: Workspace) -> Response:
    kind = "companies" if request.args.get("type") == "companies" else ""
    page, more = page_of(lists.lists(workspace, kind), type=kind)
    reachable = lists.reachable(page.rows)
    return render("lists/index.html", part="lists/_lists.html", page=page, more=more, reachable=reachable, kind=kind)


@area.get("/lists/new")
@may_change
def new(workspace: Workspace) -> Response:
    """Show the form for a list, or for a file that becomes one, for browsers without dialogs."""
    kind = "companies" if request.args.get("type") == "companies" else "people"
    return render("lists/new.html", name="", type=kind, errors=Errors(), importing="file" in request.args)


@area.post("/lists")
def create(workspace: Workspace) -> Response:
    """Create a list, with a name or from a file with its name; a file that holds no one makes none."""
    form, importing = ListForm.posted(), "file" in request.files
    try:
        if importing:
            return csv_import.as_list(workspace, form.type.data)
        found = lists.create_list(workspace, form.name.data, form.type.data)
    except InvalidRequest as refusal:
        return render("lists/new.html", status=422, **form.data, importing=importing, errors=errors_of(refusal))
    if found.type == "companies":
        return redirect_to("pages.lists.companies.add", list_id=found.id)
    return redirect_to("pages.lists.imports.add", list_id=found.id)


@area.get("/lists/<int:list_id>")
def show(workspace: Workspace, user: User, list_id: int) -> Response:
    found, query = lists.get_list(workspace, list_id), people_filter.read(request.args)
    if found.type == "companies":
        return companies.list_page(workspace, found)
    without = [] if fit.is_known(workspace) else ["fit"]
    table = PEOPLE.read(request.args, lists.sorts(found), without)
    filters, query = query, query | table.query
    page, more, shown = _page(workspace, found, query, table)
    numbers: dict[str, int | None] = {**lists.coverage_numbers(found)}
    for way in lists.COUNTED:
        numbers[way] = lists.cached_coverage(found, lists.contact_coverage(workspace, list_id, way=way))
    looking = enrich.of_list(workspace, found, page.rows)
    if not numbers["phone"] and not any(kind == "phone" for _, kind in looking["not_found"]):
        table = PEOPLE.read(request.args, lists.sorts(found), [*without, "phone"])
    total: int | None = numbers.get(query.get("reach", ""), found.lead_count)
    if filters.keys() - {"reach"}:
        people = lists.contact_coverage(workspace, list_id, **people_filter.narrow(filters))
        total = lists.cached_coverage(found, people) if more else shown
    enough = lists.ENOUGH_FOR_SHARES <= found.lead_count <= lists.MOST_READ
    return render(
        "lists/show.html",
        part="lists/_rows.html" if request.args.get("cursor") else "lists/_searched.html",
        list=found,
        query=query,
        filters=filters,
        made=lists.composition(workspace, found) if enough and not filters and not htmx().partial else None,
        table=table,
        heads=table.heads(lambda part: url_for(".show", list_id=list_id, **(filters | part))),
        views=saved_views.of_member(workspace, user, PEOPLE.place),
        here=urlencode(query),
        change=table_changes.of_list(workspace, found),
        page=page,
        more=more,
        shown=shown,
        total=total,
        **table_changes.places(workspace, list_id),
        chips=_chips(list_id, found.lead_count, query, numbers),
        barred=never_contact.blocked_people(workspace.id, {lead.person_id for lead in page.rows}),
        looking=looking,
        fits=fit.of_people(workspace, [lead.person for lead in page.rows]) if fit.is_known(workspace) else None,
        latest=campaign_leads.latest(workspace, [lead.person_id for lead in page.rows]),
        stands=_stands,
        person=add_person.AddPersonForm.of(),
        enough=lists.ENOUGH_FOR_SHARES,
    )


def _stands(person: Any) -> tuple[str, datetime | None]:
    """Return the state of a campaign lead in words, and since when."""
    if person.replied:
        tone = TONES.get(person.sentiment)
        return f"Replied, {tone[1].lower()}" if tone else "Replied", person.replied_at
    if person.state == "active" and person.accepted_at:
        return "Accepted", person.accepted_at
    if person.reason == "awaiting_approval" and person.state == "pending":
        return "Waiting for approval", None
    return status_word("person", person.state).label, person.finished_at or person.last_action_at


@area.get("/lists/<int:list_id>/composition")
def composed(workspace: Workspace, list_id: int) -> Response:
    """Show which titles, places and companies the list's people have most often."""
    of = lists.get_list(workspace, list_id)
    found, query = lists.composition(workspace, of), _address(request.args)
    return render("lists/composition.html", part="lists/_composition.html", list=of, found=found, query=query)


def _address(args: Mapping[str, str]) -> dict[str, Any]:
    """Return the filters, the order and the columns of the address, for the way back to it."""
    kept = {name: args.get(name, "")[:200] for name in ("sort", "cols")}
    return people_filter.read(args) | {name: value for name, value in kept.items() if value}


def _page(workspace: Workspace, found: Any, query: dict[str, Any], table: Shown) -> tuple[Page, str, int]:
    """Return a page of people, the address of the next ('' on the last), and how many are shown so far."""
    window = Window.of(request.args, (workspace.id, request.path, *query.items()))
    if table.sort:
        page = lists.sorted_people(workspace, found, window, table.sort, table.downward, **people_filter.narrow(query))
    else:
        people = lists.contact_coverage(workspace, found.id, **people_filter.narrow(query))
        page = paging.page(people, None, window, newest_first=False)
    shown = len(page.rows) + text.number(request.args.get("shown", ""))
    more = url_for(".show", list_id=found.id, cursor=page.next_cursor, shown=shown, **query)
    return page, more if page.next_cursor else "", shown


def _chips(list_id: int, total: int, query: dict[str, Any], numbers: dict[str, int | None]) -> list[Any]:
    """Return the filters with their counts, without those that change nothing; the chosen one links back to all."""
    chips: list[dict[str, Any]] = []
    narrowed = query.keys() & {"q", "tagged", *lists.PARTS}
    for name in ("tagged", *lists.PARTS):
        if value := query.get(name):
            href = url_for(".show", list_id=list_id, **(query | {name: None}))
            label = f"{'Tag' if name == 'tagged' else name.capitalize()}: {value}"
            chips.append({"label": label, "href": href, "chosen": True, "count": None})
    for name, label in people_filter.REACH.items():
        chosen, number = query.get("reach") == name, numbers[name]
        if chosen or number is None or 0 < number < total:
            href = url_for(".show", list_id=list_id, **(query | {"reach": None if chosen else name}))
            chips.append({"label": label, "href": href, "chosen": chosen, "count": None if narrowed else number})
    return chips


@area.get("/lists/<int:list_id>/edit")
@may_change
def edit(workspace: Workspace, list_id: int) -> Response:
    return _edit_page(workspace, list_id)


def _edit_page(workspace: Workspace, list_id: int, form: ListForm | None = None) -> Response:
    found = lists.get_list(workspace, list_id)
    return render(
        "lists/edit.html",
        status=422 if form else 200,
        list=found,
        form=form or ListForm.of(name=found.name, lawfulBasis=found.lawful_basis),
        bases=sources.LAWFUL_BASES,
        using=lists.campaign_using(workspace, list_id),
    )


@area.post("/lists/<int:list_id>/edit")
def save(workspace: Workspace, list_id: int) -> Response:
    form = ListForm.posted()
    try:
        lists.change_list(workspace, list_id, form.name.data, form.lawfulBasis.data)
    except InvalidRequest as refusal:
        return _edit_page(workspace, list_id, form.take_errors(refusal))
    show_toast("Saved.")
    return redirect_to(".show", list_id=list_id)


@area.post("/lists/<int:list_id>/delete")
def delete(workspace: Workspace, list_id: int) -> Response:
    name = lists.get_list(workspace, list_id).name
    lists.delete_list(workspace, list_id)
    show_toast(f"“{name}” deleted.")
    return redirect_to(".index")


@area.get("/lists/<int:list_id>/people.csv")
def export(workspace: Workspace, list_id: int) -> Response:
    """Download the filtered people as CSV, streamed."""
    found, query = lists.get_list(workspace, list_id), people_filter.read(request.args)
    people = csv_export.rows(workspace, list_id, **people_filter.narrow(query))
    return csv_import.table_file(people, found.name)


@area.post("/lists/<int:list_id>/people")
def change(workspace: Workspace, list_id: int) -> Response:
    """Tag, remove or block the selected people, and offer an undo."""
    found, form = lists.get_list(workspace, list_id), PickedForm.posted()
    do, tag, picked = form.do.data, form.tag.data, people_filter.picked(request.form)
    chosen = people_filter.narrow(people_filter.read(request.form)) | ({} if form.everyone.data else {"picked": picked})
    if do == "export" and (picked or form.everyone.data):
        return csv_import.table_file(csv_export.rows(workspace, list_id, **chosen), found.name)
    if (form.everyone.data and do != "start") or (do in ("move", "campaign") and picked):
        return table_changes.begin(workspace, list_id, form, chosen, _address(request.form))
    if not picked and not form.everyone.data:
        show_toast("Select people first.", "info")
    else:
        try:
            if do == "start":
                return redirect_to("pages.campaigns.new", list=leads.list_of(workspace, list_id, **chosen).id)
            said, undoable, name = _change(workspace, list_id, do, picked, tag)
            back = url_for(".show", list_id=list_id, **_address(request.form))
            show_toast(said, undo=undo.path(undoable, name, back))
        except InvalidRequest as refusal:
            show_toast(" ".join(errors_of(refusal).values()) or refusal.message, "danger")
    return redirect_to(".show", list_id=list_id, **_address(request.form))


def _change(workspace: Workspace, list_id: int, do: str, picked: list[int], tag: str) -> tuple[str, Undoable[Any], str]:
    """Tag, remove or block people; return the sentence to show, and the undo."""
    if do == "remove":
        number, name = removals.remove_people(workspace, list_id, picked)
        return f"{people_count(number)} removed from the list.", removals.PEOPLE, name
    if do == "never":
        number, name = block.block_leads(workspace, list_id, picked, "Selected in a list.")
        said = f"{people_count(number)} added to your do-not-contact list."
        return said if number else "These people were already on the do-not-contact list.", block.BLOCKED, name
    if do not in ("tag", "untag"):
        raise InvalidRequest.of(("do", "Choose an action."))
    if not tag.strip():
        raise InvalidRequest.of(("tag", "Enter the tag first."))
    add, remove = ([tag], []) if do == "tag" else ([], [tag])
    number, name = tags.tag_for_now(workspace, picked, add, remove)
    return undo.tagged_words(number, add, remove), tags.TAGGED, name
