"""Copy a sandbox into the live workspace created from it, by a job in batches; an owner keeps or undoes the copy."""

import time
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import documents
from app.domain.installation.go_live import copied_parts, live_workspace
from app.domain.installation.go_live.copied_parts import PARTS, Copying
from app.domain.leads import lists
from app.domain.platform import audit_log, jobs, locks
from app.models.autopilot import DocVersion, Play, Setup
from app.models.campaigns import Campaign
from app.models.leads import LeadList, NeverContact
from app.models.platform.jobs import Job
from app.models.workspaces import COPY, CopiedRow, CopyState, GoLive, User, Workspace

KIND, KEY = "sandbox_copy", "copy"
TURN_SECONDS = 5.0  # after which other jobs run
_DELETED: dict[str, Any] = {
    **{"play": Play, "never_contact": NeverContact},
    **{kind: model for kind, model, _ in copied_parts.TEMPLATES},
}


def start(live: Workspace, by: User, parts: Sequence[str]) -> GoLive:
    """Start copying these parts of the sandbox in the background; what was copied before is not copied again."""
    wanted = [part for part in PARTS if part in parts]
    if not wanted:
        raise InvalidRequest.of(("parts", "Choose what to copy."))
    with transaction():
        run, sandbox = _locked(live)
        live_workspace.require_owner(live, by)
        live_workspace.require_owner(sandbox, by)
        COPY.move(run, "start")
        run.error, run.parts, run.part, run.after = "", wanted, wanted[0], 0
        run.done, run.total, run.copied = 0, copied_parts.total(sandbox, wanted), {}
        jobs.add(live, KIND, KEY)
        audit_log.record(live, "workspace.copied", sandbox.name, after={"parts": ", ".join(wanted)}, by=by)
        return run


def copy_next(live: Workspace, payload: dict[str, Any], job: Job) -> object:
    """Copy batches until all is copied or other jobs should run."""
    turn_ends = time.monotonic() + TURN_SECONDS
    while _step(live):
        jobs.renew_lease(job)
        if time.monotonic() > turn_ends:
            return jobs.RESCHEDULE
    return None


def _step(live: Workspace) -> bool:
    """Copy one batch and store the progress in the same transaction; return whether there is more."""
    with transaction():
        run, sandbox = _locked(live)
        if run.state != CopyState.RUNNING:
            return False
        fresh = session().get_one(Workspace, live.id, with_for_update=True, populate_existing=True)
        after = PARTS[run.part](Copying(fresh, sandbox, run))
        if after is not None:
            run.after = after
            return True
        rest = run.parts[run.parts.index(run.part) + 1 :]
        run.part, run.after = (rest[0] if rest else ""), 0
        if not rest:
            COPY.move(run, "finish")
            run.copied_at, run.done = live.now(), run.total
        return bool(rest)


def fail(live: Workspace, payload: dict[str, Any], sentence: str) -> None:
    """Record why the copy stopped; it can be started again, or undone."""
    with transaction():
        run = _row(live)
        if COPY.allows(run, "fail"):
            COPY.move(run, "fail")
            run.error = sentence


def keep(live: Workspace, by: User) -> None:
    """Confirm what was copied."""
    live_workspace.require_owner(live, by)
    with transaction():
        COPY.move(_row(live), "keep")


def moves(run: GoLive) -> set[str]:
    """Return what may be done with the copy now."""
    return {name for name in COPY.moves if COPY.allows(run, name)}


def undo(live: Workspace, by: User) -> None:
    """Delete everything that was copied, as long as no campaign uses it."""
    live_workspace.require_owner(live, by)
    with locks.changing(live.id):
        run = _row(live)
        COPY.move(run, "undo")
        if session().scalar(sa.select(Campaign.id).where(Campaign.workspace_id == live.id).limit(1)) is not None:
            raise Conflict(
                "A campaign uses the copied data.", recovery="Delete individual lists, plays or entries instead."
            )
        _undo_copy(session().get_one(Workspace, live.id, with_for_update=True, populate_existing=True), run)
        run.error, run.copied, run.before = "", {}, None
        run.done = run.total = 0
        audit_log.record(live, "workspace.copy_undone", live.name, by=by)


def _undo_copy(live: Workspace, run: GoLive) -> None:
    current = session()
    for list_id in _copies(live, "list"):
        found = current.get(LeadList, list_id)
        if found is not None and found.deleted_at is None:
            lists.delete_list(live, list_id)
    for kind, model in _DELETED.items():
        mine = sa.select(CopiedRow.copy_id).where(CopiedRow.workspace_id == live.id, CopiedRow.kind == kind)
        change_rows(sa.delete(model).where(model.workspace_id == live.id, model.id.in_(mine)))
    for version_id in _copies(live, "document"):
        version = current.get(DocVersion, version_id)
        newest = documents.find(live, version.kind) if version else None
        if version and newest is version:
            current.delete(version)
    before = run.before or {}
    setup = current.scalars(sa.select(Setup).where(Setup.workspace_id == live.id)).one_or_none()
    if setup and "profile" in before and setup.profile == before["profile"][1] and not setup.started_at:
        current.delete(setup)
    for name in copied_parts.SETTINGS:
        if name in before and getattr(live, name) == before[name][1]:
            setattr(live, name, before[name][0])
    change_rows(sa.delete(CopiedRow).where(CopiedRow.workspace_id == live.id))


def _copies(live: Workspace, kind: str) -> Sequence[int]:
    query = sa.select(CopiedRow.copy_id).where(CopiedRow.workspace_id == live.id, CopiedRow.kind == kind)
    return session().scalars(query.order_by(CopiedRow.copy_id)).all()


def _row(live: Workspace) -> GoLive:
    query = sa.select(GoLive).where(GoLive.workspace_id == live.id).with_for_update()
    found = session().scalars(query.execution_options(populate_existing=True)).one_or_none()
    if found is None:
        raise Conflict("This workspace has no sandbox.")
    return found


def _locked(live: Workspace) -> tuple[GoLive, Workspace]:
    locks.lock_workspaces([live.id])
    run = _row(live)
    sandbox = session().get(Workspace, run.sandbox_id) if run.sandbox_id else None
    if sandbox is None:
        raise Conflict("The sandbox of this workspace was deleted.", recovery="Continue without a copy.")
    return run, sandbox
