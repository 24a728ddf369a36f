"""Tasks: what a member does about a person from a date on, such as writing again when they asked for it."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from app.core import paging
from app.core.actor import actor
from app.core.db import get_owned, in_list, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.core.paging import Page, Window
from app.domain.platform import locks
from app.domain.replies import postponement
from app.domain.rules.contact_rules import Answer
from app.domain.rules.step_kinds import TASK_TYPES
from app.models.campaigns import OPEN_STATES, Campaign, CampaignLead, CampaignStatus
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.people import Person
from app.models.tasks import Referral, Task, TaskKind
from app.models.workspaces import Workspace

MOST_SHOWN, LONGEST = 200, 500
STATES = ("due", "coming", "done")
OPT_OUT_RECOVERY = "Choose “Do not contact” or “Keep contacting”."


class Entry(NamedTuple):
    """A task as it is shown: about whom, and the contact they named; `lead_id` leads to their page, 0 without one."""

    task: Task
    person: Person
    referral: Referral | None
    lead_id: int


def morning_of(workspace: Workspace, day: date) -> datetime:
    """Return when the tasks of a day fall due."""
    return postponement.morning_of(day, workspace.timezone)


def check_day(workspace: Workspace, day: date | None, field: str = "until") -> date:
    """Return the day, or raise InvalidRequest if a task cannot be due on it."""
    if day is None or not postponement.may_come_back(day, workspace.now(), workspace.timezone):
        raise InvalidRequest.of((field, postponement.WRONG_DAY))
    return day


def default_day(workspace: Workspace) -> date:
    """Return the day to contact the person again when they named none."""
    return (workspace.now().astimezone(ZoneInfo(workspace.timezone)) + postponement.LATER_DEFAULT).date()


def come_back(
    workspace: Workspace, person: Person, conversation_id: int | None, day: date, said: str, *, guessed: bool
) -> Task:
    """Pause the person until that day, and add a task to contact them then. Inside a transaction."""
    task = open_come_back(person.id)
    if task is None:
        task = Task(workspace_id=workspace.id, person_id=person.id, kind=TaskKind.COME_BACK, created_at=workspace.now())
        session().add(task)
    task.conversation_id, task.text, task.guessed = conversation_id, said, guessed
    task.due_at = person.come_back_at = morning_of(workspace, day)
    person.answer = Answer.NOT_NOW
    session().flush()
    return task


def add(
    workspace: Workspace,
    person_id: int,
    conversation_id: int | None,
    said: str,
    at: datetime,
    kind: TaskKind = TaskKind.REPLY,
    task_type: str = "",
) -> Task:
    """Add a task about a person, due at that time. Inside a transaction."""
    task = Task(
        workspace_id=workspace.id,
        person_id=person_id,
        conversation_id=conversation_id,
        kind=kind,
        task_type=task_type,
        text=said,
        due_at=at,
        created_at=workspace.now(),
    )
    session().add(task)
    session().flush()
    return task


def create(workspace: Workspace, person_id: int, text: str, day: date | None = None, task_type: str = "") -> Task:
    """Create a task about a person by hand, such as a call, due on that day; today without one."""
    text, problems = text.strip(), []
    if task_type and task_type not in TASK_TYPES:
        problems.append(("taskType", f"Use one of {', '.join(TASK_TYPES)}."))
    if not text or len(text) > LONGEST:
        problems.append(("text", f"Write what to do, in at most {LONGEST} characters."))
    person = session().get(Person, person_id)
    if person is None or person.workspace_id != workspace.id or person.erased_at is not None:
        problems.append(("personId", "Person not found in this workspace."))
    now = workspace.now()
    if day is not None and day != now.astimezone(ZoneInfo(workspace.timezone)).date():
        try:
            check_day(workspace, day)
        except InvalidRequest as refusal:
            problems += refusal.fields
    InvalidRequest.raise_for(problems)
    with transaction():
        due_at = max(morning_of(workspace, day), now) if day else now
        return add(workspace, person_id, None, text, due_at, TaskKind.TO_DO, task_type)


def open_come_back(person_id: int) -> Task | None:
    """Return the open task to contact the person again, if any."""
    query = sa.select(Task).where(Task.person_id == person_id, Task.kind == TaskKind.COME_BACK, Task.done_at.is_(None))
    return session().scalars(query.order_by(Task.id.desc()).limit(1)).first()


def forget_come_back(person: Person) -> None:
    """Delete the task to contact the person again, as a newer reply replaces it. Inside a transaction."""
    person.come_back_at = None
    if task := open_come_back(person.id):
        session().delete(task)


@dataclass(frozen=True)
class Found:
    """The tasks of a workspace, newest first: in one of STATES, about one person, or all of them."""

    workspace: Workspace
    state: str = ""
    person_id: int = 0

    def page(self, window: Window) -> Page:
        """Return one page of `Entry`."""
        is_open, is_due = Task.done_at.is_(None), Task.due_at <= self.workspace.now()
        query = sa.select(Task).join(Person, Person.id == Task.person_id).where(Person.erased_at.is_(None))
        query = query.where(Task.workspace_id == self.workspace.id, _IN_ORDER)
        if self.state:
            wanted = {"due": sa.and_(is_open, is_due), "coming": sa.and_(is_open, ~is_due), "done": ~is_open}
            query = query.where(wanted[self.state])
        if self.person_id:
            query = query.where(Task.person_id == self.person_id)
        found = paging.page(query, Task.id, window)
        ids = [task.id for task in found.rows]
        shown = session().execute(_entries().where(in_list(Task.id, ids)).order_by(Task.id.desc()))
        return Page([Entry(*row) for row in shown], found.next_cursor)


def entry(workspace: Workspace, task_id: int) -> Entry:
    """Return the task as it is shown, or raise NotFound."""
    return Entry(*session().execute(_entries().where(Task.id == get(workspace, task_id).id)).one())


# A step's task is not shown while the person or the campaign is paused.
_GOES_ON = sa.exists().where(
    CampaignLead.id == Task.campaign_lead_id,
    CampaignLead.state.in_(OPEN_STATES),
    Campaign.id == CampaignLead.campaign_id,
    Campaign.status == CampaignStatus.RUNNING,
)
_IN_ORDER = sa.or_(Task.campaign_lead_id.is_(None), Task.done_at.is_not(None), _GOES_ON)


def _entries() -> sa.Select[Task, Person, Referral, int]:
    lead_id = (
        sa.select(sa.func.coalesce(sa.func.max(Lead.id), 0))
        .where(Lead.person_id == Task.person_id, Lead.deleted_at.is_(None))
        .scalar_subquery()
    )
    return (
        sa.select(Task, Person, Referral, lead_id)
        .join(Person, Person.id == Task.person_id)
        .outerjoin(Referral, Referral.id == Task.referral_id)
    )


def due(workspace: Workspace, most: int = MOST_SHOWN) -> list[Entry]:
    """Return the open tasks that have fallen due, the oldest first."""
    return _shown(workspace, most, Task.due_at <= workspace.now())


def coming(workspace: Workspace, most: int = MOST_SHOWN) -> list[Entry]:
    """Return the open tasks that fall due later, the next first."""
    return _shown(workspace, most, Task.due_at > workspace.now())


def counts(workspace: Workspace) -> tuple[int, int]:
    """Return how many tasks have fallen due, and how many fall due later."""
    is_due = sa.case((Task.due_at <= workspace.now(), 1), else_=0)
    query = (
        sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(is_due), 0))
        .join(Person, Person.id == Task.person_id)
        .where(Task.workspace_id == workspace.id, Task.done_at.is_(None), Person.erased_at.is_(None), _IN_ORDER)
    )
    number, now = session().execute(query).one()
    return now, number - now


def due_between(workspace: Workspace, since: datetime, until: datetime) -> list[Entry]:
    """Return the tasks to contact people again that fell due in that time."""
    return _shown(workspace, MOST_SHOWN, Task.kind == TaskKind.COME_BACK, Task.due_at > since, Task.due_at <= until)


def of_person(workspace: Workspace, person_id: int) -> list[Entry]:
    """Return the person's open tasks, the next first."""
    return _shown(workspace, None, Task.person_id == person_id)


def _shown(workspace: Workspace, most: int | None, *where: sa.ColumnElement[bool]) -> list[Entry]:
    still_open = (Task.done_at.is_(None), Person.erased_at.is_(None), _IN_ORDER)
    query = _entries().where(Task.workspace_id == workspace.id, *still_open, *where)
    return [Entry(*row) for row in session().execute(query.order_by(Task.due_at, Task.id).limit(most))]


def get(workspace: Workspace, task_id: int) -> Task:
    """Return the task, or raise NotFound."""
    return get_owned(Task, workspace, task_id)


def finish(
    workspace: Workspace, task_id: int, outcome: str = "", until: date | None = None, word: str = "", hold: bool = False
) -> Task:
    """Mark the task as done, with what came of it, in a `word` and in the member's own.

    With `until`, a new task of its type is due on that day; with `hold`, the campaign waits for that one now.
    """
    outcome = outcome.strip()
    if len(outcome) > LONGEST:
        raise InvalidRequest.of(("outcome", f"Use at most {LONGEST} characters."))
    day = until and check_day(workspace, until)
    with locks.changing(workspace.id):
        task = get_owned(Task, workspace, task_id, lock=True)
        _check_undecided(task)
        if task.done_at is None:
            task.done_at, task.done_by = workspace.now(), actor.get().name
            task.outcome = ": ".join(filter(None, (word, outcome)))
            if day:
                morning, what = morning_of(workspace, day), outcome or task.text
                about = task.person_id, task.conversation_id
                again = add(workspace, *about, what, morning, TaskKind.TO_DO, task.task_type)
                if hold:
                    again.campaign_lead_id = task.campaign_lead_id
                    again.continues_at = task.continues_at and morning + (task.continues_at - task.due_at)
        return task


def reopen(workspace: Workspace, task_id: int) -> Task:
    """Undo `finish`."""
    with transaction():
        task = get_owned(Task, workspace, task_id, lock=True)
        if task.kind == TaskKind.OPT_OUT:
            raise Conflict("Already decided.", recovery="Change the do-not-contact list instead.")
        if task.campaign_lead_id is not None and task.done_at is not None:
            raise Conflict("The campaign has continued.", recovery="Create a new task instead.")
        task.done_at, task.done_by, task.outcome = None, "", ""
        return task


def _check_undecided(task: Task) -> None:
    """Raise Conflict for a task that only a decision can end, so that no one is contacted on a guess."""
    if task.kind == TaskKind.OPT_OUT and task.done_at is None:
        raise Conflict("Decide whether this person may be contacted.", recovery=OPT_OUT_RECOVERY)


def put_off(workspace: Workspace, task_id: int, day: date | None) -> Task:
    """Move the task to another day; a person who asked to be contacted later stays paused until then."""
    with locks.changing(workspace.id):
        task = get_owned(Task, workspace, task_id, lock=True)
        _check_undecided(task)
        until = check_day(workspace, day)
        if task.continues_at:
            task.continues_at += morning_of(workspace, until) - task.due_at
        task.due_at, task.guessed = morning_of(workspace, until), False
        if task.kind == TaskKind.COME_BACK:
            person = session().get_one(Person, task.person_id, with_for_update=True)
            person.come_back_at = task.due_at
        return task


def remove(workspace: Workspace, task_id: int) -> None:
    """Delete a task from a misread reply: the person did not ask for a later contact, or named no one."""
    with locks.changing(workspace.id) as current:
        task = get_owned(Task, workspace, task_id, lock=True)
        _check_undecided(task)
        if task.campaign_lead_id is not None and task.done_at is None:
            raise Conflict("A campaign is waiting for this task.", recovery="Skip the task, or mark it as done.")
        if task.kind == TaskKind.COME_BACK:
            person = current.get_one(Person, task.person_id, with_for_update=True)
            person.come_back_at = None
            if person.answer == Answer.NOT_NOW:
                person.answer = _tone(person)
        referral = current.get(Referral, task.referral_id or 0)
        current.delete(task)
        if referral is not None and referral.named_id is None:
            current.flush()
            current.delete(referral)


def _tone(person: Person) -> str:
    """Return the sentiment of the person's last reply."""
    query = sa.select(Conversation.sentiment).where(Conversation.person_id == person.id, Conversation.sentiment != "")
    newest = query.order_by(Conversation.last_message_at.desc(), Conversation.id.desc()).limit(1)
    return session().scalar(newest) or (Answer.GENERIC if person.replied_at else Answer.NONE)
