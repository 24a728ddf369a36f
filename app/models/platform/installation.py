"""The installation itself: signing keys of a former SECRET_KEY, restores from a backup, AI models, OAuth clients."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, table_args
from app.core.row_rules import sealed_for


class KeptKey(Base):
    """The key of one purpose, sealed: what was signed with it for a former SECRET_KEY stays valid."""

    __tablename__ = "kept_key"
    __stays__ = "the other server's"

    purpose: Mapped[str] = mapped_column(primary_key=True)
    sealed: Mapped[bytes] = mapped_column(info=sealed_for("kept_key|sealed|{purpose}|-"))
    created_at: Mapped[datetime]


class FormerId(Base):
    """The number by which links and codes from before version 0.2.0 name a row that was shown under it."""

    __tablename__ = "former_id"
    __stays__ = "names of rows in links to the other server"
    __table_args__ = (sa.Index(None, "kind", "row_id"),)

    kind: Mapped[str] = mapped_column(primary_key=True)  # the row's table
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    row_id: Mapped[int]


class Restore(Numbered, Base):
    """One restore of this database from a backup: it sends nothing until a person releases it."""

    __tablename__ = "restore"
    __stays__ = "which backup the other server was restored from"

    backup_at: Mapped[datetime]  # up to here the rows know what was done
    restored_at: Mapped[datetime]
    released_at: Mapped[datetime | None]
    released_by: Mapped[str] = mapped_column(default="")


class ModelUse(Base):
    """The tokens of one AI model, today's and all, and its failures in a row; it is asked again after `rests_until`."""

    __tablename__ = "model_use"
    __stays__ = "the other server's"

    model: Mapped[str] = mapped_column(primary_key=True)  # its address and name
    day: Mapped[date]
    tokens: Mapped[int]
    all_tokens: Mapped[int] = mapped_column(default=0, server_default=sa.text("0"))
    failures: Mapped[int]
    rests_until: Mapped[datetime | None]
    failure: Mapped[str] = mapped_column(
        default="", server_default=sa.text("''")
    )  # why the last question was not answered; '' when it was
    heard_at: Mapped[datetime | None]


class ModelChoice(Numbered, Base):
    """An AI model that was set up here. At most one is active: it writes for all workspaces."""

    __tablename__ = "model_choice"
    __noun__ = "AI model"
    __stays__ = "the other server's"
    __table_args__ = table_args(sa.UniqueConstraint("url", "name"))

    url: Mapped[str]
    name: Mapped[str]
    kind: Mapped[str] = mapped_column(default="")  # of its server
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("model_choice|sealed|{id}|-"))  # its key
    active: Mapped[bool] = mapped_column(default=False)
    testing_at: Mapped[datetime | None]  # since when it is being tested
    problem: Mapped[str] = mapped_column(default="")  # why it did not work in its last test
    # What it is used for, writer or pieces, as its test messages showed, and why.
    mode: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    mode_why: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    chosen_by: Mapped[str] = mapped_column(default="")
    chosen_at: Mapped[datetime]


class OAuthClient(Base):
    """What this server is registered as at Google or Microsoft, entered by its admin; mailboxes sign in with it."""

    __tablename__ = "oauth_client"
    __noun__ = "OAuth client"
    __stays__ = "the other server's"

    way: Mapped[str] = mapped_column(primary_key=True)  # google or microsoft
    client_id: Mapped[str]
    sealed: Mapped[bytes] = mapped_column(info=sealed_for("oauth_client|sealed|{way}|-"))  # its secret
    tenant: Mapped[str] = mapped_column(default="")
    chosen_by: Mapped[str] = mapped_column(default="")
    chosen_at: Mapped[datetime]
