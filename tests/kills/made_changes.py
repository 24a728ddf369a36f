"""Changes of a running campaign, each made by a process of its own that may be killed in the middle."""

import os
import signal
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from app.core.db import db, session
from app.domain.campaigns.changes import changes
from app.domain.campaigns.changes.revision_log import Wanted
from app.domain.engine import campaign_tasks
from app.domain.tasks import tasks
from app.models.campaigns import Campaign
from app.models.leads import LeadList
from app.models.workspaces import Workspace

MORE = "More people"


def _lists(workspace: Workspace) -> None:
    campaign = session().scalars(sa.select(Campaign)).one()
    more = session().scalars(sa.select(LeadList.id).where(LeadList.name == MORE)).one()
    changes.apply(workspace, campaign.id, Wanted(list_ids=[campaign.list_id, more]))


def _tasks(workspace: Workspace) -> None:
    """Two tasks are done; at the second one the process dies between done and moving the person on."""
    first, second = (entry.task.id for entry in tasks.due(workspace))
    campaign_tasks.finish(workspace, first, "Reached.")
    sa.event.listen(db.engine, "before_cursor_execute", _die)
    campaign_tasks.finish(workspace, second, "Reached.")


def _die(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
    if statement.startswith("UPDATE campaign_lead"):
        os.kill(os.getpid(), signal.SIGKILL)


MAKE: dict[str, Callable[[Workspace], None]] = {"lists": _lists, "tasks": _tasks}
