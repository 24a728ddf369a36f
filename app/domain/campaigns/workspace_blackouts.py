"""Blackout dates of a workspace: days on which none of its campaigns does anything."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.platform import audit_log, locks
from app.domain.rules.schedules import day_ranges
from app.domain.senders import held_people, wake
from app.models.accounts import Account
from app.models.workspaces import Workspace

Blackout = Mapping[str, Any]


def replace(workspace: Workspace, blackouts: Sequence[Blackout], path: str = "blackouts") -> Sequence[Blackout]:
    """Set the blackout dates, each {name, firstDay, lastDay}; they hold at once, for campaigns that run too."""
    kept, wrong = day_ranges.check(blackouts, path, named=True)
    InvalidRequest.raise_for(wrong)
    with locks.changing(workspace.id) as current:
        stored = session().get_one(Workspace, workspace.id, populate_existing=True)
        before = stored.blackouts or []
        if kept != before:
            stored.blackouts = kept or None
            current.flush()
            audit_log.record(
                stored,
                "workspace.blackouts",
                before={"dates": _for_audit_log(before)},
                after={"dates": _for_audit_log(kept)},
            )
            at = workspace.now()
            held_people.look_again(workspace.id, at)
            wake.wake_senders(current.scalars(sa.select(Account.id).where(Account.workspace_id == workspace.id)), at)
        return kept


def add(workspace: Workspace, blackout: Blackout) -> None:
    """Add blackout dates."""
    former = workspace.blackouts or []
    try:
        replace(workspace, [*former, {**blackout, "lastDay": blackout["lastDay"] or blackout["firstDay"]}], "")
    except InvalidRequest as refusal:
        paths = [(field.path.removeprefix(f"[{len(former)}]."), field.message) for field in refusal.fields]
        raise InvalidRequest.of(*((path or "name", said) for path, said in paths)) from None


def remove(workspace: Workspace, first: str, name: str) -> None:
    """Remove the blackout dates of that first day and name, if there are any."""
    replace(workspace, [one for one in workspace.blackouts or [] if (one["firstDay"], one["name"]) != (first, name)])


def _for_audit_log(blackouts: Sequence[Blackout]) -> str:
    return "; ".join(f"{one['name']} {one['firstDay']} to {one['lastDay']}" for one in blackouts)
