"""The schedule of a campaign as a form: hours, time zone, holidays, blackout dates, first and last day."""

import re
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from werkzeug.datastructures import MultiDict

from app.core import clock, text
from app.core.errors import InvalidRequest
from app.domain.campaigns.validation import DEFAULT_SCHEDULE
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame
from app.pages.framework.forms import Form, Nested, Numbers, Text, Tick

_MORE = re.compile(r"schedule\.windows\[(\d{1,2})\]\.(start|end|days)")
_BLACKOUT = re.compile(r"schedule\.blackouts\[(\d{1,2})\]\.(name|firstDay|lastDay)")
LABELS = {
    "schedule.timezone": "Time zone",
    "schedule.days": "Days",
    "schedule.startTime": "From",
    "schedule.endTime": "Until",
    "schedule.windows": "Hours",
    "schedule.blackouts": "Blackout dates",
    "schedule.newPeoplePerDay": "New people a day",
    "schedule.startDate": "First day",
    "schedule.endDate": "Last day",
}
_WRITTEN = {"start": "From", "end": "Until", "days": "Days", "name": "Name", "firstDay": "From", "lastDay": "Until"}
_FIRST = {"start": "startTime", "end": "endTime", "days": "days"}  # of the first window, which has its own fields
_PART = re.compile(r"schedule\.(windows|blackouts)\[(\d+)\]\.(\w+)")
Schedule = dict[str, Any]


def fresh(workspace: Workspace) -> Schedule:
    """Return the schedule of a new campaign."""
    return {
        **DEFAULT_SCHEDULE,
        "timezone": workspace.timezone,
        "more": [],
        "recipientTime": False,
        "holidays": True,
        "blackouts": [],
        "newPeoplePerDay": "",
        "startDate": "",
        "endDate": "",
    }


def of_campaign(campaign: Any) -> Schedule:
    """Return the form's values for a saved campaign."""
    zone = ZoneInfo(campaign.timezone)
    ends = campaign.end_date and (campaign.end_date - timedelta(seconds=1)).astimezone(zone).date().isoformat()
    one = {"days": campaign.days, "start": campaign.start_time, "end": campaign.end_time}
    first, *more = campaign.windows or [one]
    return {
        "timezone": campaign.timezone,
        "days": first["days"],
        "startTime": first["start"],
        "endTime": first["end"],
        "more": more,
        "recipientTime": campaign.recipient_time,
        "holidays": campaign.holidays,
        "blackouts": campaign.blackouts or [],
        "newPeoplePerDay": "" if campaign.new_per_day is None else str(campaign.new_per_day),
        "startDate": campaign.start_date.astimezone(zone).date().isoformat() if campaign.start_date else "",
        "endDate": ends or "",
    }


def hours_in_words(schedule: Schedule, workspace: Workspace) -> str:
    """Return the hours of a draft such as Mon–Fri, 09:00–17:30."""
    return frame.hours(_windows(schedule), schedule["timezone"], workspace, recipient_time=schedule["recipientTime"])


def _windows(schedule: Schedule) -> list[dict[str, Any]]:
    return [{name: schedule[field] for name, field in _FIRST.items()}, *schedule["more"]]


def argument(schedule: Schedule) -> dict[str, Any]:
    """Return the schedule as verbs take it; raise InvalidRequest for an invalid day."""
    zone = _zone(schedule["timezone"])
    starts, ends = (_day(schedule[name], name) for name in ("startDate", "endDate"))
    windows = _windows(schedule)
    several = len(windows) > 1 or schedule["startTime"] > schedule["endTime"]
    per_day = schedule["newPeoplePerDay"].strip()
    return {
        **{name: value for name, value in schedule.items() if name != "more"},
        "windows": windows if several else [],
        "blackouts": [{**one, "lastDay": one["lastDay"] or one["firstDay"]} for one in schedule["blackouts"]],
        "newPeoplePerDay": text.number(per_day, -1) if per_day else None,
        "startDate": datetime.combine(starts, time(0), zone) if starts else None,
        "endDate": datetime.combine(ends + timedelta(days=1), time(0), zone) if ends else None,
    }


def change(schedule: Schedule, verb: str, at: int) -> tuple[str, str] | None:
    """Apply one of the form's buttons; return the field to focus and what changed, None for another button."""
    more, blackouts = schedule["more"], schedule["blackouts"]
    if verb == "add-hours":
        last = more[-1] if more else {"days": schedule["days"], "end": schedule["endTime"]}
        more.append({"days": list(last["days"]), "start": last["end"] or "09:00", "end": "17:30"})
        return f"f-schedule-windows-{len(more)}-start", "Hours added."
    if verb == "remove-hours" and 1 <= at <= len(more):
        more.pop(at - 1)
        return "add-hours", "Hours removed."
    if verb == "add-blackout":
        blackouts.append({"name": "", "firstDay": "", "lastDay": ""})
        return f"f-schedule-blackouts-{len(blackouts) - 1}-name", "Blackout dates added."
    if verb == "remove-blackout" and 0 <= at < len(blackouts):
        blackouts.pop(at)
        return "add-blackout", "Blackout dates removed."
    return None


def place_of(path: str, schedule: Schedule) -> tuple[str, str] | None:
    """Return label and id of the field that a problem is about; None when it is not of one entry."""
    found = _PART.fullmatch(path)
    if not found:
        return None
    kind, index, name = found[1], int(found[2]), found[3]
    if kind == "windows" and index == 0:
        return LABELS[f"schedule.{_FIRST[name]}"], f"f-schedule-{_FIRST[name]}"
    label = f"Hours {index + 1}" if kind == "windows" else f"Blackout dates {index + 1}"
    return f"{label}, {_WRITTEN[name].lower()}", f"f-schedule-{kind}-{index}-{name}"


def _more(form: MultiDict[str, str]) -> list[dict[str, Any]]:
    """Return the windows after the first."""
    found: dict[int, dict[str, Any]] = {}
    for name, given in form.items():
        if part := _MORE.fullmatch(name):
            one = found.setdefault(int(part[1]), {"days": [], "start": "", "end": ""})
            one[part[2]] = [text.number(day) for day in form.getlist(name)] if part[2] == "days" else given.strip()
    return [one for _, one in sorted(found.items())]


def _blackouts(form: MultiDict[str, str]) -> list[dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for name, given in form.items():
        if part := _BLACKOUT.fullmatch(name):
            found.setdefault(int(part[1]), {"name": "", "firstDay": "", "lastDay": ""})[part[2]] = given.strip()
    return [one for _, one in sorted(found.items())]


class ScheduleForm(Form):
    """The fields of a schedule; those of the first window have names of their own."""

    timezone = Text(name="schedule.timezone", strip=True)
    days = Numbers(name="schedule.days")
    start_time = Text(name="schedule.startTime", strip=True)
    end_time = Text(name="schedule.endTime", strip=True)
    more = Nested(read=_more)
    recipient_time = Tick(name="schedule.recipientTime")
    holidays = Tick(name="schedule.holidays")
    blackouts = Nested(read=_blackouts)
    new_per_day = Text(name="schedule.newPeoplePerDay", strip=True)
    start_date = Text(name="schedule.startDate", strip=True)
    end_date = Text(name="schedule.endDate", strip=True)

    def schedule(self) -> Schedule:
        """Return the values as they were sent."""
        return {
            "timezone": self.timezone.data,
            "days": self.days.data,
            "startTime": self.start_time.data,
            "endTime": self.end_time.data,
            "more": self.more.data,
            "recipientTime": self.recipient_time.data,
            "holidays": self.holidays.data,
            "blackouts": self.blackouts.data,
            "newPeoplePerDay": self.new_per_day.data,
            "startDate": self.start_date.data,
            "endDate": self.end_date.data,
        }


def _zone(name: str) -> ZoneInfo:
    """Return the time zone; UTC for one that the verb will refuse."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return ZoneInfo("UTC")


def _day(written: str, name: str) -> date | None:
    try:
        day = date.fromisoformat(written) if written else None
        if day is None or clock.is_shown(day):
            return day
        raise ValueError
    except ValueError:
        raise InvalidRequest.of((f"schedule.{name}", "Use a date such as 2026-11-24.")) from None
