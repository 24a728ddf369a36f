"""The numbers of Home that cost more: today's plan, senders, mailboxes, hours of replies and credits by day.

They come after the page, by htmx; without JavaScript they stand on a page of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from flask import Blueprint, Response

from app.domain.billing import credits
from app.domain.campaign_leads import why_waiting
from app.domain.outlook import calendar, pipeline
from app.domain.outlook.calendar import Calendar
from app.domain.outlook.pipeline import ReplyHours
from app.domain.senders import accounts, deliverability, standing
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import charts, words
from app.pages.framework.base import htmx, redirect_to_path, render, signed_in
from app.pages.framework.charts import shade
from app.pages.home.calendar import what_of

area = Blueprint("statistics", __name__, url_prefix="/home")
SHOWN = 6  # senders, those in trouble first


@dataclass(frozen=True)
class Load:
    """A sender: how it stands, what it does next, and how much of its limits it used in 24 hours."""

    account: Any
    why: Any
    used: int
    most: int
    acceptance: str
    stuck: bool


@dataclass(frozen=True)
class PlannedDay:
    """One day of the fortnight: how much goes out, and its shade beside the busiest day."""

    date: date
    total: int
    shade: int
    today: bool
    weekend: bool


@area.get("/plan")
@signed_in
def plan(workspace: Workspace) -> Response:
    """Show what goes out today and in the fortnight; without htmx the calendar does."""
    if not htmx().partial:
        return redirect_to_path("/calendar?now=1")
    found = calendar.find_cached(workspace) or calendar.make_cached(workspace)
    return render("home/_plan.html", found=found, **_planned(found))


def _planned(found: Calendar) -> dict[str, Any]:
    today = found.days[0]
    busy = [entry for entry in today.entries if entry.work]
    totals = [sum(entry.total for entry in day.entries) for day in found.days]
    most = max(totals)
    days = [
        PlannedDay(day.date, total, shade(total, most), number == 0, day.date.isoweekday() > 5)
        for number, (day, total) in enumerate(zip(found.days, totals, strict=True))
    ]
    return {
        "today": [(one.sender_id, found.senders.get(one.sender_id, ""), what_of(one)) for one in busy[:SHOWN]],
        "others": max(0, len(busy) - SHOWN),
        "why_not": next((one.sentence for one in today.entries if not one.work), "") if not busy else "",
        "days": days,
        "total": sum(totals),
    }


@area.get("/senders")
@signed_in
def senders(workspace: Workspace) -> Response:
    """Show senders with their load, and mailboxes; without htmx the page of all numbers does."""
    if not htmx().partial:
        return redirect_to_path("/home/numbers")
    return render("home/_senders.html", **_standing(workspace))


@area.get("/numbers")
@signed_in
def numbers(workspace: Workspace) -> Response:
    """Show hours of replies and credits; without htmx as a page, with the senders."""
    further = {} if htmx().partial else _standing(workspace)
    spent, hours = credits.chart(workspace), pipeline.reply_hours(workspace)
    return render(
        "home/numbers.html",
        part="home/_numbers.html",
        **further,
        hours=hours,
        heat=_heat(hours),
        best=_best(hours),
        free=credits.balance(workspace).free,
        spent=sum(spent.sums),
        span=credits.DAYS,
        names=spent.names,
        days=charts.days(spent),
        legend=charts.legend(spent, lambda _: ""),
    )


def _standing(workspace: Workspace) -> dict[str, Any]:
    known = accounts.every(workspace)
    first = sorted((one for one in known if one.active), key=lambda one: (one.status not in accounts.STUCK, one.id))[
        :SHOWN
    ]
    mailboxes = deliverability.of_workspace(workspace)
    return {"loads": _loads(workspace, first), "further": len(known) - len(first), "mailboxes": mailboxes}


def _loads(workspace: Workspace, some: Sequence[Any]) -> list[Load]:
    uses, whys = standing.uses(workspace, some), why_waiting.of_accounts(workspace, some)
    return [
        Load(
            one,
            whys[one.id],
            sum(use.used for use in uses[one.id]),
            sum(use.most for use in uses[one.id]),
            standing.acceptance(one),
            one.status in accounts.STUCK,
        )
        for one in some
    ]


def _heat(hours: ReplyHours) -> list[tuple[str, list[tuple[int, int]]]]:
    """Return each weekday with the number and the shade of every hour."""
    most = hours.most
    return [
        (name, [(number, shade(number, most)) for number in row])
        for name, row in zip(words.WEEKDAYS, hours.days, strict=True)
    ]


def _best(hours: ReplyHours) -> str:
    """Return when most replies come, in words."""
    if hours.best is None:
        return ""
    day, hour = hours.best
    return f"Most on {words.WEEKDAYS[day]}, {hour:02}:00–{(hour + 1) % 24:02}:00"
