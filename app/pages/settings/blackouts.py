"""Blackout dates: days on which no campaign of the workspace sends anything."""

from datetime import date
from typing import ClassVar

from flask import Blueprint, Response

from app.core.errors import InvalidRequest
from app.domain.campaigns import workspace_blackouts
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.framework.words import date_range

area = Blueprint("blackouts", __name__, url_prefix="/settings/blackouts")


class BlackoutForm(Form):
    PATHS: ClassVar[dict[str, str]] = {"firstDay": "first", "lastDay": "last"}

    name = Text()
    first = Text(name="firstDay", strip=True)
    last = Text(name="lastDay", strip=True)


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(workspace, BlackoutForm.of())


def _page(workspace: Workspace, form: BlackoutForm, status: int = 200) -> Response:
    dates = [
        one | {"said": date_range(date.fromisoformat(one["firstDay"]), date.fromisoformat(one["lastDay"]))}
        for one in workspace.blackouts or ()
    ]
    return render("settings/blackouts.html", status=status, form=form, dates=dates)


@area.post("")
def add(workspace: Workspace) -> Response:
    form = BlackoutForm.posted()
    given = {"name": form.name.data, "firstDay": form.first.data, "lastDay": form.last.data}
    try:
        workspace_blackouts.add(workspace, given)
    except InvalidRequest as refusal:
        return _page(workspace, form.take_errors(refusal), 422)
    show_toast("Blackout dates added.")
    return redirect_to(".index")


@area.post("/remove")
def remove(workspace: Workspace) -> Response:
    form = BlackoutForm.posted()
    workspace_blackouts.remove(workspace, form.first.data, form.name.data)
    show_toast("Blackout dates removed.")
    return redirect_to(".index")
