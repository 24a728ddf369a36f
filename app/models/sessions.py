"""Sessions, second factors and one-time links."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered
from app.core.row_rules import sealed_for


class BrowserSession(Numbered, Base):
    """A user's session in one browser. The browser holds the token, the row only its hash."""

    __tablename__ = "browser_session"
    __noun__ = "session"
    __stays__ = "sign-ins on the other server"

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    digest: Mapped[bytes] = mapped_column(unique=True)
    former_digest: Mapped[bytes | None] = mapped_column(index=True)  # until the password was given again
    epoch: Mapped[int]  # the user's `session_epoch` when it began
    agent: Mapped[str] = mapped_column(default="")
    address: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(index=True)
    seen_at: Mapped[datetime]  # to the nearest few minutes
    proven_at: Mapped[datetime]  # the last time the password was given


class SecondFactor(Base):
    """A user's authenticator app. It is required at sign-in once a first code confirmed its setup."""

    __tablename__ = "second_factor"
    __stays__ = "the way in on the other server"

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), primary_key=True)
    secret: Mapped[bytes] = mapped_column(info=sealed_for("second_factor|secret|{user_id}|-"))  # sealed
    last_step: Mapped[int] = mapped_column(default=0)  # the time step of the last code used, so that none works twice
    created_at: Mapped[datetime]
    confirmed_at: Mapped[datetime | None]


class RecoveryCode(Numbered, Base):
    """A one-time code to sign in without the authenticator app."""

    __tablename__ = "recovery_code"
    __stays__ = "the way in on the other server"

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    digest: Mapped[bytes]
    used_at: Mapped[datetime | None]


class LinkOrigin(StrEnum):
    """Who gets a link for a new password: the user by email, an owner of a workspace, or an admin at the shell."""

    EMAIL = "email"
    OWNER = "owner"
    SHELL = "shell"


class PasswordReset(Numbered, Base):
    """A link with which a user sets a new password, once."""

    __tablename__ = "password_reset"
    __stays__ = "links to the other server"

    user_id: Mapped[int] = mapped_column(sa.ForeignKey("user_account.id", ondelete="CASCADE"), index=True)
    digest: Mapped[bytes] = mapped_column(unique=True)
    origin: Mapped[str] = mapped_column(default=LinkOrigin.OWNER, server_default=sa.text("'owner'"))
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
