"""A campaign's forecast page: against what happened, and what would change it."""

from datetime import timedelta

import pytest

from app.core.clock import Movable
from app.domain.campaigns import forecast as campaign_forecast
from app.domain.platform import jobs
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message
from tests.pages.conftest import Web


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    """It has begun, and its forecast is kept."""
    found = a_campaign(acme, [f"accepts-{number}" for number in range(60)], [INVITE, message("Hello", days=1)])
    jobs.run_due()
    return found


def test_forecast_and_actual_stand_side_by_side(web: Web, acme: Workspace, campaign: Campaign) -> None:
    """In sums and lines on the campaign's page, day by day in a table."""
    forward(acme, days=2)
    piece = web.get(f"/campaigns/{campaign.id}/forecast", htmx=True).text
    assert "Forecast and actual" in piece
    assert "as the campaign began" in piece
    assert piece.count("<polyline") == 6
    page = web.get(f"/campaigns/{campaign.id}/forecast?now=1").text
    assert "Invitations (foretold)" in page
    assert "expected</span>" in page


def test_a_forecast_made_before_time_was_moved_is_made_again(web: Web, acme: Workspace, campaign: Campaign) -> None:
    assert "Calculated" in web.get(f"/campaigns/{campaign.id}/forecast", htmx=True).text
    assert campaign_forecast.find_cached(acme, campaign.id)
    forward(acme, days=1)
    assert campaign_forecast.find_cached(acme, campaign.id) is None
    web.get(f"/campaigns/{campaign.id}/forecast", htmx=True)
    kept = campaign_forecast.find_cached(acme, campaign.id)
    assert kept
    assert acme.now() - kept[1] < timedelta(minutes=1)


def test_what_would_change_it_is_asked_one_after_the_other(web: Web, stranger: Web, campaign: Campaign) -> None:
    """Without scripts all at once."""
    path = f"/campaigns/{campaign.id}/forecast/changes"
    asked = web.get(path, htmx=True).text
    assert f'hx-get="{path}?change=sender"' in asked
    assert "earlier" in web.get(f"{path}?change=sender", htmx=True).text
    assert web.get(f"{path}?change=dance", htmx=True).status_code == 404
    assert "One more sender" in (page := web.get(f"{path}?now=1").text)
    assert "days earlier" in page
    assert stranger.get(path).status_code == 404
