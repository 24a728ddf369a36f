"""Approvals: campaign messages that need a decision, and their outcome."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, OfWorkspace, table_args
from app.core.row_rules import Leftovers, Personal
from app.core.state_machine import Machine, move


class ApprovalStatus(StrEnum):
    """The state of a draft; `done`: it was sent."""

    PENDING = "pending"
    APPROVED = "approved"
    SKIPPED = "skipped"
    DONE = "done"


_PENDING: dict[str, Any] = {f"{dialect}_where": sa.text("status = 'pending'") for dialect in ("sqlite", "postgresql")}


class Approval(Numbered, OfWorkspace, Base):
    """The text of one step for one person, with all its messages, as it will be sent.

    `due_at` is when the step would be due without approval, `release_at` when it may be sent after approval. A campaign
    lead has at most one pending or approved draft: its `approval_id`.
    """

    __tablename__ = "approval"
    __personal__ = Personal(
        ("lead_id",),
        "Drafts from your campaigns, the writer and members.",
        ("kind", "status", "text", "subject", "facts", "created_at"),
        {
            **dict.fromkeys(("text", "subject", "written_text", "written_subject"), ""),
            **dict.fromkeys(("before_text", "before_subject", "opener")),
            "facts": [],
            "warnings": [],
        },
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.Index("ix_approval_inbox", "workspace_id", "status", "id", "warned", "kind", "sender_id", "campaign_id"),
        sa.Index("ix_approval_campaign_id_status_id", "campaign_id", "status", "id"),
        sa.Index("ix_approval_campaign_lead_id_step", "campaign_lead_id", "step"),
        sa.Index("ix_approval_lead_id", "lead_id"),
        sa.Index("ix_approval_workspace_id_decided_at", "workspace_id", "decided_at"),
        sa.Index("ix_approval_expiry", "workspace_id", "expires_at", **_PENDING),
        sa.Index("ix_approval_waiting", "workspace_id", "created_at", **_PENDING),
        sa.Index("ix_approval_expires_at", "expires_at", **_PENDING),
    )

    campaign_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign.id", ondelete="CASCADE"))
    campaign_lead_id: Mapped[int] = mapped_column(sa.ForeignKey("campaign_lead.id", ondelete="CASCADE"))
    lead_id: Mapped[int] = mapped_column(sa.ForeignKey("lead.id", ondelete="CASCADE"))
    sender_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"))
    step: Mapped[int]
    kind: Mapped[str]
    variant: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # key of the variant, if any
    status: Mapped[str] = mapped_column(default=ApprovalStatus.PENDING)
    text: Mapped[str]
    subject: Mapped[str] = mapped_column(default="")
    written_text: Mapped[str]  # before anyone edited it
    written_subject: Mapped[str] = mapped_column(default="")
    before_text: Mapped[str | None]  # the text before a rewrite on request, until the next edit
    before_subject: Mapped[str | None]
    edited: Mapped[bool] = mapped_column(default=False)
    facts: Mapped[list[Any]]  # the facts that the text was written from
    # {by, note, recipient, sentences, facts}: the sentences written for this person; None until the writer tried
    opener: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    warnings: Mapped[list[Any]]
    warned: Mapped[bool] = mapped_column(default=False)
    revision: Mapped[int] = mapped_column(default=1)  # grows with every change
    due_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]
    decided_by: Mapped[int | None] = mapped_column(sa.ForeignKey("user_account.id", ondelete="SET NULL"))
    release_at: Mapped[datetime | None]
    done_at: Mapped[datetime | None]
    reason: Mapped[str] = mapped_column(default="")  # code of reasons.REASONS: why it was skipped
    note: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # a note by the member who skipped it


A = ApprovalStatus
LIVE = [A.PENDING, A.APPROVED]
_DECIDED = "This draft is no longer waiting (status: {state})."
_UNDO = "You can only bring back an approved or skipped draft before anything is sent."
APPROVAL = Machine(
    "status",
    ApprovalStatus,
    {
        "edit": move([A.PENDING], A.PENDING, _DECIDED, _UNDO),
        "approve": move([A.PENDING], A.APPROVED, _DECIDED, _UNDO),
        "skip": move([A.PENDING], A.SKIPPED, _DECIDED, _UNDO),
        "undo": move([A.APPROVED, A.SKIPPED], A.PENDING, "A {state} draft can't be brought back.", _UNDO),
        "drop": move(LIVE, A.SKIPPED, "A {state} draft can't become stale."),
        "send": move([A.APPROVED, A.SKIPPED], A.DONE, "A {state} draft can't be sent."),
    },
)
