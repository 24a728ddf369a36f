"""New workspaces in `/v1`."""

from collections.abc import Callable

from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client


def test_a_workspace_is_created_with_a_key_that_may_do_the_same(
    api: Api, with_scopes: Callable[..., Api], client: Client, acme: Workspace
) -> None:
    made = api.post("workspaces", {"name": "Acme live", "timezone": "Europe/Berlin"})
    assert (made.status_code, made.json["timezone"]) == (201, "Europe/Berlin")
    there = Api(client, made.json["key"])
    me = there.get("me").json
    assert (me["workspace"]["id"], me["workspace"]["sandbox"]) == (made.json["id"], False)
    assert set(me["key"]["scopes"]) == set(api_keys.SCOPES)
    assert [one["email"] for one in there.get("members").json["members"]] == ["ada@acme.example"]
    narrow = with_scopes("workspaces:write", "lists:read").post("workspaces", {"name": "Second"})
    assert set(Api(client, narrow.json["key"]).get("me").json["key"]["scopes"]) == {"workspaces:write", "lists:read"}
    assert narrow.json["timezone"] == acme.timezone


def test_a_workspace_needs_a_name_of_its_own_and_an_owner(api: Api, acme: Workspace, client: Client) -> None:
    refused = api.post("workspaces", {"name": acme.name, "timezone": "Mars/Olympus"})
    assert {one["path"] for one in refused.json["error"]["fields"]} == {"timezone"}
    assert api.post("workspaces", {"name": acme.name}).status_code == 400
    server = Api(client, api_keys.create(acme, "Server", "all")[1])
    refused = server.post("workspaces", {"name": "Live"})
    assert refused.status_code == 403
    assert "Developers → API keys" in refused.json["error"]["recovery"]
