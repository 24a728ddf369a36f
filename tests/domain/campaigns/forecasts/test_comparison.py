"""The forecast against what happened: kept as a campaign begins and when it is changed, in the books of a job."""

from datetime import timedelta

import pytest

from app.core.db import session
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import comparison, forecast
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.leads.campaign_leads import filters
from app.domain.platform import jobs
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message, revise
from tests.support.movable import Movable

PEOPLE = [f"accepts-{number}" for number in range(30)]
STEPS = [INVITE, message("Hello", days=1)]


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    """It has begun, and its forecast is kept."""
    found = a_campaign(acme, PEOPLE, STEPS)
    jobs.run_due()
    return found


def test_the_forecast_is_kept_as_the_campaign_begins(acme: Workspace, campaign: Campaign) -> None:
    """Once, however often the job is done; a draft has none, and one that was deleted meanwhile is no trouble."""
    (row,) = kept_forecasts.of_campaign(campaign.id)
    assert (row.cause, row.made_at) == ("began", acme.now())
    kept_forecasts.store(acme, campaign.id, "began", *forecast.make_cached(acme, campaign.id))
    assert len(kept_forecasts.of_campaign(campaign.id)) == 1
    draft = a_campaign(acme, PEOPLE[:1], STEPS, start=False, name="Draft")
    assert comparison.compare(acme, draft) is None
    gone = campaigns.start(acme, draft.id)
    campaigns.cancel(acme, gone.id)
    campaigns.delete(acme, gone.id)
    assert jobs.run_due() == 1
    session().expire_all()
    assert kept_forecasts.of_campaign(draft.id) == []


def test_each_day_shows_what_was_foretold_and_what_happened(acme: Workspace, campaign: Campaign) -> None:
    """Nothing is done yet as it begins; two days later the ledger's numbers stand beside those of the forecast."""
    forward(acme, days=2)
    found = comparison.compare(acme, campaign, forecast.forecast(acme, campaign.id))
    assert found is not None
    first, second, third = found.days[:3]
    assert first.foretold is not None
    assert first.actual is not None
    assert first.actual["invitations"] == first.foretold["invitations"] > 10
    assert first.expected is None
    assert third.date == found.today
    assert third.expected is not None
    assert found.days[-1].actual is None
    sent = campaigns.stats(acme, [campaign.id])[campaign.id]
    days = [day.actual for day in found.days if day.actual is not None]
    assert sum(day["invitations"] for day in days) == sent.invites_sent
    assert sum(day["messages"] for day in days) == sent.messages_sent
    expected = sum(day.expected["invitations"] for day in found.days if day.expected)
    assert sent.invites_sent + expected == len(PEOPLE)
    assert found.so_far("invitations") == tuple(
        sum((counts or {})["invitations"] for counts in both)
        for both in zip(*((day.foretold, day.actual) for day in (first, second)), strict=True)
    )
    assert list(found.kinds) == ["invitations", "messages", "replies"]


def test_people_are_counted_once_as_in_the_funnel_however_many_messages_they_got(
    acme: Workspace, clock: Movable
) -> None:
    campaign = a_campaign(acme, PEOPLE[:5], [INVITE, message("One\n---\nTwo", days=1)])
    jobs.run_due()
    forward(acme, days=9)
    found = comparison.compare(acme, campaign)
    assert found is not None
    assert found.so_far("messages")[1] == 2 * found.people["messages"] > 0
    assert found.people["messages"] == filters.count(acme, campaign, filters.LeadFilter("messaged"))


def test_from_the_day_after_a_change_the_new_forecast_counts(acme: Workspace, campaign: Campaign) -> None:
    forward(acme, days=2)
    before = comparison.compare(acme, campaign)
    revise(acme, campaign.id, [*STEPS, message("More", days=1)], "all")
    jobs.run_due()
    found = comparison.compare(acme, campaign)
    assert before is not None
    assert found is not None
    assert [change.cause for change in found.changes] == ["began", "steps"]
    assert found.days[:3] == before.days[:3]

    def foretold(compared: comparison.Comparison) -> int:
        return sum((day.foretold or comparison.NOTHING)["messages"] for day in compared.days)

    assert foretold(found) > foretold(before)
    assert found.changes[1].made_at - found.changes[0].made_at == timedelta(days=2)
