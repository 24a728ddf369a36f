"""The clock: the only place that reads the time."""

import time
from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime
from zoneinfo import ZoneInfo


def _system() -> datetime:
    return datetime.now(UTC)


_source: Callable[[], datetime] = _system


def now() -> datetime:
    """Return the current time, UTC and aware. For a workspace use `Workspace.now()`: its clock may be moved."""
    return _source()


# Files in the time zone database that are no zones, or whose meaning depends on the machine.
_NO_ZONES = ("localtime", "posixrules", "Factory", "posix/", "right/")


def is_zone(name: str) -> bool:
    """Return whether the name is an IANA time zone."""
    if name.startswith(_NO_ZONES):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


def moment(written: str) -> datetime:
    """Return the moment of an ISO 8601 date and time, in UTC if it names no zone; raise ValueError for another text."""
    found = wall_time(written)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)


def wall_time(written: str) -> datetime:
    """Return an ISO 8601 date and time as it is written, perhaps without a zone; raise ValueError for another text."""
    if "T" not in written or not written.isascii():
        raise ValueError(written)
    found = datetime.fromisoformat(written)
    if not is_shown(found):
        raise ValueError(written)
    return found


def is_shown(day: date) -> bool:
    """Return whether the day can be converted to every time zone, unlike the first and last days of the calendar."""
    return MINYEAR < day.year < MAXYEAR


def minutes(time: str) -> int:
    """Return the minutes from midnight to a time such as 09:00."""
    hour, minute = time.split(":")
    return int(hour) * 60 + int(minute)


def use(source: Callable[[], datetime] | None) -> None:
    """Make `now` read the time from `source`; with None, from the system again."""
    global _source
    _source = source or _system


class Jumps:
    """Notices that this machine's time was set or that it slept: wall clock and monotonic clock then differ."""

    LEAST = 5.0  # seconds; time synchronization corrects a clock in smaller steps

    def __init__(self) -> None:
        self._apart = self._measure()

    def since_last_asked(self) -> float:
        """Return by how many seconds the time jumped, below 0 if it was set back; 0 if it did not."""
        apart = self._measure()
        jump, self._apart = apart - self._apart, apart
        return jump if abs(jump) >= self.LEAST else 0.0

    @staticmethod
    def _measure() -> float:
        return time.time() - time.monotonic()
