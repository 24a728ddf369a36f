"""Forecasts that are kept: as a campaign began, and each time its steps, schedule or senders changed.

What happens is held against them. They are made by a job, so that no one waits for the simulation.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.campaigns.simulation import forecast_shape
from app.domain.campaigns.simulation.forecast_shape import Forecast
from app.domain.platform import jobs
from app.models.campaigns import Campaign, KeptForecast
from app.models.workspaces import Workspace

KIND = "keep_forecast"
MOST = 50  # of one campaign; then the last one is replaced
Cause = Literal["began", "steps", "schedule", "senders", "people"]


def keep_forecast(workspace: Workspace, campaign: Campaign, cause: Cause = "began") -> None:
    """Keep the forecast of the campaign as it is now. Call it in the transaction that starts or changes it."""
    jobs.add(workspace, KIND, str(campaign.id), {"campaign": campaign.id, "cause": cause})


def store(workspace: Workspace, campaign_id: int, cause: str, found: Forecast, at: datetime) -> None:
    """Store a forecast made at that time. One made by the same job, interrupted before it ended, is replaced."""
    with transaction() as current:
        known = of_campaign(campaign_id)
        if known and (known[-1].made_at == at or len(known) >= MOST):
            current.delete(known[-1])
        body: dict[str, Any] = forecast_shape.to_body(found)
        current.add(
            KeptForecast(workspace_id=workspace.id, campaign_id=campaign_id, cause=cause, body=body, made_at=at)
        )


def of_campaign(campaign_id: int) -> Sequence[KeptForecast]:
    """Return the kept forecasts of a campaign, the oldest first."""
    query = sa.select(KeptForecast).where(KeptForecast.campaign_id == campaign_id)
    return session().scalars(query.order_by(KeptForecast.made_at, KeptForecast.id)).all()
