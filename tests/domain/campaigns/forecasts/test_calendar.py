"""The fortnight: who does what for which campaign, who is idle and why, and which day is a holiday."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import calendar
from app.domain.campaigns.forecasts.calendar import Calendar, Entry
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, ledger, message
from tests.support.movable import Movable

WEEKDAYS = {"timezone": "UTC", "days": [1, 2, 3, 4, 5], "startTime": "09:00", "endTime": "17:00"}


def _of(found: Calendar, sender_id: int) -> Sequence[Entry]:
    return [entry for day in found.days for entry in day.entries if entry.sender_id == sender_id]


def test_two_campaigns_share_a_sender_as_they_do_when_it_happens(acme: Workspace, clock: Movable) -> None:
    for name in ("Spring", "Autumn"):
        a_campaign(acme, [f"ignores-{name}-{number}" for number in range(30)], [INVITE], name=name)
    found = calendar.make(acme)
    sender = accounts.every(acme)[0].id
    assert len(found.days) == calendar.DAYS
    first = found.days[0]
    (entry,) = [one for one in first.entries if one.sender_id == sender]
    assert set(found.campaigns.values()) == {"Spring", "Autumn"}
    shares = [entry.by_campaign[campaign] for campaign in found.campaigns]
    assert abs(shares[0] - shares[1]) <= 1
    forward(acme, days=2)
    days = [action.at.date() for action in ledger(acme)]
    for day in found.days[:2]:
        assert sum(one.total for one in day.entries) == days.count(day.date)


def test_an_idle_sender_says_why(acme: Workspace, clock: Movable) -> None:
    """A weekend, an absence, a holiday, a blackout date, no campaign, a pause, a switch, and no one due."""
    clock.to(datetime(2026, 12, 21, 8, tzinfo=UTC))  # a Monday
    first, second, _ = accounts.every(acme)
    away = [{"firstDay": "2026-12-28", "lastDay": "2026-12-29", "handOverTo": None}]
    accounts.edit(acme, first.id, timezone="Europe/Berlin", start="08:00", end="18:00", away=away)
    blackouts = [{"name": "Stocktaking", "firstDay": "2026-12-30", "lastDay": "2026-12-30"}]
    people = [f"ignores-{number}" for number in range(200)]
    campaign = a_campaign(acme, people, [INVITE], schedule=WEEKDAYS | {"blackouts": blackouts})
    found = calendar.make(acme)
    said = {
        day.date.day: entry.sentence for day, entry in zip(found.days, _of(found, first.id), strict=True) if entry.idle
    }
    assert said[25] == "Christmas Day in Germany"
    assert said[26] == "Weekend"
    assert said[28] == "Away"
    assert said[30] == "Blackout date: Stocktaking"
    assert 22 not in said
    assert {one.idle for one in _of(found, second.id)} == {"no_campaign"}
    campaigns.pause(acme, campaign.id)
    paused = calendar.make(acme)
    assert paused.waiting == [(campaign.id, "First")]
    assert {one.idle for one in _of(paused, first.id)} == {"campaign_paused"}
    campaigns.resume(acme, campaign.id)
    accounts.switch(acme, first.id, False)
    assert {one.idle for one in _of(calendar.make(acme), first.id)} == {"account_inactive"}


def test_once_everyone_has_had_their_turn_no_one_is_due(acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["ignores-ada"], [INVITE, message()])
    sender = accounts.every(acme)[0].id
    entries = _of(calendar.make(acme), sender)
    assert [entry.total for entry in entries] == [1] + [0] * 13
    assert {entry.idle for entry in entries[1:5]} == {"no_one_due"}


def test_a_calendar_is_kept_for_some_minutes(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["ignores-ada"], [INVITE])
    assert calendar.find_cached(acme) is None
    made = calendar.make_cached(acme)
    assert calendar.find_cached(acme) == made
    assert calendar.find_cached(rival) is None
    assert {one.idle for one in _of(calendar.make(rival), accounts.every(rival)[0].id)} == {"no_campaign"}
    clock.forward(minutes=16)
    assert calendar.find_cached(acme) is None
    calendar.make_cached(acme)
    campaigns.pause(acme, campaign.id)
    assert calendar.find_cached(acme) is None
    calendar.make_cached(acme)
    accounts.switch(acme, accounts.every(acme)[0].id, False)
    assert calendar.find_cached(acme) is None
    assert acme.now() - made.made_at > timedelta(minutes=15)
