"""Monitors over `/v1`: made, followed, changed, decided about and deleted."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.domain.autopilot.monitors import reading
from app.domain.leads import lists
from app.domain.people.exclusions import never_contact
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign
from tests.support.clients import Api
from tests.support.movable import Movable
from tests.support.searches import ADDRESS, Shown, showing


@pytest.fixture
def shown() -> Iterator[Shown]:
    with showing(Shown(people=6)) as shown:
        yield shown


@pytest.fixture
def body(acme: Workspace) -> dict[str, Any]:
    watched = lists.create_list(acme, "Watched").id
    return {"kind": "search", "address": ADDRESS, "accountId": accounts.every(acme)[0].id, "listId": watched}


def test_a_monitor_is_made_runs_and_says_what_it_found(
    api: Api, acme: Workspace, body: dict[str, Any], shown: Shown, clock: Movable
) -> None:
    never_contact.add(acme, ["https://www.linkedin.com/in/ada-5"])
    made = api.post("monitors", body)
    assert made.status_code == 201
    assert made.json | {"id": 0, "createdAt": "", "nextAt": ""} == {
        **{"id": 0, "name": "People search: founder", "kind": "search", "address": ADDRESS, "signal": ""},
        **{"accountId": body["accountId"], "listId": body["listId"], "campaignId": None},
        **{"targeting": {"titles": [], "companyType": [], "size": [], "location": []}},
        **{"every": "day", "mostPerDay": 20, "automatic": False, "state": "active", "note": "", "error": ""},
        **{"people": {"held": 0, "added": 0, "declined": 0, "leftOut": 0}, "lastRun": None},
        **{"nextAt": "", "createdAt": ""},
    }
    reading.run_due()
    found = api.get(f"monitors/{made.json['id']}").json
    assert found["people"]["held"] == 5
    left_out = [{"reason": "never_contact", "message": "On the do-not-contact list", "people": 1}]
    at = "2026-03-02T09:00:00Z"
    assert found["lastRun"] == {"beganAt": at, "endedAt": at, "read": 6, "found": 5, "leftOut": left_out}
    assert found["nextAt"] == "2026-03-03T09:00:00Z"
    assert [one["id"] for one in api.get("monitors").json["data"]] == [found["id"]]


def test_held_people_are_decided_about(
    api: Api, acme: Workspace, body: dict[str, Any], shown: Shown, clock: Movable
) -> None:
    """Those accepted are in the list and have an id there; a second decision changes nothing."""
    monitor = api.post("monitors", body | {"targeting": {"titles": ["Founder"], "location": ["Germany"]}}).json["id"]
    reading.run_due()
    held = api.get(f"monitors/{monitor}/people", state="held").json["data"]
    assert [one["publicId"] for one in held] == [f"ada-{number}" for number in (5, 4, 3, 2, 1, 0)]
    fit = held[0]["fit"]
    assert (fit["matched"], fit["known"]) == (1, 1)
    assert fit["rows"][0] == {"row": "titles", "matched": ["Founder"], "missed": [], "unknown": []}
    ids = [one["id"] for one in held]
    done = api.post(f"monitors/{monitor}/people/decide", {"decision": "accept", "ids": ids[:2]})
    assert done.json == {"changed": 2, "skipped": 0, "leftOut": []}
    assert api.post(f"monitors/{monitor}/people/decide", {"decision": "decline", "ids": ids[:3]}).json == {
        **{"changed": 1, "skipped": 2, "leftOut": []}
    }
    added = api.get(f"monitors/{monitor}/people", state="added").json["data"]
    listed = api.get(f"lists/{body['listId']}/leads").json["data"]
    assert {one["leadId"] for one in added} == {one["id"] for one in listed}
    assert {one["personId"] for one in added} == {one["personId"] for one in listed}
    assert all(one["decidedBy"] and one["decidedAt"] for one in added)
    rest = api.post(f"monitors/{monitor}/people/decide", {"decision": "accept"}).json
    assert rest["changed"] == 3
    assert api.get(f"monitors/{monitor}").json["people"] == {"held": 0, "added": 5, "declined": 1, "leftOut": 0}


def test_a_monitor_is_changed_paused_resumed_and_deleted(
    api: Api, acme: Workspace, body: dict[str, Any], shown: Shown, clock: Movable
) -> None:
    campaign = a_campaign(acme)
    monitor = api.post("monitors", body | {"campaignId": campaign.id}).json["id"]
    path = f"monitors/{monitor}"
    changed = api.patch(path, {"name": "Founders", "mostPerDay": 5, "every": "hour", "automatic": True}).json
    assert (changed["name"], changed["mostPerDay"], changed["every"]) == ("Founders", 5, "hour")
    assert (changed["automatic"], changed["campaignId"], changed["address"]) == (True, campaign.id, ADDRESS)
    assert api.patch(path, {"campaignId": None}).json["campaignId"] is None
    assert api.post(f"{path}/pause").json["state"] == "paused"
    assert api.post(f"{path}/pause").status_code == 409
    assert api.post(f"{path}/run").status_code == 409
    resumed = api.post(f"{path}/resume").json
    assert (resumed["state"], resumed["nextAt"]) == ("active", "2026-03-02T09:00:00Z")
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
