"""Remove people from a list, with undo: those in no campaign are only hidden for a while."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.crypto import random_base62
from app.core.db import in_list, session, transaction
from app.core.errors import Conflict
from app.domain.billing import plans
from app.domain.leads import leads, lists
from app.domain.people import people
from app.domain.platform import jobs, locks
from app.models.campaigns import CampaignLead
from app.models.leads import Lead
from app.models.people import Person
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace

WAY_BACK = timedelta(minutes=10)
KIND = "forget_removed"
_SILENT = {"synchronize_session": False}


def remove(workspace: Workspace, list_id: int, lead_ids: Sequence[int]) -> tuple[int, str]:
    """Remove leads from the list; return how many, and the name for an undo.

    Those in a campaign stay there; the others are hidden, and deleted when the undo expires.
    """
    with transaction() as current:
        into = lists.get_list(workspace, list_id, lock=True)
        chosen = sa.select(Lead.id).where(Lead.list_id == list_id, in_list(Lead.id, leads.valid_ids(lead_ids)))
        removed = set(current.scalars(chosen))
        if not removed:
            return 0, ""
        members = sa.select(CampaignLead.lead_id).where(in_list(CampaignLead.lead_id, removed))
        enrolled = sorted(set(current.scalars(members)))
        hidden = sorted(removed - set(enrolled))
        _move(enrolled, list_id=None)
        _move(hidden, list_id=None, deleted_at=workspace.now())
        into.lead_count -= len(removed)
        name = random_base62(20)
        jobs.add(workspace, KIND, name, {"list": list_id, "enrolled": enrolled, "hidden": hidden}, after=WAY_BACK)
        return len(removed), name


def restore(workspace: Workspace, list_id: int, name: str) -> int:
    """Restore the leads removed under that name; return how many. Leads that were added again stay unchanged.

    Raise Conflict when it was done already, or is too long ago.
    """
    with transaction() as current:
        into = lists.get_list(workspace, list_id, lock=True)
        job = jobs.waiting(workspace, KIND, name)
        if job is None or job.payload["list"] != list_id:
            raise Conflict(
                "It's too late to undo this.", recovery="Add these people to the list again if you want them."
            )
        back = _missing(workspace, list_id, job.payload)
        plans.check(workspace, "leads", len(back))
        _move(back, list_id=list_id, deleted_at=None)
        into.lead_count += len(back)
        _forget(job.payload["hidden"])
        current.delete(job)
        return len(back)


def _missing(workspace: Workspace, list_id: int, removed: dict[str, Any]) -> Sequence[int]:
    """Return the removed leads that can be restored: not erased, deleted or added again."""
    there = sa.select(Lead.person_id).where(Lead.list_id == list_id)
    query = (
        sa.select(Lead.id)
        .join(Lead.person)
        .where(
            Lead.workspace_id == workspace.id,
            Lead.list_id.is_(None),
            Lead.person_id.not_in(there),
            Person.erased_at.is_(None),
            sa.or_(
                sa.and_(in_list(Lead.id, removed["hidden"]), Lead.deleted_at.is_not(None)),
                sa.and_(in_list(Lead.id, removed["enrolled"]), Lead.deleted_at.is_(None)),
            ),
        )
    )
    return session().scalars(query.order_by(Lead.id)).all()


def _move(lead_ids: Sequence[int], **columns: Any) -> None:
    moved = sa.update(Lead).where(in_list(Lead.id, lead_ids)).values(**columns)
    session().execute(moved.execution_options(**_SILENT))


def end_undo(workspace: Workspace, payload: dict[str, Any], job: Job) -> timedelta | None:
    """Delete removed people whose undo period has ended."""
    until = payload.get("until")  # said by rows of a version whose jobs were all due at once
    if until and (left := datetime.fromisoformat(until) - clock.now()) > timedelta(0):
        return left
    with transaction():
        locks.lock_workspaces([workspace.id])
        _forget(payload["hidden"])
    return None


def _forget(hidden: Sequence[int]) -> None:
    """Delete the hidden leads that are still hidden."""
    in_campaign = sa.exists().where(CampaignLead.lead_id == Lead.id)
    still = (in_list(Lead.id, hidden), Lead.list_id.is_(None), Lead.deleted_at.is_not(None), ~in_campaign)
    gone = sa.delete(Lead).where(*still).returning(Lead.person_id)
    people.discard_unplaced(session().scalars(gone.execution_options(**_SILENT)).all())
