"""What server admins see of the installation: the latest failures, the size of the database and the last backup."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa

from app.core.db import is_sqlite, session
from app.domain.installation import backup
from app.models.autopilot import SourceConnection
from app.models.ledger import Action, ActionState
from app.models.platform.jobs import Job, JobState
from app.models.platform.services import ServiceLogin
from app.models.webhooks import Delivery, DeliveryState, Webhook
from app.models.workspaces import Workspace

MOST = 5  # failures of each sort
_REAL_TIME = Workspace.clock_offset == 0
_PAGES = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that failed permanently or is failing now: the workspace, what failed, and why."""

    at: datetime
    workspace_id: int
    workspace: str
    about: str  # job, delivery, action, service or source
    what: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that lies in the instance folder."""

    at: datetime
    name: str
    size: int  # bytes


def last_failures() -> list[Failure]:
    """Return the latest failures of each sort, newest first. Of a webhook only the host is named.

    Failures dated by the moved clock of a sandbox are left out.
    """
    found = [failure for look in _LOOKS for failure in look()]
    return sorted(found, key=lambda failure: failure.at, reverse=True)


def database_size() -> int:
    """Return the bytes the database takes."""
    size = sa.text(_PAGES) if is_sqlite() else sa.select(sa.func.pg_database_size(sa.func.current_database()))
    return int(session().scalar(size) or 0)


def revision() -> str:
    """Return the schema's revision."""
    return str(session().scalar(sa.text("SELECT version_num FROM alembic_version")) or "")


def last_backup(instance: Path) -> Backup | None:
    """Return the newest backup in the instance folder; None without one."""
    newest = next(iter(backup.made(instance / "backups")), None)
    return Backup(backup.made_at(newest), newest.name, newest.stat().st_size) if newest else None


def _of_jobs() -> Sequence[Failure]:
    query = sa.select(Job.done_at, Job.workspace_id, Workspace.name, Job.kind, Job.error)
    return _newest("job", query, Job, Job.done_at, JobState.FAILED)


def _of_actions() -> Sequence[Failure]:
    query = sa.select(Action.settled_at, Action.workspace_id, Workspace.name, Action.kind, Action.error).where(
        _REAL_TIME
    )
    return _newest("action", query, Action, Action.settled_at, ActionState.FAILED)


def _of_deliveries() -> Sequence[Failure]:
    status = sa.literal("The endpoint responded with ") + sa.cast(Delivery.last_status, sa.Text) + "."
    sentence = sa.case((Delivery.last_error != "", Delivery.last_error), else_=sa.func.coalesce(status, ""))
    query = sa.select(Delivery.done_at, Delivery.workspace_id, Workspace.name, Webhook.url, sentence)
    query = query.join(Webhook, Webhook.id == Delivery.webhook_id)
    return _newest("delivery", query, Delivery, Delivery.done_at, DeliveryState.FAILED, _host)


def _of_services() -> Sequence[Failure]:
    query = sa.select(
        ServiceLogin.failed_at, ServiceLogin.workspace_id, Workspace.name, ServiceLogin.service, ServiceLogin.failure
    ).where(ServiceLogin.failure != "", _REAL_TIME)
    return _newest("service", query, ServiceLogin, ServiceLogin.failed_at)


def _of_sources() -> Sequence[Failure]:
    source = SourceConnection
    query = sa.select(source.failed_at, source.workspace_id, Workspace.name, source.kind, source.failure)
    return _newest("source", query, source, source.failed_at)


def _newest(
    about: str,
    query: sa.Select[*tuple[Any, ...]],
    model: Any,
    moment: Any,
    state: str = "",
    called: Callable[[str], str] = lambda what: what.replace("_", " ").capitalize(),
) -> Sequence[Failure]:
    """Return the newest rows; `state` is a literal, so that the partial index of failures is used."""
    query = query.join(Workspace, Workspace.id == model.workspace_id).where(moment.is_not(None))
    if state:
        query = query.where(model.state == sa.literal_column(f"'{state}'"))
    rows = session().execute(query.order_by(moment.desc()).limit(MOST)).all()
    return [
        Failure(at, workspace_id, name, about, called(what), sentence)
        for at, workspace_id, name, what, sentence in rows
    ]


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


_LOOKS = (_of_jobs, _of_actions, _of_deliveries, _of_services, _of_sources)
