"""The calendar: what goes out in the next fortnight, by day and sender, and who is idle and why."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Blueprint, Response, request

from app.domain.campaigns.forecasts import calendar
from app.domain.campaigns.forecasts.calendar import Calendar, CalendarDay, Entry
from app.domain.rules.step_kinds import BUDGET_WORDS
from app.domain.workspace.workspaces import Workspace
from app.pages.framework.base import htmx, render

area = Blueprint("calendar", __name__, url_prefix="/calendar")
SHOWN_SENDERS = 12  # of one reason


@dataclass(frozen=True)
class ShownDay:
    """One day as it is shown: who does what, and who is idle, grouped by the reason."""

    date: date
    today: bool
    weekend: bool
    total: int
    busy: Sequence[tuple[int, str, Counter[str], str]]  # sender, name, actions of each budget, for which campaigns
    idle: Sequence[tuple[str, str]]  # why, and the names; "" for all of them


@area.get("")
def index(workspace: Workspace) -> Response:
    """Show the fortnight; one that has to be made first is asked for by the page, or `now` waits for it."""
    found = calendar.find_cached(workspace)
    if found is None and (htmx().partial or "now" in request.args):
        found = calendar.make_cached(workspace)
    if found is None:
        return render("calendar/index.html", part="calendar/_wait.html", found=None)
    return render("calendar/index.html", part="calendar/_days.html", found=found, **_calendar_context(found))


def _calendar_context(found: Calendar) -> dict[str, Any]:
    days = [_day(found, number, day) for number, day in enumerate(found.days)]
    peak = max((day.total for day in days), default=0)
    done = {budget for day in days for _, _, work, _ in day.busy for budget in work}
    kinds = [budget for budget in BUDGET_WORDS if budget in done]
    nothing = not any(day.busy for day in days)
    return {"days": days, "nothing": nothing, "peak": peak, "nouns": BUDGET_WORDS, "kinds": kinds}


def _day(found: Calendar, number: int, day: CalendarDay) -> ShownDay:
    busy = [entry for entry in day.entries if entry.work]
    return ShownDay(
        date=day.date,
        today=number == 0,
        weekend=day.date.isoweekday() > 5,
        total=sum(entry.total for entry in busy),
        busy=[
            (entry.sender_id, found.senders.get(entry.sender_id, ""), entry.by_budget, _campaigns(found, entry))
            for entry in busy
        ],
        idle=_idle(found, [one for one in day.entries if not busy or one.idle != "no_one_due"]),
    )


def _campaigns(found: Calendar, entry: Entry) -> str:
    by_campaign = entry.by_campaign.most_common()
    names = [found.campaigns.get(campaign_id, "") for campaign_id, _ in by_campaign]
    if len(names) == 1:
        return names[0]
    return ", ".join(f"{name} {number:,}" for name, (_, number) in zip(names, by_campaign, strict=True))


def _idle(found: Calendar, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Return why senders do nothing, each with their names; without names where it is all of them."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if not entry.work:
            names[entry.sentence].append(found.senders.get(entry.sender_id, ""))
    if len(names) == 1 and len(entries) == sum(map(len, names.values())):
        return [(sentence, "") for sentence in names]
    return [(sentence, _some(idle)) for sentence, idle in names.items()]


def _some(names: Sequence[str]) -> str:
    more = len(names) - SHOWN_SENDERS
    return ", ".join(names[:SHOWN_SENDERS]) + (f" and {more} more" if more > 0 else "")
