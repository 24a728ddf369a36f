"""Data sources, the wizard's optional step."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from flask import Response, current_app

from app.core.errors import AppError, InvalidRequest
from app.domain.autopilot import setup, source_sync, sources
from app.domain.autopilot.sources import SourceConnection
from app.domain.leads import lists as lead_lists
from app.domain.workspace.workspaces import Workspace
from app.pages.autopilot.wizard import NUMBERS, forward, open_to, show
from app.pages.autopilot.wizard import area as wizard
from app.pages.framework.base import htmx, redirect_to_path, render, show_toast, try_verb
from app.pages.framework.forms import Form, Secret, Text
from app.pages.framework.words import many


def _sources(workspace: Workspace, status: int = 200, **context: Any) -> Response:
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["plays"]:
        return redirect_to_path("/autopilot")
    known = _connected(workspace)
    source = known["sources"].analytics
    kept = {"region": source.region, "project_id": source.project_id} if source else {}
    shown = known | {"analytics": AnalyticsForm.of(**kept), "payments": PaymentsForm.of(), "opened": ""} | context
    return show(workspace, "sources", view, status, **shown)


@dataclass(frozen=True)
class Shown:
    """A connected source, with its number of leads and of excluded customers."""

    kind: str
    source: SourceConnection
    brought: int
    left_out: int

    @property
    def words(self) -> tuple[str, str]:
        """Return the names of the source's people, in the singular and the plural."""
        return ("visitor", "visitors") if self.kind == "analytics" else ("former customer", "former customers")


def _connected(workspace: Workspace) -> dict[str, Any]:
    """Return the connected sources, and the address of self-hosted analytics."""
    found = sources.get(workspace)
    url = current_app.config["OVERTURE_POSTHOG_URL"]
    shown = {kind: _shown(workspace, kind, getattr(found, kind)) for kind in sources.KINDS}
    return {"sources": found, "shown": shown, "own_host": "" if "{region}" in url else urlsplit(url).netloc}


def _shown(workspace: Workspace, kind: str, source: SourceConnection | None) -> Shown | None:
    if source is None:
        return None
    lists = lead_lists.lists_by_id(workspace, [source.list_id] if source.list_id else [])
    left_out = sources.customers_left_out(workspace) if kind == "payments" else 0
    return Shown(kind, source, sum(found.lead_count for found in lists.values()), left_out)


@wizard.get("/autopilot/sources")
def connections(workspace: Workspace) -> Response:
    return _sources(workspace)


@wizard.get("/autopilot/sources/<any(analytics, payments):kind>")
def reading(workspace: Workspace, kind: str) -> Response:
    """Show how far the sync of a source is; a part of the page."""
    known = _connected(workspace)
    if known["shown"][kind] is None or not htmx():
        return redirect_to_path("/autopilot/sources")
    return render("autopilot/_source_state.html", one=known["shown"][kind], **known)


@wizard.post("/autopilot/sources/<any(analytics, payments):kind>/refresh")
def read_now(workspace: Workspace, kind: str) -> Response:
    """Start a sync of the source."""
    source_sync.refresh(workspace, kind)
    return redirect_to_path("/autopilot/sources")


@wizard.post("/autopilot/sources")
def go_on(workspace: Workspace) -> Response:
    """Continue with or without sources."""
    return forward(workspace, "sources")


class AnalyticsForm(Form):
    api_key = Secret(name="apiKey")
    region = Text(default="us")
    project_id = Text(name="projectId")


class PaymentsForm(Form):
    restricted_key = Secret(name="restrictedKey")


@wizard.post("/autopilot/sources/<any(analytics, payments):kind>")
def connect(workspace: Workspace, kind: str) -> Response:
    """Test the key and connect the source."""
    form = AnalyticsForm.posted() if kind == "analytics" else PaymentsForm.posted()
    try:
        if kind == "analytics":
            sources.connect_analytics(workspace, **form.data)
            show_toast("Analytics connected. We're looking up your visitors for a play.")
        else:
            found = sources.connect_payments(workspace, **form.data)
            count = found.payments.former_customers if found.payments else None
            said = "Looking for former customers" if count is None else f"{many(count, 'former customer')} found"
            show_toast(f"Payments connected. {said}.")
    except AppError as refusal:
        key = "apiKey" if kind == "analytics" else "restrictedKey"
        form.take_errors(refusal if refusal.fields else InvalidRequest.of((key, refusal.message)))
        return _sources(workspace, 422, opened=kind, **{kind: form})
    return redirect_to_path("/autopilot/sources")


@wizard.post("/autopilot/sources/<any(analytics, payments):kind>/disconnect")
def disconnect(workspace: Workspace, kind: str) -> Response:
    """Delete the source and its key."""
    sources.disconnect(workspace, kind)
    show_toast(f"The {kind} source is disconnected, and its key was deleted.", "info")
    return redirect_to_path("/autopilot/sources")


@wizard.post("/autopilot/sources/site")
def verify(workspace: Workspace) -> Response:
    """Check that the website belongs to the user."""
    try_verb(lambda: sources.verify_site(workspace), "Tag found. Your website is verified.")
    return redirect_to_path("/autopilot/sources")
