"""Saved views in `/v1`: those of the member for whom the key speaks."""

from app.domain.workspace import api_keys, saved_views, team
from app.models.workspaces import Role, Workspace
from tests.domain.workspace.test_team import BO, member
from tests.support.clients import Api, Client
from tests.support.members import owner


def test_a_view_is_saved_replaced_listed_and_deleted(api: Api, acme: Workspace) -> None:
    made = api.post("views", {"table": "campaigns", "name": "Running", "query": "status=running"}).json
    again = api.post("views", {"table": "campaigns", "name": "Running", "query": "status=paused&q="}).json
    assert (again["id"], again["query"]) == (made["id"], "status=paused")
    other = api.post("views", {"table": "people", "name": "By name", "query": "sort=name"}).json
    assert api.get("views").json["data"] == [other, again]
    assert api.get("views", table="people").json["data"] == [other]
    assert [one.name for one in saved_views.of_member(acme, owner(acme), "campaigns")] == ["Running"]
    assert api.delete(f"views/{made['id']}").status_code == 204
    assert api.get("views").json["data"] == [other]


def test_a_wrong_view_is_refused(api: Api) -> None:
    refused = api.post("views", {"table": "houses", "name": " ", "query": "x" * 501})
    assert {one["path"] for one in refused.json["error"]["fields"]} >= {"query"}
    refused = api.post("views", {"table": "houses", "name": " ", "query": ""})
    assert {one["path"] for one in refused.json["error"]["fields"]} == {"table", "name"}


def test_a_view_is_seen_by_its_member_alone(api: Api, acme: Workspace, client: Client) -> None:
    made = api.post("views", {"table": "people", "name": "Ours", "query": "sort=name"}).json
    member(acme, role=Role.INTEGRATOR)
    bo = Api(client, api_keys.create(acme, "Bo", ["views:write"], created_by=team.member(acme, BO))[1])
    assert bo.get("views").json["data"] == []
    assert bo.delete(f"views/{made['id']}").status_code == 404
    server = Api(client, api_keys.create(acme, "Server", "all")[1])
    assert server.get("views").status_code == 403
