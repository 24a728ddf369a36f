"""The movable clock of the tests."""

from datetime import UTC, datetime, timedelta


class Movable:
    """A clock that stands still until it is moved."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def to(self, moment: datetime | str) -> None:
        """Stop the clock at `moment`; a text is ISO 8601, in UTC by default."""
        if isinstance(moment, str):
            moment = datetime.fromisoformat(moment)
        self.at = moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    def forward(self, **delta: float) -> None:
        """Move ahead by a timedelta given in words, as in `forward(hours=2)`."""
        self.at += timedelta(**delta)
