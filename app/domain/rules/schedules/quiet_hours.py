"""Digests and quiet hours: when alerts may be sent. Waiting alerts stay among the events."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from app.models.autopilot import Setup
from app.models.workspaces import Workspace

DIGESTS = {
    "immediately": "Immediately, at most one a minute",
    "hourly": "Every hour, on the hour",
    "daily": "Every day at 08:00",
}
MORNING = 8
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


@dataclass(frozen=True)
class Timing:
    """How alerts are gathered, and from when to when nothing is sent; times are such as 22:00, '' for none."""

    digest: str = "immediately"
    start: str = ""
    end: str = ""

    @property
    def quiet(self) -> dict[str, str] | None:
        """Return the quiet hours as they are stored, or None."""
        return {"start": self.start, "end": self.end} if self.start else None

    def problems(self) -> list[tuple[str, str]]:
        """Return the problems by field."""
        found = []
        if self.digest not in DIGESTS:
            found.append(("digest", "Use immediately, hourly or daily."))
        if self.start or self.end:
            for name, given in (("start", self.start), ("end", self.end)):
                if not _TIME.fullmatch(given):
                    found.append(
                        (f"quietHours.{name}", "Enter a time such as 22:00 for both start and end, or for neither.")
                    )
            if not found and self.start == self.end:
                found.append(("quietHours.end", "Choose an end that differs from the start."))
        return found


def timing_of(setup: Setup) -> Timing:
    """Return the chosen timing."""
    quiet = setup.alerts_quiet or {}
    return Timing(setup.alerts_digest, quiet.get("start", ""), quiet.get("end", ""))


def may_look(workspace: Workspace, setup: Setup) -> bool:
    """Return whether an alert may be sent now: no quiet hours, and the digest is due."""
    timing, now = timing_of(setup), workspace.now().astimezone(ZoneInfo(workspace.timezone))
    if is_quiet(timing, now):
        return False
    return timing.digest == "immediately" or setup.alerts_at is None or setup.alerts_at < next_moment(timing, now)


def is_quiet(timing: Timing, now: datetime) -> bool:
    """Return whether that local time is in the quiet hours, which may span midnight."""
    at, start, end = f"{now:%H:%M}", timing.start, timing.end
    if not start:
        return False
    return start <= at < end if start < end else at >= start or at < end


def next_moment(timing: Timing, now: datetime) -> datetime:
    """Return when a digest was last due, in local time."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    if timing.digest == "hourly":
        return hour
    morning = hour.replace(hour=MORNING)
    return morning if morning <= now else morning - timedelta(days=1)
