"""Connected services over the API: shapes, masked keys, every refusal at its place, and what strangers see."""

import pytest
from flask import Flask

from app.core.db import end_read
from app.domain.platform import services
from app.domain.workspace import api_keys, workspaces
from app.models.workspaces import Workspace
from app.ports import LoggedOut
from tests.conftest import PASSWORD
from tests.support.clients import Api, fields
from tests.support.finders import RIGHT, Finder, offered
from tests.support.movable import Movable


@pytest.fixture
def finder(app: Flask) -> Finder:
    return offered("finder", "other")[0]


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    return workspaces.create("Live", "ada@live.example", PASSWORD)


@pytest.fixture
def ours(app: Flask, live: Workspace) -> Api:
    return Api(app.test_client(), api_keys.create(live, "Tests", ["sources:write"])[1])  # type: ignore[arg-type]


def test_a_service_is_connected_with_its_key_masked_and_disconnected(
    ours: Api, live: Workspace, finder: Finder
) -> None:
    before = ours.get("services").json["services"]
    assert [(one["name"], one["connected"], one["health"]) for one in before] == [
        ("finder", False, ""),
        ("other", False, ""),
    ]
    answer = ours.put("services/other", {"values": {"api_key": RIGHT}, "dailyBudget": 0.05})
    assert answer.status_code == 200
    assert answer.json["about"] == "500 searches are left this month."
    end_read()
    [ready] = services.credentials_for(live, "email")
    with services.call(live, ready):
        pass
    first, second = ours.get("services").json["services"]
    assert (first["name"], second["name"]) == ("other", "finder")
    assert (first["health"], first["position"], first["dailyBudget"]) == ("well", 1, 0.05)
    assert (first["usedToday"], first["spentToday"]) == (1, 0.01)
    assert {one["name"]: one["value"] for one in first["fields"]} == {
        "base_url": "https://api.finder.example",
        "api_key": "••••door",
        "hook_secret": first["fields"][2]["value"],
    }
    assert ours.post("services/other/check").json["health"] == "well"
    assert ours.delete("services/other").status_code == 204
    assert ours.post("services/other/check").status_code == 404
    assert RIGHT not in str(ours.get("services").json)


def test_a_service_is_moved_to_another_place(ours: Api, api: Api, finder: Finder) -> None:
    for name in ("finder", "other"):
        ours.put(f"services/{name}", {"values": {"api_key": RIGHT}})
    moved = ours.post("services/other/move", {"position": 1})
    assert [one["name"] for one in moved.json["services"]] == ["other", "finder"]
    last = ours.post("services/other/move", {"position": 1000}).json["services"]
    assert [(one["name"], one["position"]) for one in last] == [("finder", 1), ("other", 2)]
    assert set(fields(ours.post("services/other/move", {"position": 0}))) == {"position"}
    assert api.post("services/other/move", {"position": 1}).status_code == 404


def test_a_check_says_what_is_wrong(ours: Api, finder: Finder) -> None:
    """In its answer, which is none of a failure: the question was answered."""
    ours.put("services/finder", {"values": {"api_key": RIGHT}})
    finder.failure = LoggedOut("The key was revoked.")
    answer = ours.post("services/finder/check")
    assert (answer.status_code, answer.json["health"], answer.json["failure"]) == (
        200,
        "failing",
        finder.failure.sentence,
    )
