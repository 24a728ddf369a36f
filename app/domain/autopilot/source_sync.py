"""Sync a source page by page: when it is connected, once a day, and on request.

The progress is stored with the source, so a crash loses at most a page, and reading a page again changes nothing. A
failure is stored too and retried the next day; campaigns continue with the people already found.
"""

import time
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import claims, clock
from app.core.crypto import keyring
from app.core.db import end_read, session, transaction
from app.core.errors import AppError, Conflict, NotFound
from app.domain.autopilot import source_people
from app.domain.platform import jobs, locks, secret_rotation
from app.models.autopilot import SourceConnection
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import Port, ProviderError

EVERY = timedelta(days=1)
FIRST_LOOK, OVERLAP = timedelta(days=30), timedelta(days=2)  # how far back the first sync and a later one read visitors
STAGES = {"analytics": ("visitors",), "payments": ("current", "former")}
MOST_READ = 500_000  # people, in case a provider's pages never end
LONGEST_TURN, LONGEST_WAIT = 10.0, 3600  # seconds: before other jobs run; the longest wait that a provider may ask for
AT_ONCE = 5.0  # seconds that the user waits while connecting a source
LOST = "The key was encrypted with an old SECRET_KEY. Connect the source again."
KIND = "source_refresh"


def port(workspace: Workspace, kind: str) -> Port[Any]:
    """Return the adapter for sources of that kind."""
    if kind == "analytics":
        return ports.sandbox_analytics if workspace.sandbox else ports.analytics
    return ports.sandbox_payments if workspace.sandbox else ports.payments


def begin(workspace: Workspace, source: SourceConnection) -> None:
    """Start a full sync of the source. Inside a transaction that locks the workspace."""
    source.run += 1
    source.stage, source.after, source.read = STAGES[source.kind][0], "", 0
    source.begun_at, source.due_at = workspace.now(), clock.now() + EVERY
    source.failed_at, source.failure = None, ""
    jobs.add(workspace, KIND, f"{source.kind}:{source.run}", {"kind": source.kind, "run": source.run})


def refresh(workspace: Workspace, kind: str) -> None:
    """Start reading a source on request."""
    with transaction():
        source = _locked(workspace, kind)
        if source is None:
            raise NotFound(f"No {kind} source is connected.", recovery="Connect the source first.")
        if source.stage:
            raise Conflict(f"The {kind} source is already being read.", recovery="Wait until the source has been read.")
        begin(workspace, source)


_SOURCES: Any = SourceConnection.__table__
_DUE = claims.share_fairly(
    _SOURCES.c.id,
    _SOURCES.c.workspace_id,
    _SOURCES.c.due_at,
    _SOURCES.c.due_at <= sa.bindparam("at", type_=_SOURCES.c.due_at.type),
    _SOURCES.c.stage == "",
)


def due(most: int, busy: claims.Busy = claims.NONE_BUSY) -> list[claims.Due]:
    """Return sources not read for a day."""
    return claims.due_units(_DUE, most, busy, at=clock.now())


def run(source_id: int) -> int:
    """Start the sync of one source; return 1 if it was due. A job reads its pages."""
    with transaction() as current:
        found = current.get(SourceConnection, source_id)
        source = _locked(current.get_one(Workspace, found.workspace_id), found.kind) if found else None
        if source is None or source.stage or not source.due_at or source.due_at > clock.now():
            return 0
        begin(current.get_one(Workspace, source.workspace_id), source)
        return 1


def bound_to(source: SourceConnection) -> str:
    """Return the associated data of a source's encrypted key."""
    return secret_rotation.associated_data(SourceConnection.sealed, id=source.id, workspace_id=source.workspace_id)


def unseal(source: SourceConnection) -> str:
    """Decrypt a source's key for its adapter."""
    return keyring().unseal(source.sealed or b"", bound_to(source)).decode()


def _locked(workspace: Workspace, kind: str) -> SourceConnection | None:
    locks.lock_workspaces([workspace.id])
    return _find(workspace, kind, lock=True)


def _find(workspace: Workspace, kind: str, *, lock: bool = False) -> SourceConnection | None:
    query = sa.select(SourceConnection).where(
        SourceConnection.workspace_id == workspace.id, SourceConnection.kind == kind
    )
    query = query.with_for_update() if lock else query
    return session().scalars(query.execution_options(populate_existing=True)).one_or_none()


def read_some(workspace: Workspace, kind: str) -> None:
    """Sync for a few seconds; the job does the rest and retries failures."""
    until, source = time.monotonic() + AT_ONCE, _find(workspace, kind)
    with suppress(ProviderError, AppError):
        while source is not None and _read_page(workspace, kind, source.run) and time.monotonic() < until:
            pass


def sync(workspace: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Sync the source to its end, or record why that failed."""
    until = time.monotonic() + LONGEST_TURN
    try:
        while _read_page(workspace, payload["kind"], payload["run"]):
            jobs.renew_lease(job)
            if time.monotonic() > until:
                return jobs.RESCHEDULE
    except (ports.Refused, ports.LoggedOut) as refusal:
        _note(workspace, payload, refusal.sentence, rest=True)
    except ports.Throttled as wait:
        _note(workspace, payload, wait.sentence)
        return timedelta(seconds=min(max(wait.retry_after, 1), LONGEST_WAIT))
    except ProviderError as failure:
        _note(workspace, payload, failure.sentence)
        raise
    return None


def _read_page(workspace: Workspace, kind: str, run: int) -> bool:
    """Read the next page and store its people; return whether there is more. Calls out."""
    source = _find(workspace, kind)
    if source is None or source.run != run or not source.stage:
        return False
    try:
        key = unseal(source)
    except ValueError:
        raise ports.LoggedOut(LOST) from None
    adapter, stage, after = port(workspace, kind)(), source.stage, source.after
    region, project, since = source.region, source.project_id, _since(source)
    end_read()
    if stage == "visitors":
        page = adapter.visitors(key, region, project, workspace.sandbox_seed, since, after)
        people = page.visitors
    else:
        page = adapter.customers(key, workspace.sandbox_seed, stage == "former", after)
        people = page.customers
    with transaction():
        source = _locked(workspace, kind)
        if source is None or source.run != run:
            return False
        if (source.stage, source.after) != (stage, after):  # another worker has read this page
            return source.stage != ""
        source_people.TAKE[stage](workspace, source, people)
        source.read, source.after = source.read + len(people), page.after
        source.failed_at, source.failure = None, ""
        if not page.after or source.read >= MOST_READ:
            _end_stage(workspace, source)
        return source.stage != ""


def _since(source: SourceConnection) -> datetime:
    begun = source.begun_at or source.created_at
    return max(source.refreshed_at - OVERLAP, begun - 3 * FIRST_LOOK) if source.refreshed_at else begun - FIRST_LOOK


def _end_stage(workspace: Workspace, source: SourceConnection) -> None:
    """Start the next stage, or finish the sync. Inside a transaction."""
    if source.stage in source_people.END:
        source_people.END[source.stage](workspace, source)
    stages = STAGES[source.kind]
    at = stages.index(source.stage) + 1
    source.stage, source.after = stages[at] if at < len(stages) else "", ""
    if not source.stage:
        source.refreshed_at = source.checked_at = workspace.now()


def trouble(workspace: Workspace, kind: str, ask: bool) -> str:
    """Return why the source cannot be read, or ''; with `ask`, test its key, which calls out."""
    source = _find(workspace, kind)
    if source is None or not ask:
        return source.failure if source else ""
    adapter, where = port(workspace, kind)(), (source.region, source.project_id) if kind == "analytics" else ()
    try:
        key = unseal(source)
        end_read()
        adapter.check(key, *where)
    except ValueError:
        return LOST
    except ProviderError as failure:
        return failure.sentence
    return ""


def fail_sync(workspace: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Record why the sync failed repeatedly; the next one starts tomorrow."""
    _note(workspace, payload, sentence, rest=True)


def _note(workspace: Workspace, payload: dict[str, Any], sentence: str, *, rest: bool = False) -> None:
    """Record the failure with the source and schedule a retry; with `rest`, not before tomorrow."""
    with transaction():
        source = _locked(workspace, payload["kind"])
        if source is not None and source.run == payload["run"] and source.stage:
            source.failed_at, source.failure = workspace.now(), sentence
            if rest:
                source.stage, source.after = "", ""
