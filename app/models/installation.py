"""The server's signing keys, kept once SECRET_KEY was replaced."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base


class KeptKey(Base):
    """The key of one purpose, sealed: what was signed with it for a former SECRET_KEY stays valid."""

    __tablename__ = "kept_key"

    purpose: Mapped[str] = mapped_column(primary_key=True)
    sealed: Mapped[bytes]
    created_at: Mapped[datetime]
