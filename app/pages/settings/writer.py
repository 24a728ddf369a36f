"""Settings → Writer: who writes for all workspaces, how fast and at what cost, and how an AI model is set up."""

from decimal import Decimal, InvalidOperation
from typing import Any

from flask import Blueprint, Response, current_app, request

from app import ports
from app.core.db import end_read
from app.core.errors import AppError, InvalidRequest
from app.domain.autopilot.setup_state import LONGEST_STAGE
from app.domain.operations import doctor_remote
from app.domain.platform import model_choice, model_meter
from app.domain.platform.services import MILLION
from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework.base import redirect_to, render, show_toast, signed_in, try_verb
from app.pages.framework.forms import Form, Secret, Text
from app.pages.settings.services import dollars
from app.ports import ProviderError, Speed
from app.ports.models import FIRST_PLAY, PINNED, PLAY

area = Blueprint("writer", __name__, url_prefix="/settings/writer")


class ModelForm(Form):
    url = Text(strip=True)
    key = Secret(strip=True)
    name = Text(strip=True)


class PriceForm(Form):
    reading = Text(strip=True)
    writing = Text(strip=True)


@area.get("")
@signed_in
def index(workspace: Workspace, user: User) -> Response:
    """Show who writes; with `find`, also the model servers of this machine."""
    servers = None
    if request.args.get("find") and server_admins.is_admin(user):
        end_read()
        servers = ports.models().on_this_machine()
    return _page(user, servers=servers)


def _page(user: User, status: int = 200, form: ModelForm | None = None, **more: Any) -> Response:
    fixed, known = ports.models().fixed(), model_choice.every()
    chosen = model_choice.current()
    speed = model_choice.speed_of(chosen) if chosen else None
    prices = (chosen.price_in, chosen.price_out) if chosen else (None, None)
    model = ports.models().current()
    name, url = (model.name, model.address) if model else ("", "")
    return render(
        "settings/writer/index.html",
        part="settings/writer/_writer.html",
        status=status,
        admin=server_admins.is_admin(user),
        fixed=fixed,
        model=model,
        chosen=chosen,
        speed=speed,
        cost=model_choice.cost(chosen) if chosen else None,
        state=model_meter.state(url, name) if model else model_meter.State(),
        budget=current_app.config["OVERTURE_MODEL_TOKENS"],
        measuring=[one for one in known if model_choice.is_measuring(one)],
        others=[one for one in known if one is not chosen and not model_choice.is_measuring(one)],
        limits=_limits(speed),
        form=form or ModelForm.of(),
        **(
            {
                "servers": None,
                "pairs": (),
                "price": _prices(*prices),
                "pinned": PINNED,
            }
            | more
        ),
        dollars=dollars,
        first_play=sum(FIRST_PLAY),
    )


def _limits(speed: Speed | None) -> dict[str, float]:
    """Return the seconds for the messages of a play, for any question, and for a stage of the setup."""
    return {
        "play": speed.limit(*PLAY) if speed else ports.models().longest(),
        "longest": ports.models().longest(),
        "stage": LONGEST_STAGE,
    }


def _prices(reading: int | None, writing: int | None) -> PriceForm:
    both = ["" if one is None else f"{Decimal(one) / MILLION:f}" for one in (reading, writing)]
    return PriceForm.of(reading=both[0], writing=both[1])


@area.post("")
@signed_in
def set_up(workspace: Workspace, user: User) -> Response:
    """Check the service, keep the model and measure it; without a name, offer those that the service has."""
    server_admins.require(user)
    form, models = ModelForm.posted(), list[str]()
    try:
        model = model_choice.set_up(workspace, form.url.data, form.key.data, form.name.data)
    except InvalidRequest as refusal:
        if {"name"} == {one.path for one in refusal.fields}:
            models = _models_at(form)
        return _page(user, 422, form.take_errors(refusal), pairs=[(one, one) for one in models])
    show_toast(f"{model.name} is being measured. It writes when it works.", "info")
    return redirect_to(".index")


def _models_at(form: ModelForm) -> list[str]:
    try:
        return list(model_choice.look(form.url.data, form.key.data).models)
    except AppError:
        return []


@area.post("/test")
@signed_in
def test(workspace: Workspace, user: User) -> Response:
    """Ask the model that writes for a word."""
    server_admins.require(user)
    try:
        show_toast(doctor_remote.check_model())
    except ProviderError as failure:
        show_toast(failure.sentence, "warn")
    return redirect_to(".index")


@area.post("/measure")
@signed_in
def measure_fixed(workspace: Workspace, user: User) -> Response:
    """Measure the model of the environment's settings."""
    server_admins.require(user)
    try_verb(lambda: model_choice.measure_fixed(workspace), "It is being measured.", "info")
    return redirect_to(".index")


@area.post("/<int:model_id>/measure")
@signed_in
def measure(workspace: Workspace, user: User, model_id: int) -> Response:
    server_admins.require(user)
    try_verb(lambda: model_choice.measure_again(workspace, model_id), "It is being measured.", "info")
    return redirect_to(".index")


@area.post("/<int:model_id>/<any(on, off):way>")
@signed_in
def switch(workspace: Workspace, user: User, model_id: int, way: str) -> Response:
    """Let the model write, or the built-in writer again."""
    server_admins.require(user)
    model = model_choice.switch(workspace, model_id, on=way == "on")
    if way == "on":
        show_toast(f"{model.name} writes from now on.")
    else:
        show_toast(
            f"{model.name} is switched off. The built-in writer writes.",
            "info",
            undo=f"{area.url_prefix}/{model.id}/on",
        )
    return redirect_to(".index")


@area.post("/<int:model_id>/remove")
@signed_in
def remove(workspace: Workspace, user: User, model_id: int) -> Response:
    """Delete the model and its key."""
    server_admins.require(user)
    show_toast(f"{model_choice.remove(workspace, model_id)} and its key are deleted.", "info")
    return redirect_to(".index")


@area.post("/<int:model_id>/price")
@signed_in
def price(workspace: Workspace, user: User, model_id: int) -> Response:
    """Set what a million tokens cost."""
    server_admins.require(user)
    form = PriceForm.posted()
    try:
        model_choice.set_prices(model_id, *(_amount(form[name].data) for name in ("reading", "writing")))
    except InvalidRequest as refusal:
        return _page(user, 422, price=form.take_errors(refusal))
    show_toast("Saved.")
    return redirect_to(".index")


def _amount(typed: str) -> float | None:
    """Return the amount in dollars; None for an empty field, and what the verb refuses for an invalid one."""
    try:
        amount = Decimal(typed.lstrip("$ ")) if typed else None
    except InvalidOperation:
        return -1
    return float(amount) if amount is not None and amount.is_finite() else None if amount is None else -1
