"""A campaign's forecast and what came of it: a fragment loaded after the page, and a page of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from flask import Response, abort, g, request

from app.domain.campaigns.forecasts import comparison, what_if
from app.domain.campaigns.forecasts import forecast as campaign_forecast
from app.domain.campaigns.forecasts.comparison import ComparedDay, Comparison
from app.domain.campaigns.simulation.forecast_shape import Forecast
from app.domain.rules.step_kinds import BUDGET_WORDS
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework import charts, words
from app.pages.framework.base import htmx, render

CHART_DAYS = 30
KINDS = {"invitations": "Connection requests", "messages": "Messages", "emails": "Emails", "replies": "Replies"}
CAUSES = {
    "began": "at launch",
    "steps": "steps changed",
    "schedule": "schedule changed",
    "senders": "senders changed",
    "people": "people added",
}
WIDE, HIGH = 100, 40  # of a drawing


@campaigns_area.get("/<int:campaign_id>/forecast")
def forecast(workspace: Workspace, campaign_id: int) -> Response:
    """Show when the campaign ends, and what it does on each day.

    The page asks for a forecast that is not stored yet; `now` waits for it.
    """
    frame = campaign_frame.frame_of(workspace, campaign_id, "overview")
    kept = campaign_forecast.find_cached(workspace, campaign_id)
    if kept is None and (htmx().partial or "now" in request.args):
        kept = campaign_forecast.make_cached(workspace, campaign_id)
    if kept is None:
        return render("campaigns/forecast.html", frame=frame, found=None)
    found, made_at = kept
    done = {budget for day in found.days for budget, number in day.done.items() if number and budget != "withdraw"}
    part = "campaigns/_forecast_days.html" if "days" in request.args else "campaigns/_forecast.html"
    return render(
        "campaigns/forecast.html",
        part=part,
        frame=frame,
        found=found,
        made_at=made_at,
        used=[(one.title, budget) for budget, one in BUDGET_WORDS.items() if budget in done],
        rows=[day for day in found.days if _busy(day)],
        **_forecast_context(frame, found),
        **_compared(workspace, frame, found),
    )


@campaigns_area.get("/<int:campaign_id>/forecast/changes")
def what_would_change(workspace: Workspace, campaign_id: int) -> Response:
    """Show what would change the end; each answer is a simulation that the page asks for, or `now` waits for all."""
    frame = campaign_frame.frame_of(workspace, campaign_id, "overview")
    found, _ = campaign_forecast.find_cached(workspace, campaign_id) or campaign_forecast.make_cached(
        workspace, campaign_id
    )
    if key := request.args.get("change", ""):
        effect = what_if.effect(workspace, campaign_id, found, key) or abort(404)
        return render("campaigns/_effect_of_change.html", effect=effect)
    return render(
        "campaigns/what_if.html",
        part="campaigns/_what_if.html",
        frame=frame,
        changes=what_if.changes(workspace, campaign_id, found),
        effects=what_if.effects(workspace, campaign_id, found) if "now" in request.args else None,
    )


def _busy(day: Any) -> bool:
    return bool(day.done.total() or day.accepted or day.replies or day.ended)


def _forecast_context(frame: campaign_frame.Frame, found: Forecast) -> dict[str, Any]:
    """Return the forecast in words, and its next weeks as a chart."""
    today = frame.workspace.now().astimezone(g.zone).date()
    shown = found.days[:CHART_DAYS]
    drawn = []
    for day in shown:
        accepted = [day.accepted] if frame.invites else []
        values = [day.done.total() - day.done["withdraw"], *accepted, day.replies]
        drawn.append(charts.column(day.date, values, today=day.date == today))
    reply = found.first_reply_at
    assumed = found.assumptions
    return {
        "between": [words.day(moment, g.zone) for moment in found.finishes_between or ()],
        "ends": words.day(found.finishes_at, g.zone) if found.finishes_at else "",
        "replies": sum(day.replies for day in found.days),
        "reply_date": words.day(reply, g.zone) if reply else "",
        "chart": drawn,
        "assumed": assumed,
        "measured": "measured" in (assumed.acceptance.source, assumed.replies.source),
        "blocked": [(why, people) for why, people in found.stuck],
    }


@dataclass(frozen=True)
class Drawing:
    """The sums of one kind from day to day, as lines: as foretold, as it went, and as it is expected to go on."""

    label: str
    foretold: str
    actual: str
    expected: str
    most: int


def _compared(workspace: Workspace, frame: campaign_frame.Frame, found: Forecast) -> dict[str, Any]:
    """Return the forecast as it was, what happened, and both as a drawing."""
    if frame.drafted or (compared := comparison.compare(workspace, frame.campaign, found)) is None:
        return {"compared": None}
    sent = [kind for kind in compared.kinds if kind != "replies"]
    drawn = [("Sent", sent), ("Replies", ["replies"])]
    return {
        "compared": compared,
        "kinds": [(KINDS[kind], kind) for kind in compared.kinds],
        "drawings": [_drawing(label, compared, kinds) for label, kinds in drawn if set(kinds) & set(compared.kinds)],
        "causes": [(change.made_at, CAUSES.get(change.cause, change.cause)) for change in compared.changes],
        "compared_days": [
            day
            for day in compared.days
            if any(counts and counts.total() for counts in (day.foretold, day.actual, day.expected))
        ],
    }


def _drawing(label: str, compared: Comparison, kinds: Sequence[str]) -> Drawing:
    def sums(counts: Sequence[Any], before: int = 0) -> list[int]:
        return list(accumulate((sum((one or {}).get(kind, 0) for kind in kinds) for one in counts), initial=before))[1:]

    days = compared.days
    past = [day for day in days if day.actual is not None]
    foretold, actual = sums([day.foretold for day in days]), sums([day.actual for day in past])
    ahead: Sequence[ComparedDay] = days[len(past) - 1 :] if past else days
    expected = sums([day.expected for day in ahead], actual[-1] if actual else 0)
    most = max(*foretold, *actual, *expected, 1)

    def line(values: Sequence[int], first: int = 0) -> str:
        step = WIDE / max(len(days) - 1, 1)
        shown = enumerate(values, first)
        return " ".join(f"{place * step:.1f},{HIGH - HIGH * value / most:.1f}" for place, value in shown)

    begins = max(len(past) - 1, 0)
    still = any(day.expected for day in ahead)
    return Drawing(label, line(foretold), line(actual), line(expected, begins) if still else "", most)
