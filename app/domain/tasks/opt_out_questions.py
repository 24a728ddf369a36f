"""Opt-out questions: a letter that may be a wish to hear no more holds the person until a member decides.

The decision is about this person alone: no phrase is learned from it.
"""

import sqlalchemy as sa

from app.core import text
from app.core.actor import actor
from app.core.db import get_owned, session
from app.core.errors import Conflict
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log, locks
from app.domain.tasks import tasks
from app.models.tasks import Task, TaskKind
from app.models.workspaces import Workspace

REASON = "A teammate marked a reply as an opt-out."


def ask(workspace: Workspace, person_id: int, conversation_id: int | None, sentence: str) -> Task | None:
    """Ask whether the sentence is a wish to hear no more; until then no campaign contacts the person.

    None for a sentence of theirs about which a member has decided. Inside a transaction.
    """
    asked = _of(person_id).where(Task.text == sentence)
    if session().scalars(asked.limit(1)).first() is not None:
        return None
    return tasks.add(workspace, person_id, conversation_id, sentence, workspace.now(), TaskKind.OPT_OUT)


def decide(workspace: Workspace, task_id: int, *, contact: bool) -> Task:
    """Say that the person may be contacted, or add them to the do-not-contact list; the task is done."""
    with locks.changing(workspace.id):
        task = get_owned(Task, workspace, task_id, lock=True)
        if task.kind != TaskKind.OPT_OUT or task.done_at is not None:
            raise Conflict("Already decided.", recovery="Change the do-not-contact list instead.")
        task.done_at, task.done_by = workspace.now(), actor.get().name
        if not contact:
            never_contact.add_person(workspace, task.person_id, text.shorten(f"{REASON} “{task.text}”", 300))
        action = "person.opt_out_denied" if contact else "person.opt_out_confirmed"
        audit_log.record(workspace, action, f"person id {task.person_id}", after={"said": task.text})
        return task


def _of(person_id: int) -> sa.Select[Task]:
    return sa.select(Task).where(Task.person_id == person_id, Task.kind == TaskKind.OPT_OUT)
