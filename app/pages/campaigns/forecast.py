"""A campaign's forecast: a fragment loaded after the page, and a page of its own."""

from datetime import timedelta
from typing import Any

from flask import Response, g, request

from app.domain.campaigns import forecast as campaign_forecast
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework import words
from app.pages.framework.base import htmx, render, signed_in

COLUMNS = (
    ("Invitations", "invite"),
    ("Messages", "message"),
    ("InMails", "inmail"),
    ("Emails", "email"),
    ("Profile visits", "visit"),
    ("Follows", "follow"),
    ("Likes", "like"),
)
CHART_DAYS = 30


@campaigns_area.get("/<int:campaign_id>/forecast")
@signed_in
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
    used = [(label, budget) for label, budget in COLUMNS if any(day.done[budget] for day in found.days)]
    part = "campaigns/_forecast_days.html" if "days" in request.args else "campaigns/_forecast.html"
    return render(
        "campaigns/forecast.html",
        part=part,
        frame=frame,
        found=found,
        made_at=made_at,
        used=used,
        rows=[day for day in found.days if _busy(day)],
        **_told(workspace, found),
    )


def _busy(day: Any) -> bool:
    return bool(day.done.total() or day.accepted or day.replies or day.ended)


def _told(workspace: Workspace, found: campaign_forecast.Forecast) -> dict[str, Any]:
    """Return the forecast in words, and its next weeks as a chart."""
    today = workspace.now().astimezone(g.zone).date()
    shown = found.days[:CHART_DAYS]
    drawn = [
        {
            "label": f"{day.date.day} {day.date:%b}",
            "full": f"{day.date:%a} {day.date.day} {day.date:%b}",
            "values": [day.done.total() - day.done["withdraw"], day.accepted, day.replies],
            "today": day.date == today,
        }
        for day in shown
    ]
    reply = found.first_reply_at
    assumed = found.assumptions
    return {
        "ends": words.day(found.finishes_at, g.zone) if found.finishes_at else "",
        "reply_day": (reply.astimezone(g.zone).date() - today + timedelta(days=1)).days if reply else 0,
        "reply_date": words.day(reply, g.zone) if reply else "",
        "chart": drawn,
        "assumed": assumed,
        "measured": "measured" in (assumed.acceptance.source, assumed.replies.source),
        "blocked": [(why, people) for why, people in found.stuck],
    }
