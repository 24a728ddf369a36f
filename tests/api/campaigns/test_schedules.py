"""Schedules over `/v1`: windows, holidays, blackout dates, absences, and new people a day."""

from typing import Any

import pytest

from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, a_list, forward, ledger, the_account
from tests.support.clients import Api, fields
from tests.support.movable import Movable

MORNING = {"days": [1, 2, 3, 4, 5], "start": "09:00", "end": "12:00"}
AFTERNOON = {"days": [1, 2], "start": "13:30", "end": "17:30"}
NIGHT = {"days": [5], "start": "22:00", "end": "02:00"}
FAIR = {"name": "Trade fair", "firstDay": "2026-12-28", "lastDay": "2026-12-30"}


@pytest.fixture
def new(acme: Workspace) -> dict[str, Any]:
    people = [{"publicId": "ada", "location": "Sydney, Australia"}, {"publicId": "bob"}]
    return {"name": "Spring", "listId": a_list(acme, people), "accountIds": [the_account(acme).id], "sequence": [VIEW]}


def test_several_windows_show_their_outer_bounds_and_one_takes_their_place(api: Api, new: dict[str, Any]) -> None:
    made = api.post("campaigns", new | {"schedule": {"windows": [MORNING, AFTERNOON]}}).json
    schedule = made["schedule"]
    assert schedule["windows"] == [MORNING, AFTERNOON]
    assert (schedule["days"], schedule["startTime"], schedule["endTime"]) == ([1, 2, 3, 4, 5], "09:00", "17:30")
    changed = api.patch(f"campaigns/{made['id']}", {"schedule": {"endTime": "16:00"}}).json["schedule"]
    assert changed["windows"] == [{"days": [1, 2, 3, 4, 5], "start": "09:00", "end": "16:00"}]


def test_hours_over_midnight_are_taken_and_come_back_as_they_were_sent(api: Api, new: dict[str, Any]) -> None:
    """One time alone that would turn the day round is a mistake, and refused."""
    night = {"days": [5], "startTime": "22:00", "endTime": "02:00"}
    always = {"workingHours": {"start": "00:00", "end": "23:59", "days": [1, 2, 3, 4, 5, 6, 7]}}
    api.patch(f"accounts/{new['accountIds'][0]}", always)
    made = api.post("campaigns", new | {"schedule": night}).json
    assert {name: made["schedule"][name] for name in night} == night
    assert made["schedule"]["windows"] == [NIGHT]
    path = f"campaigns/{made['id']}"
    again = api.patch(path, {"schedule": {"timezone": "Europe/Berlin"}}).json["schedule"]
    assert again["windows"] == [NIGHT]
    assert api.patch(path, {"schedule": {"startTime": "23:00", "endTime": "01:00"}}).json["schedule"]["windows"] == [
        {"days": [5], "start": "23:00", "end": "01:00"}
    ]
    day = api.patch(path, {"schedule": {"startTime": "09:00", "endTime": "17:00"}}).json["schedule"]
    assert (day["startTime"], day["endTime"]) == ("09:00", "17:00")
    for one in ({"startTime": "18:00"}, {"endTime": "08:00"}):
        assert fields(api.patch(path, {"schedule": one}))["schedule.endTime"].endswith(
            "send both startTime and endTime."
        )
    same = {"startTime": "09:00", "endTime": "09:00"}
    assert "must differ" in fields(api.patch(path, {"schedule": same}))["schedule.endTime"]


def test_a_date_without_an_offset_is_in_the_campaigns_time_zone(api: Api, new: dict[str, Any]) -> None:
    dates = {"startDate": "2027-07-01T09:00:00", "endDate": "2027-12-01T09:00:00+00:00"}
    made = api.post("campaigns", new | {"schedule": {"timezone": "America/New_York", **dates}}).json
    assert (made["schedule"]["startDate"], made["schedule"]["endDate"]) == (
        "2027-07-01T13:00:00Z",
        "2027-12-01T09:00:00Z",
    )
    moved = api.patch(f"campaigns/{made['id']}", {"schedule": {"startDate": "2027-11-01T09:00:00"}}).json
    assert moved["schedule"]["startDate"] == "2027-11-01T13:00:00Z"
    zone = {"timezone": "Nowhere/At_all", "startDate": "2027-07-01T09:00:00"}
    assert list(fields(api.post("campaigns", new | {"schedule": zone}))) == ["schedule.timezone"]


def test_what_a_machine_was_set_to_is_no_time_zone(api: Api, new: dict[str, Any]) -> None:
    for zone in ("localtime", "posixrules", "Factory", "posix/Europe/Berlin", "right/UTC", "", "..", "/etc/passwd"):
        assert list(fields(api.post("campaigns", new | {"schedule": {"timezone": zone}}))) == ["schedule.timezone"]


def test_the_rest_of_a_schedule_is_kept_by_a_change(api: Api, new: dict[str, Any]) -> None:
    more = {"recipientTime": True, "holidays": False, "blackouts": [FAIR], "newPeoplePerDay": 20}
    made = api.post("campaigns", new | {"schedule": {"windows": [MORNING, AFTERNOON], **more}}).json
    path = f"campaigns/{made['id']}"
    assert {name: made["schedule"][name] for name in more} == more
    changed = api.patch(path, {"name": "Autumn", "schedule": {"timezone": "Europe/Berlin"}}).json["schedule"]
    assert changed == made["schedule"] | {"timezone": "Europe/Berlin"}
    assert api.patch(path, {"schedule": {"newPeoplePerDay": None}}).json["schedule"]["newPeoplePerDay"] is None
    copy = api.post(f"campaigns/{made['id']}/duplicate").json["schedule"]
    assert copy["blackouts"] == [FAIR]


def test_every_problem_of_a_schedule_has_its_place(api: Api, new: dict[str, Any]) -> None:
    schedule = {
        "windows": [
            MORNING,
            {"days": [], "start": "9", "end": "10:00"},
            {"days": [8], "start": "10:00", "end": "10:00"},
        ],
        "blackouts": [FAIR | {"lastDay": "2026-12-27"}, FAIR | {"name": " ", "lastDay": "2028-12-28"}],
        "newPeoplePerDay": 0,
    }
    assert fields(api.post("campaigns", new | {"schedule": schedule})) == {
        "schedule.windows[1].start": "Use a time such as 09:00.",
        "schedule.windows[1].days": "Choose at least one day.",
        "schedule.windows[2].days": "Use the numbers 1 (Monday) to 7 (Sunday).",
        "schedule.windows[2].end": "The end must differ from the start. The end may be past midnight: 22:00–02:00.",
        "schedule.blackouts[0].lastDay": "The last day can't be before the first.",
        "schedule.blackouts[1].lastDay": "Use at most 366 days.",
        "schedule.blackouts[1].name": "Enter a name of 1 to 200 characters.",
        "schedule.newPeoplePerDay": "Use a whole number from 1 to 10,000, or leave it blank.",
    }


def test_blackout_dates_of_the_workspace_hold_back_every_campaign_of_it(
    api: Api, rival_api: Api, acme: Workspace, clock: Movable
) -> None:
    today = acme.now().date().isoformat()
    day = {"name": "Stocktaking", "firstDay": today, "lastDay": today}
    assert api.put("blackouts", {"blackouts": [day]}).json == {"blackouts": [day]}
    assert rival_api.get("blackouts").json == {"blackouts": []}
    campaign = a_campaign(acme, ["ada"], [VIEW])
    forward(acme, hours=6)
    assert ledger(acme) == []
    (person,) = api.get(f"campaigns/{campaign.id}/leads").json["data"]
    why = api.get(f"campaigns/{campaign.id}/leads/{person['id']}").json["waiting"]
    assert (why["code"], why["sentence"]) == ("blackout", "Blackout date: Stocktaking")
    assert api.put("blackouts", {"blackouts": []}).json == api.get("blackouts").json == {"blackouts": []}
    assert fields(api.put("blackouts", {"blackouts": [day | {"firstDay": "9999-01-01"}]}))


def test_a_sender_has_absences_and_a_country(api: Api, acme: Workspace) -> None:
    one, two = the_account(acme), the_account(acme, 1)
    away = {"firstDay": "2026-12-24", "lastDay": "2027-01-03", "handOverTo": two.id}
    changed = api.patch(f"accounts/{one.id}", {"absences": [away], "country": "DE-BY"}).json
    assert (changed["absences"], changed["country"]) == ([away], "DE-BY")
    assert api.get(f"accounts/{one.id}").json == changed
    assert api.patch(f"accounts/{one.id}", {"absences": []}).json["absences"] == []


def test_no_one_stands_in_who_cannot(api: Api, rival_api: Api, acme: Workspace, rival: Workspace) -> None:
    one, theirs = the_account(acme), the_account(rival)
    away = {"firstDay": "2026-12-24", "lastDay": "2027-01-03"}
    (box,) = api.get("mailboxes").json["data"]
    for other in (one.id, theirs.id, box["id"], 99):
        refused = api.patch(f"accounts/{one.id}", {"absences": [away | {"handOverTo": other}]})
        assert fields(refused) == {"absences[0].handOverTo": "Choose another active sender of the same kind."}
    twice = [away, {"firstDay": "2027-01-03", "lastDay": "2027-01-04"}]
    assert fields(api.patch(f"accounts/{one.id}", {"absences": twice})) == {
        "absences": "Two absences overlap. Change one of the absences."
    }
    assert set(fields(api.patch(f"accounts/{one.id}", {"country": "Bavaria"}))) == {"country"}
