"""Credits: an append-only ledger and the balance it adds up to."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, table_args


class Wallet(Base):
    """The balance: `posted` is owned, `held` of it is spoken for."""

    __tablename__ = "wallet"
    __table_args__ = (sa.CheckConstraint("held >= 0 AND held <= posted", name="never_negative"),)

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    posted: Mapped[int] = mapped_column(default=0)
    held: Mapped[int] = mapped_column(default=0)


class CreditEntry(Numbered, Base):
    """One movement of credits; never changed, never deleted. A `ref` counts once per kind."""

    __tablename__ = "credit_entry"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "kind", "ref"))

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    kind: Mapped[str]
    amount: Mapped[int]
    ref: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
