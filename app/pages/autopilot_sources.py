"""The wizard's optional steps: data sources, and where alerts go."""

from typing import Any

from flask import Response, request

from app.core.errors import AppError
from app.domain.autopilot import alerts, setup, sources
from app.domain.workspaces import User, Workspace
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


def _alerts(workspace: Workspace, user: User, status: int = 200, **context: Any) -> Response:
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["plays"]:
        return redirect_to_path("/autopilot")
    return show(workspace, "alerts", view, status, **({"values": {}, "address": user.email} | context))


@wizard.get("/autopilot/alerts")
@signed_in
def where(workspace: Workspace, user: User) -> Response:
    """Where alerts go."""
    return _alerts(workspace, user)


@wizard.post("/autopilot/alerts")
@signed_in(roles=ROLES)
def put(workspace: Workspace, user: User) -> Response:
    """Alerts go there from now on; with `do=test`, one is sent at once."""
    form = request.form
    kind, replies = form.get("kind", "email"), "replies" in form
    target = form.get(f"target.{kind}", "")
    kept = setup.view(workspace).setup.alerts
    same = kept and kept["kind"] == kind == "chat" and target in ("", kept["target"])
    try:
        if same and kept:
            alerts.put_replies(workspace, replies)  # its address is never shown, so leaving it keeps it
        else:
            alerts.put(workspace, kind, target, replies)
        if form.get("do") == "test":
            sent = alerts.test(workspace)
            tell(sent.sentence, "ok" if sent.delivered else "warn")
            return redirect_to_path("/autopilot/alerts")
    except AppError as refusal:
        values = {"kind": kind, "target": target, "replies": replies}
        return _alerts(workspace, user, 422, errors=errors_of(refusal) or {"target": refusal.message}, values=values)
    return forward(workspace, "alerts")
