"""What holds for people who are added: how those change who are known, and the lawful basis to contact them."""

from flask import Blueprint, Response

from app.core.errors import InvalidRequest
from app.domain.people import sources
from app.domain.workspace import workspaces
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.leads.csv_import import MERGES

area = Blueprint("people_defaults", __name__, url_prefix="/settings/people")


class PeopleDefaultsForm(Form):
    merge = Text()
    lawfulBasis = Text()


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(PeopleDefaultsForm.of(merge=workspace.merge, lawfulBasis=workspace.lawful_basis))


def _page(form: PeopleDefaultsForm, status: int = 200) -> Response:
    return render("settings/people_defaults.html", status=status, form=form, merges=MERGES, bases=sources.LAWFUL_BASES)


@area.post("")
def save(workspace: Workspace) -> Response:
    form = PeopleDefaultsForm.posted()
    try:
        workspaces.change_people_defaults(workspace, form.merge.data, form.lawfulBasis.data)
    except InvalidRequest as refusal:
        return _page(form.take_errors(refusal), 422)
    show_toast("Saved.")
    return redirect_to(".index")
