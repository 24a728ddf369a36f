"""Changes of a running campaign, each made by a process of its own that may be killed in the middle."""

import os
import signal
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from app.core.db import db, session
from app.domain.campaigns import changes
from app.domain.campaigns.revision_log import Wanted
from app.domain.engine import campaign_tasks
from app.domain.tasks import tasks
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.workspaces import Workspace

MORE = "More people"
RULES = {"contacted_days": 3}
AFTER = [
    {"type": "connection_request", "delay": {"value": 1, "unit": "hours"}, "message": "Hello {{first_name}}"},
    {"type": "message", "delay": {"value": 2, "unit": "hours"}, "message": "Thanks.\n---\nOne question."},
    {"type": "like_post", "delay": {"value": 1, "unit": "days"}},
    {"type": "message", "delay": {"value": 1, "unit": "days"}, "message": "Very curious."},
]


def _campaign() -> Campaign:
    return session().scalars(sa.select(Campaign)).one()


def _lists(workspace: Workspace) -> None:
    more = session().scalars(sa.select(LeadList.id).where(LeadList.name == MORE)).one()
    changes.apply(workspace, _campaign().id, Wanted(list_ids=[_campaign().list_id, more]))


def _exclusions(workspace: Workspace) -> None:
    changes.apply(workspace, _campaign().id, Wanted(exclude=RULES, let_in=True))


def _steps(workspace: Workspace) -> None:
    changes.apply(workspace, _campaign().id, Wanted(sequence=AFTER))


def _tasks(workspace: Workspace) -> None:
    """Two tasks are done; at the second one the process dies between done and moving the person on."""
    first, second = (entry.task.id for entry in tasks.due(workspace))
    campaign_tasks.finish(workspace, first, "Reached.")
    sa.event.listen(db.engine, "before_cursor_execute", _die)
    campaign_tasks.finish(workspace, second, "Reached.")


def _die(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
    if statement.startswith("UPDATE campaign_lead"):
        os.kill(os.getpid(), signal.SIGKILL)


MAKE: dict[str, Callable[[Workspace], None]] = {
    "lists": _lists,
    "exclusions": _exclusions,
    "steps": _steps,
    "tasks": _tasks,
}
