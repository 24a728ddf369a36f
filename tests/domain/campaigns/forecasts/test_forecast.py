"""What a campaign would do: within limits and hours, the same every time, and without leaving a trace."""

from collections import Counter
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.core.db import end_read, session
from app.core.errors import InvalidRequest
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import forecast
from app.domain.campaigns.simulation import responses
from app.domain.campaigns.simulation.forecast_shape import Forecast
from app.domain.campaigns.simulation.responses import Assumption
from app.domain.rules import limits
from app.domain.rules.limits import DAY, WEEK
from app.domain.rules.schedules import working_hours
from app.domain.rules.schedules.working_hours import Window
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, email, forward, message, only, put
from tests.support.movable import Movable

STEPS = [INVITE, message("Hello\n---\nAgain", days=1), message("More", days=3)]
MANY = [f"person-{number}" for number in range(60)]


def done(found: Forecast) -> Counter[str]:
    return sum((day.done for day in found.days), Counter())


def test_a_draft_is_forecast_to_its_last_day(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, MANY, STEPS, start=False, senders=2, schedule={})
    found = forecast.forecast(acme, campaign.id)
    assert (found.people, found.left, found.stuck) == (60, 0, [])
    assert done(found)["invite"] == 60
    assert sum(day.accepted for day in found.days) == 18
    assert done(found)["withdraw"] == 42
    assert sum(day.ended for day in found.days) == 60
    assert found.first_action_at is not None
    assert found.finishes_at is not None
    assert found.first_action_at.date() == acme.now().date()
    assert found.days[-1].date == found.finishes_at.astimezone(ZoneInfo(acme.timezone)).date()
    assert found.first_reply_at is not None
    assert found.assumptions.acceptance == Assumption(0.3, "usual")
    assert forecast.forecast(acme, campaign.id) == found


def test_a_forecast_of_a_campaign_on_its_way_leaves_no_trace(acme: Workspace, clock: Movable) -> None:
    """What was done is not done again; a paused one is taken as resumed now, one that ended has nothing ahead."""
    campaign = a_campaign(acme, MANY, [INVITE], schedule={})
    first = forecast.forecast(acme, campaign.id).days[0].done["invite"]
    forward(acme, days=1)
    sent = campaigns.stats(acme, [campaign.id])[campaign.id].invites_sent
    assert first == sent > 5

    def everything() -> dict[str, list[Any]]:
        tables = sa.MetaData()
        tables.reflect(session().connection())
        rows = {name: sorted(map(repr, session().execute(sa.select(table)))) for name, table in tables.tables.items()}
        end_read()
        return rows

    before = everything()
    assert done(forecast.forecast(acme, campaign.id))["invite"] == 60 - sent
    end_read()
    assert everything() == before
    campaigns.pause(acme, campaign.id)
    assert done(forecast.forecast(acme, campaign.id))["invite"] == 60 - sent
    campaigns.cancel(acme, campaign.id)
    ended = forecast.forecast(acme, campaign.id)
    assert (ended.people, ended.days, ended.finishes_at) == (0, [], None)


def test_shares_are_those_of_the_last_90_days_once_enough_decided(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    campaign = a_campaign(acme, [*(f"accepts-{n}" for n in range(15)), *(f"ignores-{n}" for n in range(15))], STEPS)
    forward(acme, days=25)
    found = forecast.forecast(acme, campaign.id).assumptions
    assert found.acceptance == Assumption(0.5, "measured", 30)
    assert responses.measure(rival).acceptance.source == "usual"


def test_people_who_wait_are_named_with_the_reason(acme: Workspace, clock: Movable) -> None:
    """For time alone, which ends; for a sender that cannot act, or without one, which does not."""
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message()])
    forward(acme, days=3)
    assert only(campaign).next_budget == "end"
    assert forecast.forecast(acme, campaign.id).finishes_at == only(campaign).due_at
    put(campaign, sender_id=None, account_id=None, step=1, next_budget="message")
    found = forecast.forecast(acme, campaign.id)
    assert [(why.code, people) for why, people in found.stuck] == [("no_account", 1)]
    campaign = a_campaign(acme, MANY[:4], STEPS, name="Second")
    accounts.switch(acme, campaign.account_ids[0], False)
    found = forecast.forecast(acme, campaign.id)
    assert [(why.code, people) for why, people in found.stuck] == [("account_inactive", 4)]
    assert (found.left, found.finishes_at) == (4, None)


def test_a_shared_sender_has_half_as_much_for_each(acme: Workspace, clock: Movable) -> None:
    """Other running campaigns take their part of the day."""
    campaign = a_campaign(acme, MANY, [INVITE], start=False, schedule={})
    alone = forecast.forecast(acme, campaign.id)
    a_campaign(acme, ["somebody-else"], [INVITE], name="Other")
    shared = forecast.forecast(acme, campaign.id)
    assert shared.assumptions.shared_with == 1
    assert shared.days[0].done["invite"] <= alone.days[0].done["invite"] // 2 + 1


def test_a_campaign_whose_drafts_all_wait_takes_nothing_from_a_shared_sender(acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, MANY, [INVITE], start=False, schedule={})
    a_campaign(acme, ["somebody-else"], [INVITE | {"message": "Hi"}], name="Other", approval=True)
    forward(acme, hours=1)
    assert forecast.forecast(acme, campaign.id).assumptions.shared_with == 0


def test_the_end_date_ends_it(acme: Workspace, clock: Movable) -> None:
    ends = acme.now() + timedelta(days=3)
    campaign = a_campaign(acme, MANY, STEPS, start=False, schedule={"endDate": ends})
    found = forecast.forecast(acme, campaign.id)
    assert found.finishes_at == ends
    assert all(action.at < ends for action in found.actions)


WINDOWS = st.tuples(st.integers(0, 12), st.integers(5, 11), st.sets(st.integers(1, 7), min_size=3))
POOL = [INVITE, VIEW, {"type": "follow"}, email(days=1), message("A\n---\nB", days=2), message("C", days=1)]


def _overlap(campaign: Any, account: Any) -> bool:
    hours = Window(campaign.timezone, tuple(campaign.days), campaign.start_time, campaign.end_time)
    working = Window(account.timezone, tuple(account.work_days), account.work_start, account.work_end)
    return working_hours.next_open([hours, working], campaign.created_at) is not None


NO_OVERLAP = {
    "people": 1,
    "later": [email(days=1)],
    "window": (5, 5, {1, 2, 3}),
    "working": (0, 5, {1, 2, 3}),
    "zone": "UTC",
    "most": 1,
}


@settings(max_examples=20, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    people=st.integers(1, 40),
    later=st.lists(st.sampled_from(POOL[1:]), max_size=5),
    window=WINDOWS,
    working=WINDOWS,
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
    most=st.integers(1, 35),
)
@example(**NO_OVERLAP)
def test_no_plan_exceeds_limits_or_hours(
    acme: Workspace, clock: Movable, people: int, later: list[Any], window: Any, working: Any, zone: str, most: int
) -> None:
    """Whatever the steps, hours, zones and limits: no action outside of both hours, no rolling window too full."""
    start, length, days = window
    begins, works, weekdays = working
    account = accounts.every(acme)[0]
    hours = {"start": f"{begins:02}:00", "end": f"{begins + works:02}:00", "days": sorted(weekdays)}
    accounts.edit(acme, account.id, timezone=zone, limits={"invite": most, "message": most, "follow": 3}, **hours)
    schedule = {
        "timezone": "UTC",
        "days": sorted(days),
        "startTime": f"{start:02}:00",
        "endTime": f"{start + length:02}:00",
    }
    try:
        campaign = a_campaign(acme, MANY[:people], [INVITE, *later], start=False, schedule=schedule, name="Any")
    except InvalidRequest:  # hours that never overlap
        return
    found = forecast.forecast(acme, campaign.id)
    known = {account.id: account for account in accounts.every(acme)}
    by_sender: dict[int, list[Any]] = {}
    for action in found.actions:
        by_sender.setdefault(action.sender_id, []).append(action)
        local = action.at.astimezone(ZoneInfo(known[action.sender_id].timezone))
        sender = known[action.sender_id]
        assert local.isoweekday() in sender.work_days
        assert sender.work_start <= f"{local:%H:%M}" < sender.work_end
        assert action.at.isoweekday() in days
        assert schedule["startTime"] <= f"{action.at:%H:%M}" < schedule["endTime"]
    for sender_id, actions in by_sender.items():
        allowed = known[sender_id].limits
        for index, action in enumerate(actions):
            day = [one for one in actions[: index + 1] if one.at > action.at - DAY]
            same = [one for one in day if one.budget == action.budget]
            if action.budget != "withdraw":
                assert len(same) <= allowed[action.budget]
                assert len(day) <= limits.ALL_SOCIAL
            week = [one for one in actions[: index + 1] if one.at > action.at - WEEK and one.budget == "invite"]
            assert len(week) <= limits.INVITES_PER_WEEK_CAP
    if not _overlap(campaign, known[account.id]):  # the campaign's only social sender
        assert (found.actions, found.left) == ([], people)
    else:
        assert found.actions
    done_twice = Counter((one.person_id, one.step, one.budget) for one in found.actions if one.budget != "message")
    assert max(done_twice.values(), default=1) == 1
