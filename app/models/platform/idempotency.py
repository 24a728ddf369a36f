"""Idempotency: stored answers of POSTs that carry a key."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base
from app.core.row_rules import Leftovers, sealed_for


class IdempotencyKey(Base):
    """A POST that was, or is being, carried out under a key. `answer` is sealed and there once it succeeded."""

    __tablename__ = "idempotency_key"
    __stays__ = "stored responses of the other server, with its ids"
    __leftovers__ = Leftovers.NOTHING

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    owner: Mapped[str]  # the request that carries it out; another one cannot finish for it
    claimed_until: Mapped[datetime]
    status: Mapped[int | None]
    answer: Mapped[bytes | None] = mapped_column(info=sealed_for("idempotency_key|answer|{key}|{workspace_id}"))
    created_at: Mapped[datetime] = mapped_column(index=True)
