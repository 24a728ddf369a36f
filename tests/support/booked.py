"""Services at which meetings are booked: they call us as theirs do, with real signatures."""

import hashlib
import hmac
import json
from typing import Any

from werkzeug.test import TestResponse

from app.core import clock
from app.core.db import end_read, session, transaction
from app.domain.platform import services
from app.models.workspaces import Workspace
from tests.support.clients import Client

SECRET = "a secret of our own choosing".replace(" ", "-")
Json = dict[str, Any]


def connect(workspace: Workspace, service: str, secret: str = SECRET) -> None:
    """The workspace takes meetings of the service, also if it is a sandbox."""
    sandbox = workspace.sandbox
    _set_sandbox(workspace, False)
    services.connect(session().get_one(Workspace, workspace.id), service, {"secret": secret})
    _set_sandbox(workspace, sandbox)
    end_read()


def _set_sandbox(workspace: Workspace, value: bool) -> None:
    with transaction() as current:
        current.get_one(Workspace, workspace.id, populate_existing=True).sandbox = value


def cal(trigger: str, uid: str, email: str = "ada@example.com", **more: Any) -> Json:
    about = {
        "type": "30min",
        "title": "30 minutes between Ines and Ada",
        "startTime": "2026-03-20T09:00:00Z",
        "endTime": "2026-03-20T09:30:00Z",
        "uid": uid,
        "organizer": {"name": "Ines", "email": "ines@acme.example"},
        "attendees": [{"name": "Ada Example", "email": email, "timeZone": "Europe/Berlin"}],
        "responses": {"email": {"label": "email_address", "value": email}},
        "metadata": {},
        **more,
    }
    return {"triggerEvent": trigger, "createdAt": "2026-03-02T09:30:00.538Z", "payload": about}


def calendly(event: str, invitee: str, email: str = "ada@example.com", **more: Any) -> Json:
    here = "https://api.calendly.com/scheduled_events"
    about = {
        "uri": f"{here}/E{invitee}/invitees/{invitee}",
        "email": email,
        "name": "Ada Example",
        "rescheduled": False,
        "old_invitee": None,
        "new_invitee": None,
        "tracking": {"utm_source": None, "utm_term": None},
        "scheduled_event": {
            "uri": f"{here}/E{invitee}",
            "name": "30 Minute Meeting",
            "start_time": "2026-03-20T09:00:00.000000Z",
            "end_time": "2026-03-20T09:30:00.000000Z",
        },
        **more,
    }
    return {"event": event, "created_at": "2026-03-02T09:30:00.000000Z", "payload": about}


def invitee(name: str) -> str:
    return f"https://api.calendly.com/scheduled_events/E{name}/invitees/{name}"


def signed(service: str, body: bytes, secret: str = SECRET, at: float | None = None) -> dict[str, str]:
    if service == "cal":
        return {"X-Cal-Signature-256": hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}
    moment = int(clock.now().timestamp() if at is None else at)
    mark = hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Calendly-Webhook-Signature": f"t={moment},v1={mark}"}


def call(
    client: Client, workspace: Workspace, told: Json | bytes, service: str = "cal", **headers: str
) -> TestResponse:
    """The service calls us; `headers` take the place of its own."""
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    path = f"/hooks/meetings/{service}/{workspace.id}"
    return client.post(path, data=body, headers=headers or signed(service, body), content_type="application/json")
