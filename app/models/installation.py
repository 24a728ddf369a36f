"""The installation itself: signing keys kept for a former SECRET_KEY, restores from a backup, the use of the model."""

from datetime import date, datetime

from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base, Numbered


class KeptKey(Base):
    """The key of one purpose, sealed: what was signed with it for a former SECRET_KEY stays valid."""

    __tablename__ = "kept_key"

    purpose: Mapped[str] = mapped_column(primary_key=True)
    sealed: Mapped[bytes]
    created_at: Mapped[datetime]


class Restore(Numbered, Base):
    """One restore of this database from a backup: it sends nothing until a person releases it."""

    __tablename__ = "restore"

    backup_at: Mapped[datetime]  # up to here the rows know what was done
    restored_at: Mapped[datetime]
    released_at: Mapped[datetime | None]
    released_by: Mapped[str] = mapped_column(default="")


class ModelUse(Base):
    """Today's tokens of one AI model and its failures in a row; it is asked again after `rests_until`."""

    __tablename__ = "model_use"

    model: Mapped[str] = mapped_column(primary_key=True)  # its address and name
    day: Mapped[date]
    tokens: Mapped[int]
    failures: Mapped[int]
    rests_until: Mapped[datetime | None]
