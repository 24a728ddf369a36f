"""Add a person to a list by hand."""

from flask import Blueprint, Response

from app.core.errors import InvalidRequest, PlanLimitExceeded
from app.domain.engine import joiners
from app.domain.leads import leads, lists
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import error_text, may_change, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text, Words

part = Blueprint("add_person", __name__, url_prefix="/lists/<int:list_id>/people/new")


class AddPersonForm(Form):
    """What is typed of a person, named as verbs name it."""

    firstName = Text()
    lastName = Text()
    email = Text()
    profileUrl = Text()
    companyName = Text()
    position = Text()
    phone = Text()
    tags = Words()


@part.get("")
@may_change
def new(workspace: Workspace, list_id: int) -> Response:
    """Show the form, for browsers without dialogs."""
    return _form_page(workspace, list_id, AddPersonForm.of())


def _form_page(workspace: Workspace, list_id: int, form: AddPersonForm, status: int = 200) -> Response:
    found = lists.get_list(workspace, list_id)
    return render("lists/add_person.html", part="lists/_add_person.html", status=status, list=found, person=form)


@part.post("")
def add(workspace: Workspace, list_id: int) -> Response:
    """Add the person, or show what is wrong with which field."""
    form = AddPersonForm.posted()
    given = {name: value for name, value in form.data.items() if name != "tags"}
    try:
        result = leads.add_person(workspace, list_id, given, form.tags.data)
    except InvalidRequest as refusal:
        return _form_page(workspace, list_id, form.take_errors(refusal), 422)
    except PlanLimitExceeded as refusal:
        form.form_errors.append(error_text(refusal))
        return _form_page(workspace, list_id, form, 422)
    if result.blocked:
        form.form_errors.append("This person is on your do-not-contact list.")
        return _form_page(workspace, list_id, form, 422)
    name = f"{form.firstName.data} {form.lastName.data}".strip() or form.email.data.strip() or "They"
    known = " was in this list already, and is up to date."
    show_toast(name + (f" added.{joiners.promise(workspace, list_id)}" if result.added else known))
    return redirect_to("pages.lists.show", list_id=list_id)
