"""The CRM: where it stands, the lists that are followed, and which side wins for each field."""

from typing import Any

from flask import Blueprint, Response, g

from app.core.errors import AppError, NotFound
from app.domain.enrichment.crm import activities, connection, lists, settings
from app.domain.enrichment.crm.connection import Status
from app.domain.platform import services
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import error_text, may_change, redirect_to, render, show_toast, try_verb
from app.pages.framework.forms import Form, Text, Tick, Words

area = Blueprint("crm", __name__, url_prefix="/settings/crm")
FIELDS = {
    "first_name": "First name",
    "last_name": "Last name",
    "position": "Job title",
    "company_name": "Company",
    "company_url": "Company website",
    "location": "City",
    "phone": "Phone",
    "profile_url": "Profile link",
    "stage": "Lifecycle stage",
    "owner": "Owner",
}
INCOMING = [("crm", "CRM wins"), ("fill", "Fills empty ones"), ("off", "Not used")]
OUTGOING = [("ours", "Overture wins"), ("fill", "Fills empty ones"), ("off", "Not sent")]
CREATE = [("no", "No one"), ("reply", "People who reply"), ("all", "All people contacted")]
STAGES = {
    "owners": "Reading owners",
    "contacts": "Reading contacts",
    "companies": "Reading companies",
    "deals": "Reading deals",
    "lists": "Reading lists",
    "end": "Nearly done",
}


class ListForm(Form):
    id = Text(strip=True)
    name = Text(strip=True)


def settings_form() -> type[Form]:
    """Return the form of the settings: two choices for each field, and the rest."""
    fields: dict[str, Any] = {f"in_{name}": Text() for name in FIELDS} | {f"out_{name}": Text() for name in FIELDS}
    paths = {f"fields.{name}": f"in_{name}" for name in FIELDS}
    paths |= {"customerStages": "customer_stages", "stopStatuses": "stop_statuses"}
    more = {
        "create": Text(),
        "activities": Tick(),
        "customer_stages": Words(name="customerStages"),
        "stop_statuses": Words(name="stopStatuses"),
    }
    return type("SettingsForm", (Form,), {"PATHS": paths, **fields, **more})


def _filled(status: Status) -> Form:
    rules = status.settings.fields
    ways = {f"in_{name}": rule.incoming for name, rule in rules.items()}
    ways |= {f"out_{name}": rule.outgoing for name, rule in rules.items()}
    kept = status.settings
    stages = {"customer_stages": list(kept.customer_stages), "stop_statuses": list(kept.stop_statuses)}
    return settings_form()(data={**ways, **stages, "create": kept.create, "activities": kept.activities})


def _page(workspace: Workspace, form: Form | None = None, code: int = 200, **more: Any) -> Response:
    try:
        status = connection.status(workspace)
    except NotFound:
        available = [one.service for one in services.states(workspace) if connection.SERVES in one.service.serves]
        return render("settings/crm/index.html", status=code, crm=None, available=available)
    failed = activities.latest_failed(workspace)
    return render(
        "settings/crm/index.html",
        status=code,
        crm=status,
        form=form or _filled(status),
        rows=[(name, FIELDS[name], name in settings.FACTS) for name in status.settings.fields],
        incoming=INCOMING,
        outgoing=OUTGOING if status.tells_typed else OUTGOING[1:],
        create=CREATE,
        stages=STAGES,
        failed=failed,
        names=activities.names([one.person_id for one in failed]),
        may=page_permissions.may(g.role, "pages.crm.save", True),
        **{"offered": None, "trouble": "", **more},
    )


@area.get("")
def index(workspace: Workspace) -> Response:
    return _page(workspace)


@area.post("")
def save(workspace: Workspace) -> Response:
    form = settings_form().posted()
    given = form.data
    known = connection.status(workspace).settings.fields
    rules = {name: {"incoming": given[f"in_{name}"], "outgoing": given[f"out_{name}"]} for name in known}
    wanted = {name: given[name] for name in ("create", "activities", "customer_stages", "stop_statuses")}
    try:
        connection.change(workspace, {"fields": rules, **wanted})
    except AppError as refusal:
        return _page(workspace, form.take_errors(refusal), 422)
    show_toast("Saved. The next sync uses these settings.")
    return redirect_to(".index")


@area.post("/read")
def read(workspace: Workspace) -> Response:
    connection.read_now(workspace)
    show_toast("Syncing now.")
    return redirect_to(".index")


@area.get("/lists")
@may_change
def offered(workspace: Workspace) -> Response:
    """Show the lists of the CRM, which is asked for them."""
    found, trouble = None, ""
    try:
        followed = {one.external_id for one in connection.status(workspace).lists if one.list_id}
        found = [one for one in connection.offered_lists(workspace) if one.id not in followed]
    except AppError as refusal:
        trouble = error_text(refusal)
    return _page(workspace, offered=found, trouble=trouble)


@area.post("/lists")
def follow(workspace: Workspace) -> Response:
    form = ListForm.posted()
    try_verb(
        lambda: lists.follow(workspace, form.id.data, form.name.data),
        "The list is being synced. People will appear here in a moment.",
    )
    return redirect_to(".index")


@area.post("/lists/<int:crm_list_id>/unfollow")
def unfollow(workspace: Workspace, crm_list_id: int) -> Response:
    lists.unfollow(workspace, crm_list_id)
    show_toast("The list is no longer synced. Its people stay in the list.", "info")
    return redirect_to(".index")


@area.post("/retry")
def retry(workspace: Workspace) -> Response:
    try_verb(lambda: activities.retry(workspace), "Retrying failed activities.")
    return redirect_to(".index")
