"""Settings → Writer: who writes for all workspaces, what it took so far, and how an AI model is set up."""

from flask import Blueprint, Response, current_app

from app import ports
from app.core.errors import AppError, InvalidRequest
from app.domain.platform import model_choice, model_meter
from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import redirect_to, render, show_toast, try_verb
from app.pages.framework.forms import Form, Secret, Text
from app.ports.models import PINNED

area = Blueprint("writer", __name__, url_prefix="/settings/writer")


class ModelForm(Form):
    url = Text(strip=True)
    key = Secret(strip=True)
    name = Text(strip=True)


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    """Show who writes."""
    return _page(user)


def _page(user: User, status: int = 200, form: ModelForm | None = None, models: list[str] | None = None) -> Response:
    chosen, candidate = model_choice.current(), model_choice.candidate()
    model = ports.models().current()
    known = [one for one in (chosen, candidate) if one]
    return render(
        "settings/writer/index.html",
        part="settings/writer/_writer.html",
        status=status,
        admin=server_admins.is_admin(user),
        fixed=ports.models().fixed(),
        model=model,
        chosen=chosen,
        candidate=candidate,
        testing=[one for one in known if model_choice.is_testing(one)],
        state=model_meter.state(model.address, model.name) if model else model_meter.State(),
        budget=current_app.config["OVERTURE_MODEL_TOKENS"],
        form=form or (ModelForm.of(url=candidate.url, name=candidate.name) if candidate else ModelForm.of()),
        pairs=[(one, one) for one in models or ()],
        pinned=PINNED,
    )


@area.post("")
def set_up(workspace: Workspace, user: User) -> Response:
    """Check the service, keep the model and test it; without a name, offer those that the service has."""
    server_admins.require(user)
    form, models = ModelForm.posted(), list[str]()
    try:
        model = model_choice.set_up(workspace, form.url.data, form.key.data, form.name.data)
    except InvalidRequest as refusal:
        if {"name"} == {one.path for one in refusal.fields}:
            models = _models_at(form)
        return _page(user, 422, form.take_errors(refusal), models)
    show_toast(f"{model.name} is being tested. The model is used once it passes.", "info")
    return redirect_to(".index")


def _models_at(form: ModelForm) -> list[str]:
    try:
        return list(model_choice.look(form.url.data, form.key.data).models)
    except AppError:
        return []


@area.post("/test")
def test(workspace: Workspace, user: User) -> Response:
    """Test the model that writes."""
    server_admins.require(user)
    try_verb(lambda: model_choice.test(workspace), "The model is being tested.", "info")
    return redirect_to(".index")


@area.post("/remove")
def remove(workspace: Workspace, user: User) -> Response:
    """Delete the model and its key."""
    server_admins.require(user)
    model_choice.remove(workspace)
    show_toast("The model and its key were deleted. The built-in writer is used again.", "info")
    return redirect_to(".index")
