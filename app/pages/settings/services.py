"""Services: connected ones and their health, available ones, and the server's own."""

from decimal import Decimal, InvalidOperation
from typing import Any

from flask import Blueprint, Response, current_app, g

from app import ports
from app.core.errors import AppError
from app.domain.installation.doctor_checks import remote
from app.domain.platform import services
from app.domain.platform.services import MILLION
from app.domain.tasks.meetings import bookings
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import htmx, redirect_to_path, render, show_toast
from app.pages.framework.forms import Form, Secret, Text
from app.ports import SERVES, ProviderError, Service

area = Blueprint("services", __name__, url_prefix="/settings/services")
PAGE = "/settings/services"


def dollars(millionths: int) -> str:
    """Return an amount such as `$0.05`, with more digits where cents would hide it."""
    amount = Decimal(millionths) / MILLION
    shown = amount.quantize(Decimal("0.01"))
    return f"${shown:,}" if shown == amount or amount >= 1 else f"${amount.normalize():f}"


def form_of(service: Service) -> type[Form]:
    """Return the form of a service's fields, each named `value_` and its name."""
    fields = {f"value_{field.name}": (Secret if field.secret else Text)(name=field.name) for field in service.fields}
    paths = {f"values.{field.name}": f"value_{field.name}" for field in service.fields}
    fields["daily_budget"] = Text(name="dailyBudget", strip=True)
    return type("ServiceForm", (Form,), {"PATHS": paths, **fields})


def _filled(state: services.State) -> Form:
    """Return the form with the values that may be shown."""
    service, login = state.service, state.login
    known = {f"value_{field.name}": login.shown.get(field.name, "") if login else "" for field in service.fields}
    defaults = {f"value_{field.name}": field.default for field in service.fields}
    budget = "" if not login or login.daily_budget is None else f"{login.daily_budget / MILLION:g}"
    values = {name: value or defaults[name] for name, value in known.items()}
    return form_of(service).of(**values, daily_budget=budget)


def _page(workspace: Workspace, status: int = 200, opened: str = "", form: Form | None = None, **more: Any) -> Response:
    """Render the page, or only the connected services for htmx; `opened` is the service whose form was sent."""
    states = services.states(workspace)
    filled = {state.service.name: _filled(state) for state in states}
    return render(
        "settings/services/index.html",
        part="settings/services/_services.html",
        status=status,
        connected=[one for one in states if one.login],
        others=[one for one in states if not one.login],
        model=ports.models().current(),
        has_mail=ports.alert_mail.connected,
        opened=opened,
        filled=filled | ({opened: form} if form else {}),
        **_words(workspace),
        **{"refusal": None, **more},
    )


def _words(workspace: Workspace) -> dict[str, Any]:
    return {
        "hook": lambda service: _hook(workspace, service),
        "kinds": SERVES,
        "dollars": dollars,
        "may": page_permissions.may(g.role, "pages.services.connect", True),
    }


def _hook(workspace: Workspace, service: Service) -> str:
    """Return the address that the service calls; '' for one that calls no one."""
    if bookings.SERVES not in service.serves:
        return ""
    return bookings.address(current_app.config["BASE_URL"], workspace, service.name)


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(workspace)


@area.post("/<name>")
def connect(workspace: Workspace, name: str) -> Response:
    """Test the key and connect the service, or show all errors."""
    service = services.catalogue(name).service
    form = form_of(service).posted()
    values = {field.name: form[f"value_{field.name}"].data for field in service.fields}
    try:
        services.connect(workspace, name, values, _millionths(form["daily_budget"].data))
    except AppError as refusal:
        form.take_errors(refusal)
        return _page(workspace, 422, opened=name, form=form, refusal=None if form.errors else refusal)
    show_toast(f"{service.title} is connected.")
    return redirect_to_path(f"{PAGE}#service-{name}")


def _millionths(typed: str) -> int | None:
    """Return the budget; None for an empty field, and a value that the verb refuses for an invalid one."""
    try:
        return services.to_micro_usd(float(Decimal(typed.lstrip("$")))) if typed else None
    except (InvalidOperation, ValueError):
        return -1


@area.post("/<name>/check")
def check(workspace: Workspace, name: str) -> Response:
    """Test the key of the service."""
    title = services.catalogue(name).service.title
    if services.fetch_status(workspace, name):
        show_toast(f"{title} works.")
    elif not htmx():
        show_toast(f"{title} failed the test; see its card.", "warn")
    return _card(workspace, name)


def _card(workspace: Workspace, name: str) -> Response:
    if not htmx():
        return redirect_to_path(f"{PAGE}#service-{name}")
    connected = [one for one in services.states(workspace) if one.login]
    place = next(place for place, one in enumerate(connected, start=1) if one.service.name == name)
    card = {
        "state": connected[place - 1],
        "place": place,
        "connected": connected,
        "opened": "",
        "refusal": None,
        **_words(workspace),
    }
    card["filled"] = {name: _filled(connected[place - 1])}
    return render("settings/services/_service.html", part="settings/services/_service.html", **card)


@area.post("/<name>/<any(up, down):way>")
def move(workspace: Workspace, name: str, way: str) -> Response:
    """Ask the service one place earlier or later."""
    services.move(workspace, name, services.get(workspace, name).position + (1 if way == "down" else -1))
    return _page(workspace) if htmx() else redirect_to_path(f"{PAGE}#service-{name}")


@area.post("/<name>/disconnect")
def disconnect(workspace: Workspace, name: str) -> Response:
    """Delete the service and its key."""
    services.disconnect(workspace, name)
    show_toast(f"{services.catalogue(name).service.title} is disconnected, and its key was deleted.", "info")
    return redirect_to_path(PAGE)


@area.post("/-/model")
def ask_model(workspace: Workspace) -> Response:
    """Test the connected model."""
    try:
        show_toast(remote.check_model())
    except ProviderError as failure:
        show_toast(failure.sentence, "warn")
    if htmx():
        card = {"model": ports.models().current(), **_words(workspace)}
        return render("settings/services/_model.html", part="settings/services/_model.html", **card)
    return redirect_to_path(f"{PAGE}#model")
