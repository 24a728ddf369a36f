"""The action ledger: every action for a person, written before it is done."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from app.core.db import Base, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Leftovers, Personal, ids
from app.models.people import Person

TEST_STEP = -4  # the step of a test to ourselves: it counts against the daily limit, and nowhere else
REMOVED_STEP = -3  # the step of actions whose step was removed later
BY_HAND_STEP = -2  # the step of a manual message
WITHDRAWAL_STEP = -1  # the `step` of withdrawing a connection request, which is not in the sequence


class ActionState(StrEnum):
    """The state of an action. `unknown`: it may have taken effect, so it counts as sent and is not repeated."""

    SENDING = "sending"
    SENT = "sent"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"  # nothing was to be done: they were connected already
    AGAIN = "again"  # surely had no effect; it is tried again under the same key


class Action(Numbered, OfWorkspace, Base):
    """One action at a provider. `step` is the key of the sequence's step, `token` the action's idempotency key there.

    The token is the same for every attempt. Connection requests of former senders have a `part` below zero.

    Rows without a campaign lead are actions of the account's owner by hand, or of a campaign deleted since; they count
    against the limits too.
    """

    __tablename__ = "action"
    __personal__ = Personal(
        ("person_id",),
        "What your senders did, and the checks before each contact.",
        ("kind", "state", "at", "text", "subject", "asked"),
        {"error": "", "text": "", "subject": "", "provider_ref": "", "asked": sa.null()},
    )
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("campaign_lead_id", "step", "part"),
        sa.UniqueConstraint("sender_id", "token"),
        sa.Index("ix_action_usage", "sender_id", "at", "budget", "state", "follow_up"),
        partial_index("ix_action_invites", "sender_id", "at", "budget", "state", where="budget = 'invite'"),
        sa.Index("ix_action_campaign_id_at", "campaign_id", "at"),
        sa.Index("ix_action_person_id", "person_id", "at"),
        sa.Index("ix_action_lead_id", "lead_id"),
        partial_index("ix_action_unsettled", "check_at", where="check_at IS NOT NULL"),
        partial_index("ix_action_failed", "settled_at", where="state = 'failed'"),
        partial_index(
            "ix_action_variant",
            *"campaign_id step variant part state check_at campaign_lead_id".split(),  # the index alone answers a count
            where="variant <> ''",
        ),
    )

    sender_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id", ondelete="CASCADE"))
    campaign_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign.id", ondelete="SET NULL"))
    campaign_lead_id: Mapped[int | None] = mapped_column(sa.ForeignKey("campaign_lead.id", ondelete="SET NULL"))
    lead_id: Mapped[int | None] = mapped_column(sa.ForeignKey("lead.id", ondelete="SET NULL"))
    person_id: Mapped[int] = mapped_column(sa.ForeignKey("person.id", ondelete="CASCADE"))
    step: Mapped[int] = mapped_column(default=0)
    part: Mapped[int] = mapped_column(default=0)
    follow_up: Mapped[bool] = mapped_column(default=False, server_default=sa.false())  # not the first contact
    kind: Mapped[str]
    budget: Mapped[str]
    state: Mapped[str] = mapped_column(default=ActionState.SENDING)
    token: Mapped[str]
    variant: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # key of the text, if it had several
    text: Mapped[str] = mapped_column(default="")
    subject: Mapped[str] = mapped_column(default="")
    at: Mapped[datetime]  # when it was recorded as intended; limits count from here
    first_at: Mapped[datetime | None]  # when the first attempt was recorded, if this is a later one
    settled_at: Mapped[datetime | None]
    check_at: Mapped[datetime | None]  # when to ask the provider whether it was done
    attempts: Mapped[int] = mapped_column(default=1)
    provider_ref: Mapped[str] = mapped_column(default="")
    error: Mapped[str] = mapped_column(default="")
    # the email bounced, or drew a complaint, because of its sender
    sender_fault: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    accepted_at: Mapped[datetime | None]  # of an invitation
    withdrawn_at: Mapped[datetime | None]  # of an invitation
    # what the suppression check looked up and found, see exclusions.gate.Asked; None: not checked, or erased
    asked: Mapped[dict[str, Any] | None] = mapped_column(
        sa.JSON(none_as_null=True), deferred=True, info=ids({"list_ids": "lead_list", "campaign_ids": "campaign"})
    )

    person: Mapped[Person] = relationship()
