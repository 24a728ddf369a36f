"""Campaign tasks: when a member decides the task of a step, or its time is over, the person moves on."""

from datetime import date, datetime

import sqlalchemy as sa

from app.core import text
from app.core.db import get_owned, session
from app.core.errors import InvalidRequest
from app.domain.engine.outbound import open_intents, settle
from app.domain.engine.outbound.begin import Intent
from app.domain.engine.outbound.settle import Outcome, SkippedByHand
from app.domain.leads.campaign_leads import campaign_leads, open_tasks
from app.domain.people.exclusions import never_contact
from app.domain.platform import locks
from app.domain.rules.step_kinds import STEPS
from app.domain.tasks import marked_answers, tasks
from app.domain.webhooks import events
from app.models.campaigns import ENDED_STATES, Campaign, CampaignLead, CampaignStatus
from app.models.ledger import Action
from app.models.tasks import Task
from app.models.workspaces import Workspace
from app.ports import Receipt

CHUNK = 200
SKIPPED = "Skipped."
CONTINUE = "continue"
# The results of a task and their words in the activity; after the first two, the campaign continues.
RESULTS = {
    CONTINUE: "",
    "no_answer": "No answer",
    "interested": "Interested",
    "not_interested": "Not interested",
    "do_not_contact": "Do not contact again",
}


def finish(
    workspace: Workspace, task_id: int, outcome: str = "", until: date | None = None, result: str = CONTINUE
) -> Task:
    """Mark the task as done; a person whose campaign waits for it moves on.

    With `until`, the campaign waits for the new task of that day instead. Someone interested counts as having replied,
    the campaign stops for someone who is not, and whoever wants no more contact joins the do-not-contact list.
    """
    if result not in RESULTS:
        raise InvalidRequest.of(("result", f"Use one of {', '.join(RESULTS)}."))
    if until and result == "do_not_contact":
        raise InvalidRequest.of(("until", "Remove the day: this person won't be contacted again."))
    with locks.changing(workspace.id):
        task, was_open, settled = _close(workspace, task_id, outcome, until, result, done=True)
        if was_open:
            _apply(workspace, task, result)
            _tell(workspace, settled)
        return task


def _apply(workspace: Workspace, task: Task, result: str) -> None:
    """Do what follows from the result. Inside a transaction."""
    lead = session().get(CampaignLead, task.campaign_lead_id or 0, populate_existing=True)
    match result:
        case "interested":
            person = marked_answers.mark(workspace, task.person_id, "replied_elsewhere")
            if lead is not None and not lead.replied:
                campaign_leads.count_reply(lead, person.replied_at)
        case "not_interested":
            if lead is not None and lead.state not in ENDED_STATES:
                campaign_leads.stop(workspace, lead.campaign_id, lead.id)
        case "do_not_contact":
            never_contact.add_person(workspace, task.person_id, text.shorten(task.outcome, 300))
            campaign_leads.exclude_many(workspace, [lead.id] if lead else [], "never_contact")  # the others: by a job


def skip(workspace: Workspace, task_id: int, outcome: str = SKIPPED) -> Task:
    """Close the task undone; a person whose campaign waits for it moves on."""
    return _close(workspace, task_id, outcome, None, done=False)[0]


def _close(
    workspace: Workspace, task_id: int, outcome: str, until: date | None, result: str = CONTINUE, *, done: bool
) -> tuple[Task, bool, list[Intent]]:
    holds = until is not None and result in (CONTINUE, "no_answer")
    with locks.changing(workspace.id):
        task = get_owned(Task, workspace, task_id, lock=True)
        was_open, settled = task.done_at is None, list[Intent]()
        tasks.finish(workspace, task_id, outcome, until, RESULTS[result], hold=holds)
        if was_open and task.campaign_lead_id is not None:
            settled = _settle(task.campaign_lead_id, workspace.now(), task.outcome, done=done, holds=holds)
        return task, was_open, settled


def expire(workspace: Workspace, at: datetime) -> int:
    """Skip the tasks for which running campaigns wait no longer; return how many."""
    over = (
        sa.select(Task.id)
        .where(Task.workspace_id == workspace.id, Task.done_at.is_(None), Task.continues_at <= at)
        .where(Task.campaign_lead_id.in_(OF_RUNNING))
        .order_by(Task.continues_at, Task.id)
        .limit(CHUNK)
    )
    ids = session().scalars(over).all()
    for task_id in ids:
        skip(workspace, task_id, open_tasks.EXPIRED)
    return len(ids)


OF_RUNNING = (
    sa.select(CampaignLead.id)
    .join(Campaign, Campaign.id == CampaignLead.campaign_id)
    .where(Campaign.status == CampaignStatus.RUNNING)
)


def _settle(campaign_lead_id: int, at: datetime, outcome: str, *, done: bool, holds: bool) -> list[Intent]:
    """Record the step's outcome in the ledger; unless another task `holds` the campaign, move the person on."""
    mine = (Action.campaign_lead_id == campaign_lead_id, Action.kind == open_tasks.KIND)
    action = session().scalars(sa.select(Action).where(*mine, Action.check_at.is_not(None))).one()
    if done:  # the activity shows the result above the task's text
        action.subject = ". ".join(filter(None, (action.subject.removesuffix("."), outcome)))
    if holds:
        return []
    action.at = at  # the time of the decision; only a task that was done counts in the limits
    session().flush()
    rows = session().execute(sa.select(Action.__table__).where(Action.id == action.id)).all()
    intents = [intent._replace(at=at) for _, intent in open_intents.intents_of(rows)]
    receipt, failure = (Receipt("", at), None) if done else (None, SkippedByHand(outcome))
    settle.record_results([Outcome(intent, receipt, failure) for intent in intents])
    return intents


def _tell(workspace: Workspace, settled: list[Intent]) -> None:
    """Record that the task is done, with the person's progress as its result left it. Inside a transaction."""
    session().flush()
    for intent in settled:
        person = session().get_one(CampaignLead, intent.campaign_lead_id, populate_existing=True)
        about = {"campaign": intent.campaign, "lead": intent.lead, "account": intent.account, "progress": person}
        events.record(workspace.id, [events.new(STEPS[intent.action.kind].event, intent.at, about)])
