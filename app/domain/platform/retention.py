"""Retention: how long a workspace keeps what is there to look back at. Owners choose; upkeep deletes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import in_list, session, transaction
from app.core.errors import InvalidRequest
from app.domain.platform import audit_log
from app.models.workspaces import Workspace

FOREVER = 0


@dataclass(frozen=True)
class Kept:
    """How long something is kept: `usual` and `choices` are days, FOREVER as long as the workspace exists."""

    title: str
    what: str
    usual: int
    choices: tuple[int, ...]


KINDS = {
    "requests": Kept("API requests", "Requests to /v1 and the responses.", 7, (1, 7, 30, 90)),
    "deliveries": Kept("Webhook deliveries", "Each attempt, and your server's response.", 30, (7, 30, 90)),
    # At least the longest time of deliveries: a delivery's body is the content of its event.
    "payloads": Kept(
        "Event contents", "Names, addresses and messages in events. Statistics stay.", FOREVER, (90, 180, 365, FOREVER)
    ),
}


def days(workspace: Workspace, kind: str) -> int:
    """Return for how many days the workspace keeps data of that kind."""
    return int((workspace.retention or {}).get(kind, KINDS[kind].usual))


def all_days(workspace: Workspace) -> dict[str, int]:
    """Return the days of every kind."""
    return {kind: days(workspace, kind) for kind in KINDS}


def change(workspace: Workspace, chosen: Mapping[str, int]) -> Workspace:
    """Set for how many days things are kept; those left out stay. Only what differs from the usual is stored."""
    wrong = [
        (kind, f"Choose one of {', '.join(map(say, KINDS[kind].choices))}.")
        for kind, number in chosen.items()
        if number not in KINDS[kind].choices
    ]
    InvalidRequest.raise_for(wrong)
    with transaction() as current:
        found = current.get_one(Workspace, workspace.id, with_for_update=True, populate_existing=True)
        before = all_days(found)
        after = before | dict(chosen)
        if after != before:
            found.retention = {kind: after[kind] for kind in KINDS if after[kind] != KINDS[kind].usual} or None
            audit_log.record(
                found, "workspace.retention", found.name, before=_for_audit_log(before), after=_for_audit_log(after)
            )
        return found


def say(number: int) -> str:
    """Return a number of days as people read it."""
    if number == FOREVER:
        return "until you delete the workspace"
    return "1 day" if number == 1 else f"{number} days"


def _for_audit_log(chosen: Mapping[str, int]) -> dict[str, str]:
    return {kind: say(number) for kind, number in chosen.items()}


def workspaces_with(kind: str) -> dict[int, int]:
    """Return the workspaces that keep data of that kind for an unusual time, and for how many days."""
    query = sa.select(Workspace.id, Workspace.retention).where(Workspace.retention.is_not(None))
    chosen = session().execute(query.order_by(Workspace.id)).all()
    return {row.id: int(row.retention[kind]) for row in chosen if kind in row.retention}


def groups(kind: str, workspace_id: Any) -> list[tuple[sa.ColumnElement[bool], datetime]]:
    """Return, for each time that is kept, which rows are kept that long, and before when such a row is too old."""
    different = workspaces_with(kind)
    others = sa.not_(in_list(workspace_id, list(different))) if different else sa.true()
    found = [(others, KINDS[kind].usual)]
    for number in sorted(set(different.values())):
        found.append((in_list(workspace_id, [one for one, kept in different.items() if kept == number]), number))
    return [(whose, clock.now() - timedelta(days=number)) for whose, number in found if number != FOREVER]
