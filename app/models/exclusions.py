"""Companies that are held after a reply."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Erase, Personal


class HoldDecision(StrEnum):
    """What was decided about a company that is held."""

    OPEN = ""
    GO_ON = "go_on"
    END = "end"
    HAND_OVER = "hand_over"


class CompanyHold(Numbered, OfWorkspace, Base):
    """A company hold: after one person's reply, no one at the company is contacted until a member decides."""

    __tablename__ = "company_hold"
    __personal__ = Personal(("person_id",), "A reply from the person.", ("name", "decision", "at"), Erase.BY_RULE)
    __table_args__ = table_args(
        sa.Index("ix_company_hold_workspace_id_at", "workspace_id", "at"),
        partial_index("ix_company_hold_open", "workspace_id", where="decision = ''"),
    )

    company_domain: Mapped[str]
    company_key: Mapped[str]
    name: Mapped[str]  # as it is shown
    person_id: Mapped[int | None] = mapped_column(sa.ForeignKey("person.id", ondelete="SET NULL"), index=True)
    conversation_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("conversation.id", ondelete="SET NULL"), index=True
    )
    opt_out: Mapped[bool] = mapped_column(default=False)  # they asked not to be contacted
    at: Mapped[datetime]
    decision: Mapped[str] = mapped_column(default=HoldDecision.OPEN)
    decided_by: Mapped[str] = mapped_column(default="")
    decided_at: Mapped[datetime | None]
