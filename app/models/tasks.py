"""What follows an answer: tasks for a date, contacts that people named, and answers that members marked by hand."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Erase, Leftovers, Personal, ids


class TaskKind(StrEnum):
    """What a task is for.

    `come_back`: follow up. `referral`: review a contact the person named. `reply`: what a rule
    asks for after a reply. `opt_out`: decide whether the person opted out. `to_do`: anything else, such as a call.
    """

    COME_BACK = "come_back"
    REFERRAL = "referral"
    REPLY = "reply"
    OPT_OUT = "opt_out"
    TO_DO = "to_do"


class Referral(Numbered, IndexedOfWorkspace, Base):
    """A contact that a person named, with the details they gave, and the person's id once they were added."""

    __tablename__ = "referral"
    __personal__ = Personal(
        ("person_id", "named_id", "email"),
        "One person mentioned another in a reply.",
        ("name", "email", "phone", "position", "said", "at"),
        Erase.BY_RULE,
    )
    __leftovers__ = Leftovers.NOTHING

    person_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="SET NULL"), index=True)
    conversation_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("conversation.id", ondelete="SET NULL"), index=True
    )
    named_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="SET NULL"), index=True)
    name: Mapped[str]
    email: Mapped[str]
    phone: Mapped[str]
    position: Mapped[str]
    said: Mapped[str]  # the words of the reply that name the contact
    at: Mapped[datetime]


class Task(Numbered, OfWorkspace, Base):
    """Something for a member to do about a person from `due_at` on; the program does none of it itself."""

    __tablename__ = "task"
    __personal__ = Personal(
        ("person_id",),
        "The person's reply, or an entry by a workspace member.",
        ("kind", "text", "outcome", "due_at", "done_at", "done_by"),
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.Index("ix_task_workspace_id", "workspace_id"),
        partial_index("ix_task_open", "workspace_id", "due_at", where="done_at IS NULL"),
        partial_index("ix_task_continues_at", "workspace_id", "continues_at", where="continues_at IS NOT NULL"),
    )

    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"), index=True)
    conversation_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("conversation.id", ondelete="SET NULL"), index=True
    )
    referral_id: Mapped[int | None] = mapped_column(sa.ForeignKey("referral.id", ondelete="CASCADE"), index=True)
    # for a task step: the campaign lead that waits for it
    campaign_lead_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("campaign_lead.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str] = mapped_column(info={"words": TaskKind})
    # a name of domain.rules.step_kinds.TASK_TYPES; '' where none was named
    task_type: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    text: Mapped[str]  # the words it was read from; '' for a task made by hand
    guessed: Mapped[bool] = mapped_column(default=False)  # the person named no day
    due_at: Mapped[datetime]
    created_at: Mapped[datetime]
    done_at: Mapped[datetime | None]
    done_by: Mapped[str] = mapped_column(default="")
    outcome: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # in a member's words
    continues_at: Mapped[datetime | None]  # when the campaign continues without it; None: it waits


class MarkedAnswer(Numbered, IndexedOfWorkspace, Base):
    """An answer that a member marked by hand, with what it changed, so that it can be undone."""

    __tablename__ = "marked_answer"
    __personal__ = Personal(("person_id",), "A reply elsewhere, marked by a member.", ("answer", "by", "at"))

    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"), index=True)
    answer: Mapped[str]  # a value of rules.contact_rules.Answer
    at: Mapped[datetime]
    by: Mapped[str]
    # see domain/tasks/marked_answers.py
    before: Mapped[dict[str, Any]] = mapped_column(
        info=ids(
            {
                "campaign_lead": "campaign_lead",
                "held": "campaign_lead",
                "hold": "company_hold",
                "task": "task",
                "conversation": "conversation",
            }
        )
    )
    undone_at: Mapped[datetime | None]
