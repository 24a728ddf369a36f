"""The CRM by `/v1`: its settings, the lists that are followed, and the activities it is told."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app.core.db import transaction
from app.models.workspaces import Workspace
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support.clients import Api, paths
from tests.support.crms import connect, hubspot_at, read_all
from tests.support.movable import Movable


@pytest.fixture
def hubspot(app: Flask, clock: Movable, acme: Workspace) -> Iterator[HubSpotServer]:
    """An account at HubSpot, connected to a workspace that reaches the outside."""
    server = HubSpotServer(clock=clock)
    hubspot_at(server)
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    server.put_in_list(
        "31", "Warm leads", [server.add("contacts", email="ada@acme.example", lifecyclestage="customer")]
    )
    connect(acme)
    yield server
    server.stop()


def test_the_whole_life_of_a_crm(api: Api, acme: Workspace, hubspot: HubSpotServer) -> None:
    """It is looked at, changed, followed, read, and let go."""
    refused = api.patch("/crm/hubspot", {"fields": [{"field": "size"}, {"field": "phone", "outgoing": "ours"}]})
    assert paths(refused) == ["fields.size", "fields.phone"]
    assert api.post("/crm/hubspot/lists", {"id": "99"}).status_code == 400
    assert api.get("/crm/hubspot/lists").json == {"lists": [{"id": "31", "name": "Warm leads", "size": 1}]}
    followed = api.post("/crm/hubspot/lists", {"id": "31"})
    assert followed.status_code == 201
    read_all(acme)
    changed = api.patch("/crm/hubspot", {"fields": [{"field": "phone", "incoming": "off"}], "create": "no"}).json
    assert [one for one in changed["fields"] if one["field"] == "phone"] == [
        {"field": "phone", "incoming": "off", "outgoing": "fill"}
    ]
    assert changed["create"] == "no"
    shown = api.get("/crm/hubspot").json
    assert (shown["service"], shown["counts"]["contacts"], shown["counts"]["customers"]) == ("hubspot", 1, 1)
    assert [one["name"] for one in shown["lists"]] == ["Warm leads"]
    assert api.post("/crm/hubspot/sync", {}).status_code == 202
    assert api.get("/crm/hubspot/activities", state="failed").json["data"] == []
    assert api.post("/crm/hubspot/activities/retry", {}).status_code == 409
    assert api.delete(f"/crm/hubspot/lists/{followed.json['id']}").status_code == 204
    assert api.get("/crm/hubspot").json["lists"] == []


def test_without_a_crm_there_is_nothing(api: Api, rival_api: Api, acme: Workspace) -> None:
    assert api.get("/crm/hubspot").status_code == 404
    assert api.get("/crm/tinycrm").status_code == 404
    assert "Services" in api.get("/crm/hubspot").json["error"]["recovery"]
    assert rival_api.get("/crm/hubspot/activities").status_code == 404
