"""Settings → System: how the whole installation does, for the people who run it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from flask import Blueprint, Response, current_app
from sqlalchemy.exc import SQLAlchemyError

from app import ports
from app.core import clock
from app.core.db import is_sqlite, session
from app.core.installation import VERSION
from app.domain.installation import engine_processes, engine_status, system
from app.domain.installation.engine_status import LABELS, MOST, Queue
from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import words
from app.pages.framework.base import render, unless_unchanged

area = Blueprint("system", __name__, url_prefix="/settings/system")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Line:
    """A line of the table of queues: numbers as they are shown."""

    label: str
    due: str
    late: str
    running: str
    failed: str
    lag: str
    slow: bool


@dataclass(frozen=True)
class Fact:
    """A line about the server. With `advice` it should be changed."""

    label: str
    value: str
    advice: str = ""


@area.get("")
def index(workspace: Workspace, user: User) -> Response:
    """Show the state of the installation; 304 while nothing changed."""
    server_admins.require(user)
    now = clock.now()
    queues = _try(lambda: engine_status.queues(now))
    response = render(
        "settings/system/index.html",
        part="settings/system/_state.html",
        engines=_try(engine_processes.every),
        lines=queues and [_line(queue, now) for queue in queues],
        tiles=_tiles(queues, _try(engine_status.open_intents), _try(system.database_size)),
        failures=_try(system.last_failures),
        facts=[*_versions(), *_settings(current_app.config)],
    )
    return unless_unchanged(response)


def _try(look: Callable[[], Found]) -> Found | None:
    """Return what there is to show; None when the database cannot tell: the rest of the page is shown all the same."""
    try:
        return look()
    except SQLAlchemyError:
        session().rollback()
        return None


def _line(queue: Queue, now: datetime) -> Line:
    lag = (now - queue.oldest_due_at).total_seconds() if queue.oldest_due_at else 0
    return Line(
        LABELS[queue.kind],
        due=_count(queue.due),
        late=_count(queue.late),
        running=_count(queue.running),
        failed=_count(queue.failed),
        lag=duration(lag) if queue.due else "–",
        slow=queue.late > 0,
    )


def _tiles(queues: list[Queue] | None, intents: int | None, size: int | None) -> list[dict[str, Any]]:
    late = sum(queue.late for queue in queues) if queues is not None else None
    failed = sum(queue.failed for queue in queues) if queues is not None else None
    return [
        {"label": "Late", "value": _count(late), "sub": "overdue by more than a minute"},
        {"label": "Failed", "value": _count(failed), "sub": "in the last 24 hours, or still failing"},
        {"label": "Open actions", "value": _count(intents), "sub": "started, outcome unknown"},
        {"label": "Database", "value": "–" if size is None else words.in_bytes(size), "sub": "on disk"},
    ]


def _versions() -> list[Fact]:
    backup = system.last_backup(Path(current_app.config["OVERTURE_INSTANCE"]))
    kept = f"{backup.at:%Y-%m-%d %H:%M} UTC, {words.in_bytes(backup.size)} ({backup.name})" if backup else "None found"
    return [
        Fact("Version", VERSION),
        Fact("Database", f"{'SQLite' if is_sqlite() else 'Postgres'}, revision {_try(system.revision) or 'unknown'}"),
        Fact("Last backup", kept, "" if backup else "Create a backup before you need one."),
    ]


def _settings(settings: Mapping[str, Any]) -> list[Fact]:
    """Return the settings that matter for operation; never a secret, nor an address that may hold one."""
    mail, model = ports.alert_mail.connected, _try(ports.models().current)
    metrics = [name for name in ("TOKEN", "PORT") if settings[f"OVERTURE_METRICS_{name}"]]
    return [
        Fact("Public address", settings["BASE_URL"]),
        Fact("Outgoing requests", ports.egress().sentence),
        Fact("Outgoing email", "On" if mail else "Off", "" if mail else "Set OVERTURE_MAIL_URL to send email."),
        Fact("AI model", model.name if model else "None; the built-in writer is used"),
        Fact("Error reports", "On" if settings["SENTRY_DSN"] else "Off"),
        Fact("Metrics", f"On, by {' and '.join(metrics).lower()}" if metrics else "Off"),
        Fact(
            "Rate limits",
            settings["OVERTURE_RATE_LIMIT"].capitalize(),
            "" if settings["OVERTURE_RATE_LIMIT"] == "on" else "Set OVERTURE_RATE_LIMIT=on for real use.",
        ),
        Fact(
            "Private networks",
            "Allowed for webhooks" if settings["OVERTURE_ALLOW_PRIVATE_NETWORK"] else "Refused",
            "Set OVERTURE_ALLOW_PRIVATE_NETWORK=0 for real use." if settings["OVERTURE_ALLOW_PRIVATE_NETWORK"] else "",
        ),
    ]


def _count(number: int | None) -> str:
    if number is None:
        return "–"
    return f"{number:,}{'+' if number >= MOST else ''}"


def duration(seconds: float) -> str:
    """Return a length of time in its largest unit, such as `4 min`."""
    for size, word in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size):,} {word}"
    return f"{max(int(seconds), 0)} s"
