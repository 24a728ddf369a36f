"""Open tasks of campaigns: steps that members do by hand.

In the ledger such a step has begun when its task is made; what became of it is known when a member decides the task.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from app.core.db import change_rows
from app.domain.rules.sequences import conditions
from app.models.campaigns import CampaignLead
from app.models.ledger import Action, ActionState
from app.models.tasks import Task, TaskKind

NEVER_ASKED = datetime(2200, 1, 1, tzinfo=UTC)  # when the outcome would be looked up: never, as no provider knows it
KIND = "task"
EXPIRED = "Not done in time. The sequence continued."  # the outcome of an expired task


def new(row: Any, step: Mapping[str, Any], text: str, at: datetime) -> Task:
    """Return the task of that step for a campaign lead; after `continueAfter` the sequence goes on without it."""
    wait = step.get("continueAfter")
    return Task(
        workspace_id=row.workspace_id,
        person_id=row.person_id,
        campaign_lead_id=row.id,
        kind=TaskKind.TO_DO,
        task_type=step["taskType"],
        text=text,
        due_at=at,
        created_at=at,
        continues_at=at + conditions.length(wait) if wait else None,
    )


def drop(*where: sa.ColumnElement[bool]) -> None:
    """Delete the open tasks of these campaign leads, who are no longer to be contacted. Inside a transaction.

    The step had no effect, so that it can be done when their way is opened again.
    """
    theirs = sa.select(CampaignLead.id).where(*where)
    change_rows(sa.delete(Task).where(Task.campaign_lead_id.in_(theirs), Task.done_at.is_(None)))
    undone = (
        sa.update(Action)
        .where(Action.campaign_lead_id.in_(theirs), Action.kind == KIND, Action.check_at.is_not(None))
        .values(state=ActionState.AGAIN, check_at=None)
    )
    change_rows(undone)
