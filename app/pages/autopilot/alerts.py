"""The wizard's step about alerts, which is their page in the settings too: where they go, when, and if they arrive."""

from typing import Any

from flask import Response, request

from app.core.errors import AppError
from app.domain.autopilot import setup
from app.domain.notifications import destinations, quiet_hours
from app.domain.workspace.workspaces import User, Workspace
from app.pages.autopilot.wizard import NUMBERS, ROLES, forward, open_to, show
from app.pages.autopilot.wizard import area as wizard
from app.pages.framework.base import errors_of, redirect_to_path, show_toast, signed_in


def _page(workspace: Workspace, user: User, status: int = 200, **context: Any) -> Response:
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["plays"]:
        return redirect_to_path("/autopilot")
    shown = {
        "values": {},
        "address": user.email,
        "alerts": destinations.view(workspace),
        "digests": quiet_hours.DIGESTS,
    }
    return show(workspace, "alerts", view, status, zone=workspace.timezone, **(shown | context))


@wizard.get("/autopilot/alerts")
@signed_in
def where(workspace: Workspace, user: User) -> Response:
    """Where alerts go."""
    return _page(workspace, user)


@wizard.post("/autopilot/alerts")
@signed_in(roles=ROLES)
def put(workspace: Workspace, user: User) -> Response:
    """Alerts go there from now on; with `do=test`, one is sent at once."""
    form = request.form
    kind, replies = form.get("kind", "email"), "replies" in form
    target = form.get(f"target.{kind}", "").strip()
    timing = quiet_hours.Timing(
        form.get("digest", "immediately"), form.get("quietHours.start", ""), form.get("quietHours.end", "")
    )
    kept = destinations.view(workspace).setup.alerts
    unchanged = kept and kept["kind"] == kind and target in ("" if kind == "chat" else kept["target"], kept["target"])
    try:
        if unchanged:  # a chat's address is never shown, so leaving it keeps it
            destinations.change(workspace, replies, timing)
        else:
            destinations.set_destination(workspace, kind, target, replies, timing)
        if form.get("do") == "test":
            sent = destinations.test(workspace)
            show_toast(sent.sentence, "ok" if sent.delivered else "danger" if sent.broken else "warn")
            return redirect_to_path("/autopilot/alerts")
    except AppError as refusal:
        values = {"kind": kind, "target": target, "replies": replies, "timing": timing}
        return _page(workspace, user, 422, errors=errors_of(refusal) or {"target": refusal.message}, values=values)
    return forward(workspace, "alerts")
