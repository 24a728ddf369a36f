"""Background jobs. An open job with the same key is not added twice; a started one is repeated.

Also the processes that run the engine, and the seat: which of them looks for due work.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered, partial_index, table_args
from app.core.row_rules import Leftovers


class JobState(StrEnum):
    """Where a job stands."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"


class Job(Numbered, IndexedOfWorkspace, Base):
    """Work to be done once; `open_key` is its key while it is open and None afterwards."""

    __tablename__ = "job"
    __stays__ = "a workspace moves when nothing is under way in it"
    __leftovers__ = Leftovers.NAMES
    __table_args__ = table_args(
        sa.UniqueConstraint("open_key"),
        sa.Index("ix_job_due_at", "due_at"),
        partial_index("ix_job_failed", "done_at", where="state = 'failed'"),
    )

    kind: Mapped[str]
    open_key: Mapped[str | None]
    payload: Mapped[dict[str, Any]] = mapped_column(default=dict)
    next_payload: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))  # for a rerun
    request_id: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))  # of the request that queued it
    state: Mapped[str] = mapped_column(default=JobState.OPEN)
    due_at: Mapped[datetime | None]
    claimed_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(default=0)
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    done_at: Mapped[datetime | None]


class EngineProcess(Numbered, Base):
    """A process that runs units or stands by; without a heartbeat for one lease, it counts as dead."""

    __tablename__ = "engine_process"
    __stays__ = "processes of the other server"

    command: Mapped[str]  # serve or worker
    engine: Mapped[str]
    host: Mapped[str]
    pid: Mapped[int]
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]


class EngineSeat(Base):
    """Which process feeds the engine of this database, and until when it may without renewing."""

    __tablename__ = "engine_seat"
    __stays__ = "which of them runs its engine"

    name: Mapped[str] = mapped_column(primary_key=True)
    process_id: Mapped[int | None] = mapped_column(sa.ForeignKey("engine_process.id", ondelete="SET NULL"))
    until: Mapped[datetime]
