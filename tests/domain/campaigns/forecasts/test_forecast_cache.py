"""A forecast is shown again while it is young and nothing it was made from is different."""

from datetime import timedelta

import pytest

from app.core.errors import NotFound
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import forecast
from app.domain.leads import leads
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, message, the_account
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

PEOPLE = [f"person-{number}" for number in range(5)]


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    return a_campaign(acme, PEOPLE, [INVITE, message("Hello", days=1)])


def test_a_forecast_is_kept_for_a_quarter_of_an_hour(
    acme: Workspace, rival: Workspace, campaign: Campaign, clock: Movable
) -> None:
    """What is kept is the forecast, but for its single actions; after a quarter of an hour it is made again."""
    assert forecast.find_cached(acme, campaign.id) is None
    found, made_at = forecast.make_cached(acme, campaign.id)
    assert (found, made_at) == (forecast.forecast(acme, campaign.id), acme.now())
    clock.forward(minutes=14)
    kept = forecast.find_cached(acme, campaign.id)
    assert kept is not None
    assert kept[1] == made_at
    for name in ("people", "left", "days", "stuck", "assumptions", "first_action_at", "first_reply_at", "finishes_at"):
        assert getattr(kept[0], name) == getattr(found, name), name
    clock.forward(minutes=1)
    assert forecast.find_cached(acme, campaign.id) is None
    assert forecast.make_cached(acme, campaign.id)[1] == made_at + timedelta(minutes=15)
    for read in (forecast.find_cached, forecast.make_cached):
        with pytest.raises(NotFound):
            read(rival, campaign.id)


def test_what_it_was_made_from_has_changed(acme: Workspace, campaign: Campaign) -> None:
    for change in (
        lambda: accounts.switch(acme, the_account(acme).id, False),
        lambda: leads.add(acme, campaign.list_id or 0, [{"publicId": "one-more"}]),
        lambda: campaigns.pause(acme, campaign.id),
    ):
        forecast.make_cached(acme, campaign.id)
        assert forecast.find_cached(acme, campaign.id) is not None
        change()
        assert forecast.find_cached(acme, campaign.id) is None
