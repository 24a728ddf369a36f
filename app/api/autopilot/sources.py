"""The autopilot's data sources, and where its alerts go."""

from dataclasses import replace
from typing import Annotated, Any

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import CHAT, TIME, among, any_one_of, case, described_as
from app.domain.autopilot import setup, source_sync, sources
from app.domain.notifications import destinations
from app.domain.rules.schedules import quiet_hours as notifications_quiet_hours
from app.domain.workspace.workspaces import Workspace

View = Any


def _key(begin: str) -> Any:
    """Describe a key that begins so."""
    return described_as(pattern=rf"^\s*{begin}[!-~]{{0,{sources.LONGEST_KEY - 8}}}\s*$")


class QuietHours(Body):
    """Hours in which no notifications are sent, in the workspace's time zone. The start and end must differ."""

    start: Annotated[str, TIME]
    """When quiet hours start, such as 22:00."""
    end: Annotated[str, TIME]
    """When quiet hours end, such as 07:00."""


class Alerts(Body):
    """Where notifications go: an email address or a chat. If omitted, `digest` and `quietHours` stay the same."""

    model_config = any_one_of(
        case("`email`, with an email address in `target`.", kind={"const": "email"}, target={"format": "email"}),
        case("`chat`, with the URL of a webhook in `target`.", kind={"const": "chat"}, target=CHAT),
    )

    kind: Annotated[str, among(*destinations.KINDS)]
    """Where notifications go."""
    target: str
    """The email address, or the URL of the chat's webhook."""
    replies: bool = False
    """True to be notified of every reply, false to be notified of positive replies only."""
    digest: Annotated[str, among(*notifications_quiet_hours.DIGESTS)] | None = None
    """Whether notifications are sent one by one or as a summary."""
    quiet_hours: QuietHours | None = None
    """The hours in which no notifications are sent; null for none."""


class AlertTiming(Body):
    """What to notify you about, and when. Fields you leave out stay the same; null removes `quietHours`."""

    replies: bool | None = None
    """True to be notified of every reply, false to be notified of positive replies only."""
    digest: Annotated[str, among(*notifications_quiet_hours.DIGESTS)] | None = None
    """Whether notifications are sent one by one or as a summary."""
    quiet_hours: QuietHours | None = None
    """The hours in which no notifications are sent; null for none."""


class Analytics(Body):
    """The API key of the analytics tool, and the project to read."""

    api_key: Annotated[str, _key("phx_")]
    """A personal API key with read-only permissions."""
    region: Annotated[str, among(*sources.REGIONS)] = "us"
    """The region in which the analytics tool stores the data."""
    project_id: Annotated[str, described_as(pattern=rf"^\s*[!-~]{{0,{sources.LONGEST_PROJECT}}}\s*$")] = ""
    """The id of the project to read; empty for the first project the key can read."""


class Payments(Body):
    """The API key of the payment provider."""

    restricted_key: Annotated[str, _key("rk_(live|test)_")]
    """A restricted API key with read-only permissions."""


@endpoint(
    "PUT",
    "/autopilot/alerts",
    scope="autopilot:write",
    body=Alerts,
    returns=resources.AutopilotSetup,
    example={"kind": "email", "target": "ada@example.com", "replies": True},
)
def set_alerts(workspace: Workspace, body: Alerts) -> View:
    """Set where notifications go; the URL of a chat webhook is stored encrypted and shown masked.

    The new destination replaces the previous destination. To check that notifications arrive, send a test notification.
    Emails require OVERTURE_MAIL_URL on the server; without it, the `problem` in the notification settings says so.
    """
    destinations.set_destination(workspace, body.kind, body.target, body.replies, _timing(workspace, body))
    return setup.view(workspace)


def _timing(workspace: Workspace, body: Alerts | AlertTiming) -> notifications_quiet_hours.Timing:
    """Return the changes to the timing of alerts in a body."""
    timing = destinations.view(workspace).timing
    if body.digest is not None:
        timing = replace(timing, digest=body.digest)
    if "quiet_hours" in body.model_fields_set:
        quiet = body.quiet_hours
        timing = replace(timing, start=quiet.start if quiet else "", end=quiet.end if quiet else "")
    return timing


@endpoint(
    "PATCH",
    "/autopilot/alerts",
    scope="autopilot:write",
    body=AlertTiming,
    returns=resources.AlertSettings,
    example={"replies": False, "quietHours": {"start": "22:00", "end": "07:00"}},
)
def change_alerts(workspace: Workspace, body: AlertTiming) -> Any:
    """Change which notifications are sent, and when; returns 409 if no destination is set."""
    kept = destinations.view(workspace).setup.alerts or {}
    replies = kept.get("replies", False) if body.replies is None else body.replies
    destinations.change(workspace, replies, _timing(workspace, body))
    return destinations.view(workspace)


@endpoint("GET", "/autopilot/alerts", scope="autopilot:read", returns=resources.AlertSettings)
def show_alerts(workspace: Workspace) -> Any:
    """Get the notification settings, and whether notifications are being delivered."""
    return destinations.view(workspace)


@endpoint(
    "POST",
    "/autopilot/alerts/test",
    scope="autopilot:write",
    returns=resources.AlertTest,
    outside=True,
    costly=True,
)
def test_alert(workspace: Workspace) -> Any:
    """Send a test notification; if it fails, the response says why.

    The notification is sent to the current destination immediately, even in quiet hours. Returns 409 if no destination
    is set.
    """
    return destinations.test(workspace)


@endpoint("GET", "/autopilot/sources", scope="sources:read", returns=resources.Sources)
def show(workspace: Workspace) -> Any:
    """List the connected data sources."""
    return sources.get(workspace)


@endpoint(
    "POST",
    "/autopilot/sources/analytics",
    scope="sources:write",
    body=Analytics,
    returns=resources.Sources,
    outside=True,
    costly=True,
    example={"apiKey": "phx_readonly", "region": "eu"},
)
def connect_analytics(workspace: Workspace, body: Analytics) -> Any:
    """Connect your analytics tool; the key is tested, stored encrypted and never returned.

    Overture only reads data. If the key does not work, the error gives the reason and nothing is stored.
    """
    return sources.connect_analytics(workspace, body.api_key, body.region, body.project_id)


@endpoint(
    "POST",
    "/autopilot/sources/payments",
    scope="sources:write",
    body=Payments,
    returns=resources.Sources,
    outside=True,
    costly=True,
    example={"restrictedKey": "rk_test_readonly"},
)
def connect_payments(workspace: Workspace, body: Payments) -> Any:
    """Connect your payment provider; its former customers become leads in a list.

    Overture only reads data. If the key does not work, the error gives the reason and nothing is stored.
    """
    return sources.connect_payments(workspace, body.restricted_key)


@endpoint("DELETE", "/autopilot/sources/analytics", scope="sources:write", returns=None)
def disconnect_analytics(workspace: Workspace) -> None:
    """Disconnect your analytics tool and delete its key.

    Data that has already been read is kept.
    """
    sources.disconnect(workspace, "analytics")


@endpoint("DELETE", "/autopilot/sources/payments", scope="sources:write", returns=None)
def disconnect_payments(workspace: Workspace) -> None:
    """Disconnect your payment provider and delete its key; the list of former customers is kept."""
    sources.disconnect(workspace, "payments")


@endpoint(
    "POST",
    "/autopilot/sources/<kind>/refresh",
    words={"kind": sources.KINDS},
    scope="sources:write",
    returns=resources.Sources,
    status=202,
)
def refresh(workspace: Workspace, kind: str) -> Any:
    """Read a data source now, in the background; `reading` is true until this is done.

    Returns 409 if the source is already being read, or if it is not connected.
    """
    source_sync.refresh(workspace, kind)
    return sources.get(workspace)


@endpoint(
    "POST",
    "/autopilot/sources/site/verify",
    scope="sources:write",
    returns=resources.Sources,
    outside=True,
    costly=True,
)
def verify_site(workspace: Workspace) -> Any:
    """Verify that the website is yours, by the tag on its home page or a TXT record of its domain.

    Returns 409 if neither is found or the website can't be read: add one of them, or try again later.
    """
    return sources.verify_site(workspace)
