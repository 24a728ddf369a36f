"""Times to send a reply at: mornings and afternoons of the person's own time zone."""

from datetime import datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from app.domain.rules.schedules import places
from app.models.people import Person
from app.models.workspaces import Workspace

MORNING, AFTERNOON = time(9), time(14)
MONDAY = 7


class Zone(NamedTuple):
    """A time zone, and whether it is the person's: else the workspace's stands in."""

    name: str
    theirs: bool

    @property
    def info(self) -> ZoneInfo:
        """Return the zone to count with."""
        return ZoneInfo(self.name)


def zone_of(workspace: Workspace, person: Person) -> Zone:
    """Return the time zone of the person's location, or the workspace's where that is not sure."""
    theirs = places.place_of(person.location or "").sure_zone
    return Zone(theirs or workspace.timezone, bool(theirs))


def offered(at: datetime, zone: Zone) -> dict[str, datetime]:
    """Return the times that stand for these words: tomorrow, and a Monday after it."""
    today = at.astimezone(zone.info).date()
    tomorrow = today + timedelta(days=1)
    monday = today + timedelta(days=MONDAY - today.weekday())
    days = {"morning": (tomorrow, MORNING), "afternoon": (tomorrow, AFTERNOON)}
    if monday != tomorrow:
        days["monday"] = (monday, MORNING)
    return {name: datetime.combine(day, hour, zone.info) for name, (day, hour) in days.items()}
