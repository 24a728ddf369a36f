"""Credits: an append-only ledger, its balance, and holds."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, OfWorkspace, partial_index, table_args
from app.core.row_rules import Leftovers, ids


class EntryKind(StrEnum):
    """Why credits changed. `hold`: reserved. `capture`: reserved ones were spent. `release`: they were not needed."""

    GRANT = "grant"
    HOLD = "hold"
    CAPTURE = "capture"
    RELEASE = "release"
    EXPIRE = "expire"
    REFUND = "refund"


_LOOKUP = r"(?:email|phone|missed):(\d+)"
_PAID_FOR = (
    (r"enrichment:(\d+)", ("enrichment",)),
    (r"enrichment:(\d+)/rest", ("enrichment",)),
    (rf"enrichment:(\d+)/{_LOOKUP}", ("enrichment", "contact_lookup")),
    (r"bounce:(\d+)", ("contact_lookup",)),
    (r"play:(\d+):\d+:\d+(?:/rest)?", ("play",)),
)


class Wallet(Base):
    """The balance: `posted` credits are owned, `held` of them are reserved."""

    __tablename__ = "wallet"
    __billing__ = True
    __table_args__ = (sa.CheckConstraint("held >= 0 AND held <= posted", name="never_negative"),)

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    posted: Mapped[int] = mapped_column(default=0)
    held: Mapped[int] = mapped_column(default=0)


class CreditEntry(Numbered, OfWorkspace, Base):
    """One movement of credits; never changed, never deleted. A `ref` counts once per kind.

    `amount` is added to the credits owned, `held` to those reserved. `resolves` names the part of a hold that the entry
    settles: each part is settled once, as captured, released or expired.
    """

    __tablename__ = "credit_entry"
    __billing__ = True
    __leftovers__ = Leftovers.NAMES
    __table_args__ = table_args(
        sa.UniqueConstraint("workspace_id", "kind", "ref"),
        sa.UniqueConstraint("workspace_id", "resolves"),
        sa.Index("ix_credit_entry_workspace_id_created_at", "workspace_id", "created_at"),
    )

    kind: Mapped[str] = mapped_column(info={"words": EntryKind})
    amount: Mapped[int]
    held: Mapped[int] = mapped_column(default=0, server_default="0")
    ref: Mapped[str] = mapped_column(info=ids(_PAID_FOR))
    resolves: Mapped[str | None] = mapped_column(info=ids(_PAID_FOR))
    purpose: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # what for: signals, phone …
    note: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]


class CreditHold(Numbered, OfWorkspace, Base):
    """Credits reserved for work; `remaining` of them are not settled yet. The hold expires in real time."""

    __tablename__ = "credit_hold"
    __billing__ = True
    __leftovers__ = Leftovers.NAMES
    __table_args__ = table_args(
        sa.UniqueConstraint("workspace_id", "ref"),
        sa.CheckConstraint("remaining >= 0 AND remaining <= amount", name="settled_once"),
        partial_index("ix_credit_hold_open", "expires_at", where="remaining > 0"),
    )

    ref: Mapped[str] = mapped_column(info=ids(_PAID_FOR))
    amount: Mapped[int]
    remaining: Mapped[int]
    purpose: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    expires_at: Mapped[datetime]
    created_at: Mapped[datetime]


class BillingEvent(Numbered, IndexedOfWorkspace, Base):
    """An event of the payment provider about a subscription; each is processed once."""

    __tablename__ = "billing_event"
    __stays__ = "what Stripe told the other server"
    __table_args__ = table_args(sa.UniqueConstraint("event"))

    event: Mapped[str]
    kind: Mapped[str]
    received_at: Mapped[datetime]


@event.listens_for(CreditEntry, "before_update")
@event.listens_for(CreditEntry, "before_delete")
def _refuse(mapper: Any, connection: Any, entry: CreditEntry) -> None:
    raise TypeError("A ledger entry can't be changed or deleted. Add a new one.")
