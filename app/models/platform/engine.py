"""The processes that run the engine, and the seat of the one that feeds it."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered


class EngineProcess(Numbered, Base):
    """A process that runs units or stands by; one that was not seen for a lease is dead."""

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
