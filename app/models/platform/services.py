"""Connected services of a workspace, in the order of use."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, OfWorkspace, table_args
from app.core.row_rules import sealed_for


class ServiceLogin(Numbered, OfWorkspace, Base):
    """A workspace's encrypted credentials for one service, its use, and the result of the last calls.

    Money is in millionths of a dollar. `used` and `spent` are those of the day `used_on`, in the workspace's time zone.
    """

    __tablename__ = "service_login"
    __noun__ = "connected service"
    __table_args__ = table_args(sa.UniqueConstraint("workspace_id", "service"))

    service: Mapped[str]
    position: Mapped[int]
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("service_login|sealed|{id}|{workspace_id}"))
    shown: Mapped[dict[str, Any]]  # the credentials as pages show them, secrets masked
    about: Mapped[str] = mapped_column(default="")  # the service's sentence at the last check
    daily_budget: Mapped[int | None]
    used_on: Mapped[str] = mapped_column(default="")
    used: Mapped[int] = mapped_column(default=0)
    spent: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    checked_at: Mapped[datetime | None]
    succeeded_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    failure: Mapped[str] = mapped_column(default="")

    @property
    def well(self) -> bool:
        """Return whether the last call succeeded."""
        return not self.failure
