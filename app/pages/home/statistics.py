"""The numbers of Home: today's plan, which comes after the page by htmx, and the hours of replies."""

from typing import Any

from flask import Blueprint, Response

from app.domain.campaigns.forecasts import calendar, pipeline
from app.domain.rules.step_kinds import BUDGET_WORDS
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import words
from app.pages.framework.base import htmx, redirect_to_path, render
from app.pages.framework.charts import shade

area = Blueprint("statistics", __name__, url_prefix="/home")
SHOWN = 3  # actions that come next


@area.get("/plan")
def plan(workspace: Workspace) -> Response:
    """Show what goes out today; without htmx the calendar does."""
    if not htmx().partial:
        return redirect_to_path("/calendar?now=1")
    found = calendar.find_cached(workspace) or calendar.make_cached(workspace)
    totals = [sum(entry.total for entry in day.entries) for day in found.days]
    return render(
        "home/_plan.html",
        found=found,
        coming=calendar.coming(workspace, found)[:SHOWN],
        why_not=next((entry.sentence for entry in found.days[0].entries if not entry.work), ""),
        totals=totals,
        nouns=BUDGET_WORDS,
    )


def hours(workspace: Workspace) -> dict[str, Any]:
    """Return the replies of each weekday and hour with their shades, and when most come, in words."""
    found = pipeline.reply_hours(workspace)
    rows = [
        (name, [(number, shade(number, found.most)) for number in row])
        for name, row in zip(words.WEEKDAYS, found.days, strict=True)
    ]
    day, hour = found.best or (0, 0)
    best = f"Most on {words.WEEKDAYS[day]} after {hour:02}:00" if found.best else ""
    return {"total": found.total, "rows": rows, "best": best}
