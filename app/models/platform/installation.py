"""The installation itself: signing keys of a former SECRET_KEY, restores from a backup, AI models, OAuth clients."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered, table_args
from app.core.row_rules import sealed_for


class KeptKey(Base):
    """The signing key of one purpose, encrypted: signatures made under a former SECRET_KEY stay valid."""

    __tablename__ = "kept_key"
    __stays__ = "the other server's"

    purpose: Mapped[str] = mapped_column(primary_key=True)
    sealed: Mapped[bytes] = mapped_column(info=sealed_for("kept_key|sealed|{purpose}|-"))
    created_at: Mapped[datetime]


class FormerId(Base):
    """The id that a row had in links and codes made before version 0.2.0."""

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

    backup_at: Mapped[datetime]  # when the backup was made: later actions are missing from the rows
    restored_at: Mapped[datetime]
    released_at: Mapped[datetime | None]
    released_by: Mapped[str] = mapped_column(default="")


class ModelUse(Base):
    """The tokens used of one AI model, today and in all, and its failures in a row; not called until `rests_until`."""

    __tablename__ = "model_use"
    __stays__ = "the other server's"

    model: Mapped[str] = mapped_column(primary_key=True)  # the model's server address and name, as one key
    day: Mapped[date]
    tokens: Mapped[int]
    all_tokens: Mapped[int] = mapped_column(default=0, server_default=sa.text("0"))
    failures: Mapped[int]
    rests_until: Mapped[datetime | None]
    failure: Mapped[str] = mapped_column(
        default="", server_default=sa.text("''")
    )  # why the last call failed; '' when it succeeded
    heard_at: Mapped[datetime | None]


class ModelChoice(Numbered, Base):
    """An AI model that was set up here. At most one is active: it writes for all workspaces."""

    __tablename__ = "model_choice"
    __noun__ = "AI model"
    __stays__ = "the other server's"
    __table_args__ = table_args(sa.UniqueConstraint("url", "name"))

    url: Mapped[str]
    name: Mapped[str]
    kind: Mapped[str] = mapped_column(default="")  # the kind of its server
    sealed: Mapped[bytes | None] = mapped_column(info=sealed_for("model_choice|sealed|{id}|-"))  # its key
    active: Mapped[bool] = mapped_column(default=False)
    testing_at: Mapped[datetime | None]  # since when it is being tested
    problem: Mapped[str] = mapped_column(default="")  # why it did not work in its last test
    # What the model is used for (`writer` or `pieces`) according to its test messages, and why.
    mode: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    mode_why: Mapped[str] = mapped_column(default="", server_default=sa.text("''"))
    chosen_by: Mapped[str] = mapped_column(default="")
    chosen_at: Mapped[datetime]


class OAuthClient(Base):
    """This server's OAuth registration at Google or Microsoft, entered by an admin; mailboxes sign in with it."""

    __tablename__ = "oauth_client"
    __noun__ = "OAuth client"
    __stays__ = "the other server's"

    way: Mapped[str] = mapped_column(primary_key=True)  # google or microsoft
    client_id: Mapped[str]
    sealed: Mapped[bytes] = mapped_column(info=sealed_for("oauth_client|sealed|{way}|-"))  # its secret
    tenant: Mapped[str] = mapped_column(default="")
    chosen_by: Mapped[str] = mapped_column(default="")
    chosen_at: Mapped[datetime]
