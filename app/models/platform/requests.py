"""What is kept of requests: the log of `/v1`, stored answers of POSTs that carry a key, rate limits and throttles."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, OfWorkspace, table_args
from app.core.row_rules import Leftovers, sealed_for


class ApiRequest(Numbered, OfWorkspace, Base):
    """One request of a workspace. What was sent and answered is kept only when it was refused."""

    __tablename__ = "api_request"
    __stays__ = "the log of the other server's requests"
    __leftovers__ = Leftovers.NAMES
    __table_args__ = table_args(
        sa.Index("ix_api_request_workspace_id_id", "workspace_id", "id"),
        sa.Index("ix_api_request_workspace_id_refused_id", "workspace_id", "refused", "id"),
        sa.Index("ix_api_request_workspace_id_key_id_id", "workspace_id", "key_id", "id"),
    )

    key_id: Mapped[int]  # no foreign key: rows are written later, perhaps after the key's deletion
    ref: Mapped[str]
    method: Mapped[str]
    path: Mapped[str]
    status: Mapped[int]
    refused: Mapped[bool]
    code: Mapped[str] = mapped_column(default="")
    milliseconds: Mapped[int]
    sent: Mapped[str] = mapped_column(default="")
    answered: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(index=True)


class IdempotencyKey(Base):
    """A POST made, or being made, with an idempotency key. `answer` is encrypted and set once it succeeded."""

    __tablename__ = "idempotency_key"
    __stays__ = "API responses stored on the old server, which contain its ids"
    __leftovers__ = Leftovers.NOTHING

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[bytes]
    owner: Mapped[str]  # the request that carries it out; only it can store the answer
    claimed_until: Mapped[datetime]
    status: Mapped[int | None]
    answer: Mapped[bytes | None] = mapped_column(info=sealed_for("idempotency_key|answer|{key}|{workspace_id}"))
    created_at: Mapped[datetime] = mapped_column(index=True)


class RateBucket(Base):
    """A caller's rate limit: the moment (seconds since 1970) at which the token bucket will be full again."""

    __tablename__ = "rate_bucket"
    __stays__ = "requests in the last few seconds"

    key: Mapped[str] = mapped_column(primary_key=True)
    full_at: Mapped[float]


class Throttle(Base):
    """How often an attempt, such as a sign-in, failed in a row, and until when further attempts are refused."""

    __tablename__ = "throttle"
    __stays__ = "attempts in the last few minutes"

    key: Mapped[str] = mapped_column(primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    until: Mapped[datetime | None]
    at: Mapped[datetime]
