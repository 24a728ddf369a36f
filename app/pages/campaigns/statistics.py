"""The statistics of all campaigns: by campaign, by sender and by week."""

from flask import Response, request

from app.domain.campaigns.forecasts import overall
from app.domain.senders import accounts
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework.base import render

PERIODS = {"30": "30 days", "90": "90 days", "365": "1 year"}
MOST = 50  # campaigns and senders, those with the most sent


@campaigns_area.get("/statistics", endpoint="statistics")
def index(workspace: Workspace) -> Response:
    """Show what was sent in a period, and the results."""
    asked = request.args.get("period", "")
    period = asked if asked in PERIODS else str(overall.USUAL_DAYS)
    found = overall.find(workspace, int(period))
    senders = accounts.names(accounts.every(workspace))
    return render("campaigns/statistics.html", found=found, senders=senders, period=period, periods=PERIODS, most=MOST)
