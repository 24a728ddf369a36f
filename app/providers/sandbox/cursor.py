"""How far an account has read: up to which moment, and up to which effect that was written down by then."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Cursor:
    """Everything that is both not after `at` and not after `seq` has been given out; nothing else has.

    A moment alone would lose what is written down later for an earlier moment, a number alone what comes due later.
    """

    at: datetime = BEGINNING
    seq: int = 0

    @classmethod
    def read(cls, written: str) -> "Cursor":
        """Parse a cursor; an unreadable one is the beginning, since all items have stable ids."""
        moment, _, seq = written.partition("~")
        if not (moment.isdigit() and seq.isdigit()):
            return cls()
        return cls(BEGINNING + timedelta(microseconds=int(moment)), int(seq))

    @property
    def written(self) -> str:
        """Return the cursor as text."""
        return f"{(self.at - BEGINNING) // timedelta(microseconds=1)}~{self.seq}"
