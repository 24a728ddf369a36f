"""Alert settings, as a wizard step and a settings page: destination, timing and delivery problems."""

from typing import Any

from flask import Response

from app import ports
from app.core.errors import AppError, InvalidRequest
from app.domain.autopilot import setup
from app.domain.notifications import destinations
from app.domain.rules.schedules import quiet_hours
from app.domain.workspace.workspaces import User, Workspace
from app.pages.autopilot.wizard import NUMBERS, forward, open_to, show
from app.pages.autopilot.wizard import area as wizard
from app.pages.framework.base import redirect_to_path, show_toast
from app.pages.framework.forms import Form, Text, Tick


class AlertsForm(Form):
    """Alerts: the channel, which replies, how often and the quiet hours."""

    do = Text()
    kind = Text(default="email")
    email = Text(name="target.email", strip=True)
    chat = Text(name="target.chat", strip=True)
    replies = Tick()
    digest = Text(default="immediately")
    quiet_start = Text(name="quietHours.start")
    quiet_end = Text(name="quietHours.end")

    @property
    def target(self) -> Any:
        """Return the field of the chosen channel."""
        return self.chat if self.kind.data == "chat" else self.email

    @property
    def timing(self) -> quiet_hours.Timing:
        """Return frequency and quiet hours, as the verb takes them."""
        return quiet_hours.Timing(self.digest.data, self.quiet_start.data, self.quiet_end.data)


def _page(workspace: Workspace, user: User, sent: AlertsForm | None = None) -> Response:
    view = setup.view(workspace)
    if open_to(view) < NUMBERS["plays"]:
        return redirect_to_path("/autopilot")
    alerts = destinations.view(workspace)
    return show(
        workspace,
        "alerts",
        view,
        422 if sent else 200,
        zone=workspace.timezone,
        form=sent or _kept(user, alerts),
        alerts=alerts,
        digests=quiet_hours.DIGESTS,
        has_mail=ports.alert_mail.connected,
    )


def _kept(user: User, alerts: destinations.View) -> AlertsForm:
    """Return the form with the saved settings."""
    kept, timing = alerts.setup.alerts or {}, alerts.timing
    kind = kept.get("kind", "")
    return AlertsForm.of(
        kind=kind if kind in ("email", "chat") else "email",
        email=kept["target"] if kind == "email" else user.email,
        chat=kept["target"] if kind == "chat" else "",
        replies=kept.get("replies", False),
        digest=timing.digest,
        quiet_start=timing.start,
        quiet_end=timing.end,
    )


@wizard.get("/autopilot/alerts")
def where(workspace: Workspace, user: User) -> Response:
    return _page(workspace, user)


@wizard.post("/autopilot/alerts")
def put(workspace: Workspace, user: User) -> Response:
    """Save the alert settings; with `do=test`, send a test alert."""
    form = AlertsForm.posted()
    kind, target, replies, timing = form.kind.data, form.target.data, form.replies.data, form.timing
    kept = destinations.view(workspace).setup.alerts
    skips = not target and not (kept and kept["kind"] == "chat") and not ports.alert_mail.connected
    if skips and form.do.data != "test":
        return forward(workspace, "alerts")
    unchanged = kept and kept["kind"] == kind and target in ("" if kind == "chat" else kept["target"], kept["target"])
    try:
        if unchanged:  # a chat's address is never shown, so leaving it keeps it
            destinations.change(workspace, replies, timing)
        else:
            destinations.set_destination(workspace, kind, target, replies, timing)
        if form.do.data == "test":
            sent = destinations.test(workspace)
            show_toast(sent.sentence, "ok" if sent.delivered else "danger" if sent.broken else "warn")
            return redirect_to_path("/autopilot/alerts")
    except AppError as refusal:
        problems = [(field.path, field.message) for field in refusal.fields] or [("target", refusal.message)]
        named = [(form.target.name if path == "target" else path, sentence) for path, sentence in problems]
        return _page(workspace, user, form.take_errors(InvalidRequest.of(*named)))
    return forward(workspace, "alerts")
