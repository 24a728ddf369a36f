"""The wizard's optional step: data sources."""

from typing import Any

from flask import Response, request

from app.core.errors import AppError
from app.domain.autopilot import setup, sources
from app.domain.workspaces import Workspace
from app.pages.autopilot import NUMBERS, ROLES, forward, open_to, show
from app.pages.autopilot import area as wizard
from app.pages.base import errors_of, redirect_to_path, signed_in, tell


def _sources(workspace: Workspace, status: int = 200, **context: Any) -> Response:
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["plays"]:
        return redirect_to_path("/autopilot")
    return show(workspace, "sources", view, status, sources=sources.get(workspace), **context)


@wizard.get("/autopilot/sources")
@signed_in
def connections(workspace: Workspace) -> Response:
    """Analytics, payments and the site's own mark; all of it can wait."""
    return _sources(workspace)


@wizard.post("/autopilot/sources")
@signed_in(roles=ROLES)
def go_on(workspace: Workspace) -> Response:
    """On to the next step, with or without sources."""
    return forward(workspace, "sources")


@wizard.post("/autopilot/sources/<any(analytics, payments):kind>")
@signed_in(roles=())
def connect(workspace: Workspace, kind: str) -> Response:
    """The source is connected once its key has been tried."""
    form = request.form
    try:
        if kind == "analytics":
            region, project = form.get("region", "us"), form.get("projectId", "")
            sources.connect_analytics(workspace, form.get("apiKey", ""), region, project)
            tell("Analytics is connected. Its visitors become a play.")
        else:
            found = sources.connect_payments(workspace, form.get("restrictedKey", ""))
            count = (found.payments.former_customers if found.payments else 0) or 0
            tell(f"Payments are connected: {count:,} former customers are in a list of their own.")
    except AppError as refusal:
        errors = errors_of(refusal) or {"apiKey" if kind == "analytics" else "restrictedKey": refusal.message}
        return _sources(workspace, 422, errors=errors, opened=kind)
    return redirect_to_path("/autopilot/sources")


@wizard.post("/autopilot/sources/<any(analytics, payments):kind>/disconnect")
@signed_in(roles=())
def disconnect(workspace: Workspace, kind: str) -> Response:
    """The source and its secret are gone."""
    sources.disconnect(workspace, kind)
    tell(f"The {kind} source is disconnected and its key is deleted.", "info")
    return redirect_to_path("/autopilot/sources")


@wizard.post("/autopilot/sources/site")
@signed_in(roles=ROLES)
def verify(workspace: Workspace) -> Response:
    """The website is proven to be ours."""
    try:
        sources.verify_site(workspace)
        tell("The mark was found. The website is yours.")
    except AppError as refusal:
        tell(f"{refusal.message} {refusal.recovery or ''}".strip(), "warn")
    return redirect_to_path("/autopilot/sources")
