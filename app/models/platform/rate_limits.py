"""Rate limits of API callers, and throttles of sign-in and other tries."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import Base


class RateBucket(Base):
    """How fast a caller asks: the moment (seconds since 1970) at which their bucket will be full again."""

    __tablename__ = "rate_bucket"
    __stays__ = "requests of the last seconds"

    key: Mapped[str] = mapped_column(primary_key=True)
    full_at: Mapped[float]


class Throttle(Base):
    """How often something failed in a row, and until when it has to wait."""

    __tablename__ = "throttle"
    __stays__ = "tries of the last minutes"

    key: Mapped[str] = mapped_column(primary_key=True)
    failures: Mapped[int] = mapped_column(default=0)
    until: Mapped[datetime | None]
    at: Mapped[datetime]
