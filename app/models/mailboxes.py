"""Mailbox settings: servers, encrypted login, and the domain's deliverability."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered


class MailboxLogin(Numbered, Base):
    """The servers of a mailbox and what it signs in with; kept apart so that lists of senders never load a secret."""

    __tablename__ = "mailbox_login"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), index=True)
    account_id: Mapped[int] = mapped_column(sa.ForeignKey("account.id", ondelete="CASCADE"), unique=True)
    settings: Mapped[dict[str, Any]] = mapped_column(default=dict)  # hosts, ports, user name, who keeps copies
    sealed: Mapped[bytes | None]
    checks: Mapped[list[Any]] = mapped_column(default=list)  # of the domain's records
    checked_at: Mapped[datetime | None]
