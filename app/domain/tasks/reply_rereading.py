"""Classify old replies again with the present rules: once for each workspace.

Who asked to hear no more and was written to is added to the do-not-contact list, and what may be such a wish is asked
about. People who were silenced by a letter that asks for nothing are listed; a member decides about them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.people.exclusions import never_contact
from app.domain.platform import audit_log, locks
from app.domain.replies import reading
from app.domain.replies.reading import Letter, What
from app.domain.tasks import opt_out_questions
from app.models.conversations import Conversation, Direction, Message
from app.models.leads import NeverContact
from app.models.people import Person
from app.models.platform.audit import AuditEntry
from app.models.tasks import Task, TaskKind
from app.models.workspaces import Workspace

DONE = "replies.read_again"  # action in the audit log that marks a workspace as done
ASKED = "Asked not to be contacted."  # the reason of entries that a letter brought about
LOOKED_AT = 500  # newest replies that the check reads; the command reads all


@dataclass(frozen=True)
class Difference:
    """A person whose letters are read otherwise now, the sentence, and what becomes of it."""

    person_id: int
    name: str
    conversation_id: int
    what: Literal["opted_out", "ask", "wrongly_silenced"]
    sentence: str


@dataclass
class _Heard:
    conversation_id: int
    stop: str = ""
    unsure: str = ""
    first: str = ""


def is_done(workspace: Workspace) -> bool:
    """Return whether the workspace's old replies were classified again."""
    query = sa.select(AuditEntry.id).where(AuditEntry.workspace_id == workspace.id, AuditEntry.kind == DONE)
    return session().scalar(query.limit(1)) is not None


def differences(workspace: Workspace, most: int = 0) -> Iterator[Difference]:
    """Yield people with replies classified differently now, among the `most` newest ones; 0 reads all."""
    heard = _reread_letters(workspace, most)
    blocked = never_contact.blocked_people(workspace.id, list(heard))
    by_letter = set(
        session().scalars(
            sa.select(NeverContact.id).where(NeverContact.workspace_id == workspace.id, NeverContact.reason == ASKED)
        )
    )
    asked = set(session().scalars(sa.select(Task.person_id).where(Task.kind == TaskKind.OPT_OUT)))
    for person_id, said in heard.items():
        name = session().get_one(Person, person_id).name
        entry = blocked.get(person_id)
        about = (person_id, name, said.conversation_id)
        if entry is None and said.stop:
            yield Difference(*about, "opted_out", said.stop)
        elif entry is None and said.unsure and person_id not in asked:
            yield Difference(*about, "ask", said.unsure)
        elif entry is not None and entry.id in by_letter and not (said.stop or said.unsure):
            yield Difference(*about, "wrongly_silenced", said.first)


def _reread_letters(workspace: Workspace, most: int) -> dict[int, _Heard]:
    """Return what each person wrote, as it is read now."""
    query = (
        sa.select(Message.text, Message.subject, Message.at, Conversation.person_id, Conversation.id)
        .join(Conversation, Conversation.id == Message.conversation_id)
        .join(Person, Person.id == Conversation.person_id)
        .where(Message.workspace_id == workspace.id, Message.direction == Direction.IN, Person.erased_at.is_(None))
        .order_by(Message.id.desc())
    )
    found: dict[int, _Heard] = {}
    for text, subject, at, person_id, conversation_id in session().execute(query.limit(most) if most else query).all():
        read = reading.read(Letter(text, at, subject))
        said = found.setdefault(person_id, _Heard(conversation_id))
        said.first = said.first or " ".join(text.split())[: reading.LONGEST_SAID]
        if read.what == What.STOP:
            said.stop = said.stop or read.sentence
        if read.what == What.UNSURE:
            said.unsure = said.unsure or read.sentence
    return found


def apply(workspace: Workspace) -> list[Difference]:
    """Do what the letters ask for, and return every difference; nobody who was silenced is released."""
    found = list(differences(workspace))
    end_read()
    with locks.changing(workspace.id):
        for one in found:
            if one.what == "opted_out":
                never_contact.add_person(workspace, one.person_id, ASKED)
            elif one.what == "ask":
                opt_out_questions.ask(workspace, one.person_id, one.conversation_id, one.sentence)
        audit_log.record(workspace, DONE, f"{len(found)} people", after={"people": [one.person_id for one in found]})
    return found
