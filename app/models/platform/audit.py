"""The audit log."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, OfWorkspace, table_args
from app.core.row_rules import Leftovers, ids, left_blank


class AuditEntry(Numbered, OfWorkspace, Base):
    """One audited act. `digest` also covers the previous row's digest, so that a changed or missing row is detected."""

    __tablename__ = "audit_entry"
    __leftovers__ = Leftovers.NOTHING
    __table_args__ = table_args(
        sa.UniqueConstraint("workspace_id", "number"), sa.Index("ix_audit_entry_kind", "workspace_id", "kind", "id")
    )

    number: Mapped[int]
    kind: Mapped[str]  # area.act, such as "member.invited"
    actor: Mapped[str]  # the actor's name at the time
    # no foreign key: the entry stays when the user is deleted
    user_id: Mapped[int | None] = mapped_column(info=ids("user_account"))
    subject: Mapped[str] = mapped_column(
        default="",
        info=ids(
            (
                (r"person (\d+)", ("lead",)),
                (r"people (\d+) and (\d+)", ("person", "person")),
                (r"campaign person (\d+)", ("campaign_lead",)),
                (r"person id (\d+)", ("person",)),
            )
        ),
    )
    before: Mapped[dict[str, Any]]
    after: Mapped[dict[str, Any]]
    address: Mapped[str] = mapped_column(default="")
    request_id: Mapped[str] = mapped_column(default="")
    at: Mapped[datetime]
    digest: Mapped[bytes] = mapped_column(info=left_blank(b""))
