"""Lists of companies: add them, look at one, and look up their people."""

from typing import Any, ClassVar

from flask import Blueprint, Response, request, url_for

from app.core import text
from app.core.db import session
from app.core.errors import InvalidRequest, PlanLimitExceeded
from app.domain.engine import joiners
from app.domain.leads import company_people, listed_companies, lists, removals, search_import, search_reading
from app.domain.leads.company_people import Found
from app.domain.workspace.workspaces import Workspace
from app.pages import undo
from app.pages.framework.base import error_text, errors_of, htmx, may_change, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Numbers, Text, Tick, Whole
from app.pages.framework.tables import page_of
from app.pages.framework.words import many
from app.pages.leads.add_people import RECENT, add_companies_page
from app.pages.leads.csv_import import table_file

part = Blueprint("companies", __name__, url_prefix="/lists/<int:list_id>/companies")
NEW_LIST = 0


class FindForm(Form):
    """Whose people are looked up, where they go, and how."""

    PATHS: ClassVar[dict[str, str]] = {"companyIds": "companies", "listId": "into"}

    companies = Numbers(name="company")
    into = Whole(name="into", default=NEW_LIST)
    name = Text()
    known = Tick()
    account_id = Whole(name="accountId", default=0)
    title = Text()
    most = Whole(default=company_people.USUAL, wrong=0)


def list_page(workspace: Workspace, found: Any) -> Response:
    """Show a list of companies."""
    q = request.args.get("q", "").strip()[:200]
    page, more = page_of(listed_companies.of_list(workspace, found.id, q), newest_first=False, q=q)
    searches = company_people.searches(workspace, found.id)
    if htmx().partial and request.args.get("searches"):
        return render("lists/_company_searches.html", **_searches(found.id, searches))
    return render(
        "lists/companies.html",
        part="lists/_companies.html" if request.args.get("cursor") else "lists/_companies_found.html",
        list=found,
        q=q,
        page=page,
        more=more,
        known=listed_companies.count_people(workspace, page.rows),
        searched=company_people.searched([one.id for one in page.rows]),
        **_searches(found.id, searches),
    )


def _searches(list_id: int, found: Any) -> dict[str, Any]:
    under_way = any("cancel" in search_import.moves(one) for one, _ in found)
    return {
        "searches": found[:RECENT],
        "poll": url_for("pages.lists.show", list_id=list_id, searches=1) if under_way else "",
    }


@part.get("/add")
@may_change
def add(workspace: Workspace, list_id: int) -> Response:
    return add_companies_page(workspace, list_id)


@part.post("/add")
def paste(workspace: Workspace, list_id: int) -> Response:
    """Add the companies of the pasted lines; lines with an error stay in the form."""
    written = request.form.get("companies", "")
    try:
        result, refused = listed_companies.add_lines(workspace, list_id, written)
    except InvalidRequest as refusal:
        return add_companies_page(workspace, list_id, lines=written, errors=errors_of(refusal))
    said = f"{result.added:,} added"
    said += f", {result.updated:,} updated" if result.updated else ""
    said += f", {result.skipped:,} already in this list" if result.skipped else ""
    if refused:
        lines = "\n".join(line for _, line, _ in refused)
        return add_companies_page(workspace, list_id, lines=lines, refused=refused, result=f"{said}.")
    show_toast(f"{said}.")
    return redirect_to("pages.lists.show", list_id=list_id)


@part.post("/remove")
def remove(workspace: Workspace, list_id: int) -> Response:
    """Remove the selected companies."""
    chosen = FindForm.posted().companies.data[: listed_companies.MOST_GIVEN]
    there = listed_companies.get_many(workspace, listed_companies.get_list(workspace, list_id).id, chosen)
    number, name = removals.remove_companies(workspace, list_id, [one.id for one in there])
    back = url_for("pages.lists.show", list_id=list_id)
    said = f"{many(number, 'company', 'companies')} removed." if number else "Select companies first."
    show_toast(said, undo=undo.path(removals.COMPANIES, name, back))
    return redirect_to(back)


@part.get("/export.csv")
def export(workspace: Workspace, list_id: int) -> Response:
    """Download the companies as CSV."""
    found = listed_companies.get_list(workspace, list_id)
    rows = listed_companies.rows(workspace, list_id, request.args.get("q", ""))
    return table_file(rows, found.name)


@part.get("/<int:company_id>")
def show(workspace: Workspace, list_id: int, company_id: int) -> Response:
    """Show the people who are known at the company."""
    company = listed_companies.get(workspace, list_id, company_id)
    page, more = page_of(listed_companies.people_of(workspace, company), newest_first=False)
    named = lists.lists_by_id(workspace, {lead.list_id for lead in page.rows if lead.list_id})
    return render(
        "lists/company.html",
        part="lists/_company_people.html" if request.args.get("cursor") else "",
        list=lists.get_list(workspace, list_id),
        company=company,
        page=page,
        named=named,
        more=more,
        known=listed_companies.count_people(workspace, [company])[company.id],
    )


@part.post("/chosen")
def chosen(workspace: Workspace, list_id: int) -> Response:
    """Go on to find the people of the selected companies."""
    companies = FindForm.posted().companies.data[: company_people.MOST_COMPANIES]
    return redirect_to(".ask", list_id=list_id, company=companies)


@part.get("/find")
@may_change
def ask(workspace: Workspace, list_id: int) -> Response:
    """Ask where the people of the chosen companies go, and how they are found."""
    chosen = [number for one in request.args.getlist("company") if (number := text.number(one))]
    readers = search_reading.readers(workspace)
    usual = {"most": company_people.USUAL, "account_id": readers[0].id if readers else 0, "known": True}
    if not listed_companies.get_many(workspace, listed_companies.get_list(workspace, list_id).id, chosen):
        show_toast("Select companies first.", "info")
        return redirect_to("pages.lists.show", list_id=list_id)
    return _find_page(workspace, list_id, FindForm.of(companies=chosen, **usual))


def _find_page(workspace: Workspace, list_id: int, form: FindForm, status: int = 200) -> Response:
    found = listed_companies.get_list(workspace, list_id)
    companies = listed_companies.get_many(workspace, list_id, form.companies.data)
    choices = [(one.id, one.name) for one in session().scalars(lists.people_lists(workspace).order_by(None))]
    return render(
        "lists/find_people.html",
        status=status,
        list=found,
        companies=companies,
        known=sum(listed_companies.count_people(workspace, companies).values()),
        form=form,
        into=[(NEW_LIST, "A new list"), *choices],
        new_name=form.name.data or f"People of {found.name}"[:200],
        readers=[(account.id, account.name) for account in search_reading.readers(workspace)],
    )


@part.post("/find")
def find(workspace: Workspace, list_id: int) -> Response:
    """Look up the people, or show what doesn't fit."""
    form = FindForm.posted()
    try:
        done = company_people.look_up(
            workspace,
            list_id,
            form.companies.data,
            form.into.data or None,
            name=form.name.data,
            known=form.known.data,
            account_id=form.account_id.data or None,
            title=form.title.data,
            most=form.most.data,
        )
    except InvalidRequest as refusal:
        return _find_page(workspace, list_id, form.take_errors(refusal), 422)
    except PlanLimitExceeded as refusal:
        form.form_errors.append(error_text(refusal))
        return _find_page(workspace, list_id, form, 422)
    show_toast(_search_result_text(done) + (joiners.promise(workspace, done.list_id) if done.known.added else ""))
    if done.searches:
        return redirect_to("pages.lists.show", list_id=list_id)
    return redirect_to("pages.lists.show", list_id=done.list_id)


def _search_result_text(done: Found) -> str:
    added, began = done.known.added, len(done.searches)
    said = [f"{many(added, 'known person', 'known people')} added."] if added else []
    said += [f"{many(began, 'search', 'searches')} started."] if began else []
    said += [f"{many(done.running, 'search was', 'searches were')} already running."] if done.running else []
    return " ".join(said) or "There are no other known people at these companies."
