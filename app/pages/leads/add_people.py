"""The pages of the ways to add people, or companies, to a list: a CSV file, lines, a search address."""

from typing import Any

from flask import Response

from app.core import paging
from app.core.paging import Window
from app.domain.leads import csv_import, listed_companies, lists, search_address, search_import, search_reading
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import Errors, render
from app.pages.framework.forms import Form, Text, Whole

RECENT = 10


class SearchForm(Form):
    address = Text(strip=True)
    account_id = Whole(name="accountId")
    most = Whole(default=search_import.USUAL, wrong=0)


def add_page(workspace: Workspace, list_id: int, **context: Any) -> Response:
    """Show the page; what is wrong stands at the form that was sent."""
    found = lists.get_list(workspace, list_id)
    readers = search_reading.readers(workspace)
    usual = SearchForm.of(account_id=readers[0].id if readers else 0, most=search_import.USUAL)
    shown: dict[str, Any] = {"links": "", "errors": Errors(), "refused": [], "result": None, "search": usual} | context
    return render(
        "lists/add.html",
        status=422 if shown["errors"] or shown["search"].errors else 200,
        list=found,
        recent=paging.page(csv_import.page(workspace, list_id), None, Window(RECENT)).rows,
        searches=paging.page(search_import.page(workspace, list_id), None, Window(RECENT)).rows,
        readers=[(account.id, account.name) for account in readers],
        title_of=search_address.title,
        **shown,
    )


def add_companies_page(workspace: Workspace, list_id: int, **context: Any) -> Response:
    """Show the ways to add companies; what is wrong stands at the form that was sent."""
    found = listed_companies.get_list(workspace, list_id)
    shown: dict[str, Any] = {"lines": "", "errors": Errors(), "refused": [], "result": None} | context
    return render(
        "lists/add_companies.html",
        status=422 if shown["errors"] else 200,
        list=found,
        recent=paging.page(csv_import.page(workspace, list_id), None, Window(RECENT)).rows,
        **shown,
    )
