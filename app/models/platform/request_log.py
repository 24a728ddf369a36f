"""The request log of `/v1`."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, table_args
from app.core.row_rules import Leftovers


class ApiRequest(Numbered, Base):
    """One request of a workspace. What was sent and answered is kept only when it was refused."""

    __tablename__ = "api_request"
    __stays__ = "the log of the other server's requests"
    __leftovers__ = Leftovers.NAMES
    __table_args__ = table_args(
        sa.Index("ix_api_request_workspace_id_id", "workspace_id", "id"),
        sa.Index("ix_api_request_workspace_id_refused_id", "workspace_id", "refused", "id"),
        sa.Index("ix_api_request_workspace_id_key_id_id", "workspace_id", "key_id", "id"),
    )

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"))
    key_id: Mapped[int]  # no foreign key: a line is written later, and must not fail for a key that is gone
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
