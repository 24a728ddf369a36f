"""Hosted sign-ins in progress, and the registered webhook address of a network."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, IndexedOfWorkspace, Numbered
from app.core.row_rules import sealed_for


class SignInState(StrEnum):
    """The state of a sign-in."""

    OPEN = "open"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


class SignIn(Numbered, IndexedOfWorkspace, Base):
    """A hosted sign-in in progress. `state` is the one-time token with which the user returns from the page."""

    __tablename__ = "sign_in"
    __noun__ = "sign-in"
    __stays__ = "a sign-in that only lasts a few minutes"

    provider: Mapped[str]
    state: Mapped[str] = mapped_column(unique=True)
    status: Mapped[str] = mapped_column(default=SignInState.OPEN)
    again: Mapped[bool] = mapped_column(default=False)  # a sign-in of an account that is already connected
    account_id: Mapped[int | None] = mapped_column(sa.ForeignKey("account.id", ondelete="SET NULL"))
    timezone: Mapped[str] = mapped_column(default="")
    # the address of the sign-in page
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("sign_in|sealed|{id}|{workspace_id}"))
    error: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class NetworkHook(Numbered, Base):
    """The webhook that a network calls about the accounts of a workspace, and the secret of those calls."""

    __tablename__ = "network_hook"
    __stays__ = "an address on the old server; created again when a sender is connected"

    workspace_id: Mapped[int] = mapped_column(sa.ForeignKey("workspace.id", ondelete="CASCADE"), unique=True)
    provider: Mapped[str]
    token: Mapped[str] = mapped_column(unique=True)
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("network_hook|sealed|{id}|{workspace_id}"))
    refs: Mapped[list[Any]] = mapped_column(default=list)  # the network's ids of the webhook
    belongs_to: Mapped[str] = mapped_column(default="")  # a hash of our address and the key at registration
    made_at: Mapped[datetime | None]
    called_at: Mapped[datetime | None]
