"""`kill -9` between a task that is done and the person who moves on: both happen, or neither."""

import random
import signal
from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.engine import campaign_tasks
from app.domain.installation.sandbox import sandbox_clock
from app.domain.tasks import tasks
from app.domain.workspace import workspaces
from app.models.campaigns import CampaignLead
from app.models.ledger import Action
from app.models.webhooks import Event
from tests.kills.campaign import Ordeal

CALL = {"type": "task", "taskType": "call", "message": "Call {{first_name}}"}


def standing() -> list[tuple[int, str]]:
    """Where each person stands, and what the ledger says of their first call."""
    states = sa.select(CampaignLead.step, Action.state).join(Action, Action.campaign_lead_id == CampaignLead.id)
    found = [tuple(row) for row in session().execute(states.where(Action.step == 0).order_by(CampaignLead.step))]
    end_read()
    return found


def test_a_task_whose_process_dies_is_open_and_moves_the_person_on_once_when_done_again(
    url: str, tmp_path: Path, chance: random.Random
) -> None:
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=2, senders=1, sequence=[CALL, {**CALL, "delay": {"value": 9, "unit": "days"}}])
    with ordeal.inside():
        sandbox_clock.advance(workspaces.get(ordeal.workspace), 2)
    with ordeal.start("tasks") as process:
        assert process.ended() == -signal.SIGKILL, process.output
    with ordeal.inside():
        workspace = workspaces.get(ordeal.workspace)
        assert standing() == [(0, "sending"), (1, "sent")]
        (left,) = tasks.due(workspace)
        campaign_tasks.finish(workspace, left.task.id, "Reached.")
        assert standing() == [(1, "sent"), (1, "sent")]
        told = session().scalar(sa.select(sa.func.count()).where(Event.kind == "task_done"))
        assert (tasks.counts(workspace), told) == ((0, 0), 2)
        end_read()
