"""A campaign's forecast page: against what happened, and what would change it."""

import pytest

from app.domain.platform import jobs
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    """It has begun, and its forecast is kept."""
    found = a_campaign(acme, [f"accepts-{number}" for number in range(60)], [INVITE, message("Hello", days=1)])
    jobs.run_due()
    return found


def test_forecast_and_actual_stand_side_by_side(web: Web, acme: Workspace, campaign: Campaign) -> None:
    forward(acme, days=2)
    piece = web.get(f"/campaigns/{campaign.id}/forecast", htmx=True).text
    must_have(piece, "Up to yesterday", without="<polyline")
    page = web.get(f"/campaigns/{campaign.id}/forecast?now=1").text
    assert page.count("<polyline") == 6
    must_have(page, "at launch", "Connection requests (expected)", "expected</span>")


def test_what_would_change_it_is_asked_one_after_the_other(web: Web, stranger: Web, campaign: Campaign) -> None:
    path = f"/campaigns/{campaign.id}/forecast/changes"
    assert f'hx-get="{path}?change=sender"' in web.get(path, htmx=True).text
    assert "earlier" in web.get(f"{path}?change=sender", htmx=True).text
    assert web.get(f"{path}?change=dance", htmx=True).status_code == 404
    assert "One more sender" in (page := web.get(f"{path}?now=1").text)
    assert "days earlier" in page
    assert stranger.get(path).status_code == 404
