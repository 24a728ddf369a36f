"""When senders act: hours, holidays, blackout dates, absences and new people a day, as the network saw it."""

from collections import Counter
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import holidays
import pytest

from app.domain.campaigns import workspace_blackouts
from app.domain.campaigns.forecasts import forecast
from app.domain.leads.campaign_leads import why_waiting
from app.domain.senders import absences, accounts
from app.models.ledger import Action
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, everyone, forward, fresh, ledger, message, only, the_account
from tests.support.movable import Movable

DECEMBER = datetime(2026, 12, 20, tzinfo=UTC)
SPLIT = [
    {"days": [1, 2, 3, 4, 5], "start": "09:00", "end": "12:00"},
    {"days": [1, 2, 3, 4], "start": "13:30", "end": "17:30"},
]
FAIR = {"name": "Trade fair", "firstDay": "2026-12-29", "lastDay": "2026-12-29"}
STOCK = {"name": "Stocktaking", "firstDay": "2026-12-22", "lastDay": "2026-12-22"}
PLACES = {
    "Munich, Bavaria, Germany": ("Europe/Berlin", "DE", "BY"),
    "Boston, Massachusetts, United States": ("America/New_York", "US", "MA"),
    "London, England, United Kingdom": ("Europe/London", "GB", "ENG"),
    "": None,
}


def person(number: int, location: str) -> dict[str, Any]:
    return {"publicId": f"accepts-{number}", "firstName": "A", "location": location}


def people(each: int = 8) -> list[dict[str, Any]]:
    return [person(100 * place + number, location) for place, location in enumerate(PLACES) for number in range(each)]


def is_holiday(day: date, country: str, state: str | None = None) -> bool:
    return day in holidays.country_holidays(country, subdiv=state, years=day.year)


def wrong(action: Action, location: str, sender: dict[str, Any], *, theirs: bool) -> list[str]:
    """What an independent reading of the ledger objects to."""
    here = action.at.astimezone(ZoneInfo(sender["zone"]))
    place = PLACES[location]
    there = action.at.astimezone(ZoneInfo(place[0] if place else sender["zone"]))
    campaigns_clock = there if theirs else action.at.astimezone(ZoneInfo("Europe/Berlin"))
    windows = [
        one
        for one in SPLIT
        if campaigns_clock.isoweekday() in one["days"] and one["start"] <= f"{campaigns_clock:%H:%M}" < one["end"]
    ]
    objections = {
        "campaign's hours": not windows,
        "sender's hours": not (here.isoweekday() < 6 and "09:00" <= f"{here:%H:%M}" < "17:30"),
        "sender's holiday": is_holiday(here.date(), sender["country"]),
        "their holiday": bool(place) and is_holiday(there.date(), place[1], place[2]),  # type: ignore[index]
        "blackout": action.at.astimezone(ZoneInfo("Europe/Berlin")).date() in (date(2026, 12, 22), date(2026, 12, 29)),
        "absence": any(first <= here.date() <= last for first, last in sender["away"]),
    }
    return [name for name, is_wrong in objections.items() if is_wrong]


@pytest.mark.parametrize("theirs", [False, True])
def test_from_advent_to_epiphany_nothing_happens_when_it_may_not(acme: Workspace, clock: Movable, theirs: bool) -> None:
    clock.to(DECEMBER)
    one, two = (the_account(acme, number).id for number in (0, 1))
    accounts.edit(acme, one, timezone="Europe/Berlin")
    accounts.edit(acme, two, timezone="America/New_York")
    away = {"firstDay": "2026-12-30", "lastDay": "2027-01-03", "handOverTo": None}
    accounts.edit(acme, one, away=[away])
    workspace_blackouts.replace(acme, [STOCK])
    schedule = {"timezone": "Europe/Berlin", "windows": SPLIT, "blackouts": [FAIR], "recipientTime": theirs}
    schedule["newPeoplePerDay"] = 5
    campaign = a_campaign(acme, people(8), [VIEW, INVITE, message(days=1)], senders=2, schedule=schedule)
    forward(acme, days=18)
    senders = {
        one: {"zone": "Europe/Berlin", "country": "DE", "away": [(date(2026, 12, 30), date(2027, 1, 3))]},
        two: {"zone": "America/New_York", "country": "US", "away": []},
    }
    located = {row.id: row.person.location for row in everyone(campaign).values()}
    done = ledger(acme)
    found = [
        (action, wrong(action, located[action.campaign_lead_id], senders[action.sender_id], theirs=theirs))
        for action in done
    ]
    assert [(action.at, objections) for action, objections in found if objections] == []
    assert len(done) > 20
    days = Counter(action.at.date() for action in done)
    assert days[date(2026, 12, 21)] > 0
    assert days[date(2026, 12, 28)] > 0
    if theirs:
        assert {located[action.campaign_lead_id] for action in done} == set(PLACES)


def test_the_reason_names_the_holiday_and_its_country(acme: Workspace, clock: Movable) -> None:
    clock.to(datetime(2026, 12, 24, 20, tzinfo=UTC))
    accounts.edit(acme, the_account(acme).id, timezone="Europe/Berlin")
    campaign = a_campaign(acme, [person(1, "")], [VIEW])
    why = why_waiting.of_people(acme, campaign, [only(campaign)])[only(campaign).id]
    assert (why.code, why.sentence) == ("sender_holiday", "Christmas Day in Germany")
    assert why.until == datetime(2026, 12, 28, 8, tzinfo=UTC)


def test_who_has_a_holiday_does_not_hold_up_the_others(acme: Workspace, clock: Movable) -> None:
    """Unless the campaign ignores holidays."""
    clock.to(datetime(2026, 11, 26, 8, tzinfo=UTC))  # Thanksgiving
    crowd = [person(number, "Boston, Massachusetts, United States") for number in range(30)]
    campaign = a_campaign(acme, [*crowd, person(99, "Munich, Bavaria, Germany")], [VIEW])
    forward(acme, hours=4)
    assert {action.campaign_lead_id for action in ledger(acme)} == {everyone(campaign)["accepts-99"].id}
    held = everyone(campaign)["accepts-3"]
    assert (held.reason, held.error) == ("recipient_holiday", "Thanksgiving Day in United States")
    why = why_waiting.of_people(acme, campaign, [held])[held.id]
    assert (why.code, why.until) == ("recipient_holiday", datetime(2026, 11, 27, 9, tzinfo=UTC))
    crowd = [person(number, "Boston, Massachusetts, United States") for number in range(200, 203)]
    other = a_campaign(acme, crowd, [VIEW], schedule={"timezone": "UTC", "holidays": False}, name="Regardless")
    forward(acme, hours=4)
    assert all(one.last_action_at for one in everyone(other).values())


def test_who_waits_for_a_place_of_the_day_says_so(acme: Workspace, clock: Movable) -> None:
    clock.to(datetime(2026, 11, 30, 9, tzinfo=UTC))
    schedule = {"timezone": "UTC", "newPeoplePerDay": 2}
    campaign = a_campaign(acme, [person(n, "") for n in range(4)], [VIEW], schedule=schedule)
    forward(acme, hours=3)
    waiting = [one for one in everyone(campaign).values() if one.begun_at is None]
    whys = why_waiting.of_people(acme, campaign, waiting)
    assert len(waiting) == 2
    assert {(why.code, why.until) for why in whys.values()} == {("new_per_day", datetime(2026, 12, 1, 9, tzinfo=UTC))}


def test_a_blackout_that_is_removed_lets_people_go_on_at_once(acme: Workspace, clock: Movable) -> None:
    clock.to(datetime(2026, 11, 30, 10, tzinfo=UTC))
    workspace_blackouts.replace(acme, [{"name": "Retreat", "firstDay": "2026-11-30", "lastDay": "2026-12-18"}])
    campaign = a_campaign(acme, [person(1, "")], [VIEW])
    forward(acme, days=2)
    assert ledger(acme) == []
    why = why_waiting.of_campaign(acme, fresh(campaign))
    assert (why.sentence, why.until) == ("Blackout date: Retreat", datetime(2026, 12, 21, 9, tzinfo=UTC))
    workspace_blackouts.replace(acme, [])
    forward(acme, hours=1)
    assert len(ledger(acme)) == 1


def test_at_most_so_many_new_people_begin_in_a_day(acme: Workspace, clock: Movable) -> None:
    schedule = {"timezone": "Asia/Tokyo", "days": [1, 2, 3, 4, 5, 6, 7], "startTime": "00:00", "endTime": "23:59"}
    campaign = a_campaign(
        acme, [person(n, "") for n in range(10)], [VIEW, INVITE], senders=2, schedule=schedule | {"newPeoplePerDay": 3}
    )
    forecasted = forecast.forecast(acme, campaign.id)
    forward(acme, days=7)
    tokyo = ZoneInfo("Asia/Tokyo")
    first: dict[int, datetime] = {}
    for action in ledger(acme):
        first.setdefault(action.campaign_lead_id, action.at)
    begun = Counter(moment.astimezone(tokyo).date() for moment in first.values())
    assert len(first) == 10
    assert max(begun.values()) == 3
    assert len({action.sender_id for action in ledger(acme)}) == 2
    visits = Counter(one.at.astimezone(tokyo).date() for one in forecasted.actions if one.budget == "visit")
    assert max(visits.values()) == 3


def test_a_sender_that_is_away_hands_its_new_people_over(acme: Workspace, clock: Movable) -> None:
    clock.to(datetime(2026, 11, 30, 8, tzinfo=UTC))
    one, two = (the_account(acme, number).id for number in (0, 1))
    accounts.edit(acme, one, limits={"visit": 10})
    campaign = a_campaign(acme, [person(n, "") for n in range(24)], [VIEW, INVITE], senders=1)
    assert {row.account_id for row in everyone(campaign).values()} == {one}
    absences.add(acme, one, "2026-12-02", "2026-12-04", two)
    forward(acme, days=1.5)
    contacted = {action.campaign_lead_id for action in ledger(acme)}
    assert 0 < len(contacted) < 24
    forward(acme, days=2)
    rows = everyone(campaign).values()
    assert {row.account_id for row in rows if row.id not in contacted} == {two}
    assert {row.account_id for row in rows if row.id in contacted} == {one}
    days = {
        action.sender_id: {a.at.date() for a in ledger(acme) if a.sender_id == action.sender_id}
        for action in ledger(acme)
    }
    assert days[one].isdisjoint({date(2026, 12, 2), date(2026, 12, 3)})
    assert days[two] <= {date(2026, 12, 2), date(2026, 12, 3)}


def test_a_sender_that_is_away_without_a_stand_in_lets_everyone_wait(acme: Workspace, clock: Movable) -> None:
    clock.to(datetime(2026, 11, 30, 8, tzinfo=UTC))
    one = the_account(acme).id
    a_campaign(acme, [person(1, "")], [VIEW])
    absences.add(acme, one, "2026-11-30", "2026-12-04", None)
    forward(acme, days=1)
    assert ledger(acme) == []
    why = why_waiting.of_account(acme, the_account(acme))
    assert (why.code, why.sentence, why.until) == (
        "sender_away",
        "The sender is away",
        datetime(2026, 12, 7, 9, tzinfo=UTC),
    )
    absences.remove(acme, one, "2026-11-30")
    forward(acme, hours=3)
    assert len(ledger(acme)) == 1


def test_people_whose_hours_never_meet_the_senders_wait_with_the_reason(acme: Workspace, clock: Movable) -> None:
    clock.to(datetime(2026, 11, 30, 8, tzinfo=UTC))
    schedule = {"timezone": "UTC", "startTime": "09:00", "endTime": "10:00", "recipientTime": True}
    campaign = a_campaign(acme, [person(1, "Sydney, Australia"), person(2, "London")], [VIEW], schedule=schedule)
    said = forecast.forecast(acme, campaign.id)
    assert [(why.code, number) for why, number in said.stuck] == [("recipient_never_open", 1)]
    (warning,) = said.warnings
    assert all(part in warning for part in (the_account(acme).name, "Australia/Sydney", "1 person"))
    forward(acme, hours=5)
    assert [action.campaign_lead_id for action in ledger(acme)] == [everyone(campaign)["accepts-2"].id]
    why = why_waiting.of_people(acme, campaign, [everyone(campaign)["accepts-1"]])
    assert {one.code for one in why.values()} == {"recipient_never_open"}
