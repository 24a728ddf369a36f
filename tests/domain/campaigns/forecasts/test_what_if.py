"""What would change a campaign's end, by the same simulation with one thing changed."""

from datetime import timedelta

from app.core.db import transaction
from app.domain.campaigns.forecasts import forecast, what_if
from app.domain.campaigns.simulation import forecast_shape
from app.domain.senders import accounts
from app.models.accounts import Account
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, message
from tests.support.movable import Movable

PEOPLE = [f"person-{number}" for number in range(150)]
WEEKDAYS = {"timezone": "UTC", "days": [1, 2, 3, 4, 5], "startTime": "09:00", "endTime": "17:00"}


def test_the_limit_that_holds_people_up_is_named_and_raising_it_helps(acme: Workspace, clock: Movable) -> None:
    """So does another sender; more new people a day do not while the limit of invitations is lower."""
    schedule = WEEKDAYS | {"newPeoplePerDay": 40}
    campaign = a_campaign(acme, PEOPLE, [INVITE, message()], start=False, schedule=schedule)
    accounts.edit(acme, campaign.account_ids[0], limits={"invite": 5})
    a_campaign(acme, ["someone"], [INVITE], name="Spring")
    found = forecast.forecast(acme, campaign.id)
    assert found.constraint is not None
    assert found.constraint.sentence == "Connection requests, 5 a day, shared with Spring"
    effects = {one.change.key: one for one in what_if.effects(acme, campaign.id, found)}
    assert list(effects) == sorted(effects, key=lambda key: -effects[key].days)
    assert effects["sender"].days > 20
    assert effects["alone"].days > 20
    assert effects["limit"].change.label == "Connection requests: 8 a day instead of 5"
    assert effects["limit"].days > 5
    assert effects["weekend"].days > 5
    assert effects["new"].sentence == "no change"
    assert effects["sender"].sentence == f"{effects['sender'].days} days earlier"


def test_a_limit_that_still_grows_is_named_as_it_is_now_and_as_it_will_be(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, PEOPLE, [INVITE], start=False, schedule=WEEKDAYS)
    with transaction() as current:
        current.get_one(Account, campaign.account_ids[0]).ramp_from = acme.now()
    found = forecast.forecast(acme, campaign.id)
    grown = acme.now() + timedelta(days=14)
    assert found.constraint is not None
    assert found.constraint.sentence == f"Connection requests, 3 a day for now, 15 from {grown.day} {grown:%B}"
    assert forecast_shape.from_body(forecast_shape.to_body(found)).constraint == found.constraint


def test_a_limit_on_new_people_is_named(acme: Workspace, clock: Movable) -> None:
    """Where nothing holds people up, nothing is."""
    schedule = WEEKDAYS | {"newPeoplePerDay": 2}
    campaign = a_campaign(acme, PEOPLE[:60], [INVITE], start=False, schedule=schedule)
    found = forecast.forecast(acme, campaign.id)
    assert found.constraint is not None
    assert found.constraint.sentence == "New people, 2 a day"
    best = what_if.effects(acme, campaign.id, found)[0]
    assert (best.change.key, best.days > 20) == ("new", True)
    campaign = a_campaign(acme, PEOPLE[:4], [INVITE, message()], start=False, name="Few")
    found = forecast.forecast(acme, campaign.id)
    assert found.constraint is None
    assert [one.sentence for one in what_if.effects(acme, campaign.id, found)] == ["no change"]
    assert what_if.effect(acme, campaign.id, found, "dance") is None
    by_hand = {"type": "task", "taskType": "call", "message": "Call"}
    campaign = a_campaign(acme, PEOPLE[:4], [by_hand], start=False, name="By hand")
    found = forecast.forecast(acme, campaign.id)
    assert [one.sentence for one in what_if.effects(acme, campaign.id, found)] == ["no change"]
    endless = what_if.Effect(what_if.Change("sender", "One more sender"), None, -344, 0)
    assert endless.sentence == "doesn't end within a year"
