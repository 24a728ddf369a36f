"""API keys made by API keys: no wider than their maker, nor than the key that made them."""

from collections.abc import Callable

from app.domain.workspace import api_keys, team
from app.models.workspaces import Role, Workspace
from tests.domain.workspace.test_team import BO, member
from tests.support.clients import Api, Client, paths
from tests.support.members import owner
from tests.support.movable import Movable


def test_a_key_is_made_used_listed_and_revoked(api: Api, client: Client, acme: Workspace, clock: Movable) -> None:
    body = {"name": "CRM sync", "scopes": ["lists:write", "events:read"], "expiresAt": "2026-06-01T00:00:00Z"}
    made = api.post("keys", body)
    assert (made.status_code, made.json["scopes"], made.json["maker"]) == (201, body["scopes"], "ada@acme.example")
    script = Api(client, made.json["key"])
    assert script.post("lists", {"name": "From the CRM"}).status_code == 201
    assert script.get("campaigns").status_code == 403
    first, *_ = api.get("keys").json["data"]
    assert first["lastUsedAt"] is not None
    shown = {name: value for name, value in made.json.items() if name not in ("key", "lastUsedAt")}
    assert {name: value for name, value in first.items() if name != "lastUsedAt"} == shown
    assert made.json["key"] not in api.get("keys").text
    assert api.post(f"keys/{made.json['id']}/revoke").json["revokedAt"] is not None
    assert script.get("lists").status_code == 401
    assert made.json["id"] not in [one["id"] for one in api.get("keys").json["data"]]
    assert api.get(f"keys/{made.json['id']}").json["revokedAt"] is not None


def test_a_key_makes_none_that_may_do_more_than_itself(with_scopes: Callable[..., Api], client: Client) -> None:
    narrow = with_scopes("keys:write", "lists:read")
    for scopes in (["all"], ["lists:write"], ["keys:write", "campaigns:run"]):
        assert paths(narrow.post("keys", {"name": "Wider", "scopes": scopes})) == ["scopes"]
    made = narrow.post("keys", {"name": "Reader", "scopes": ["lists:read"]})
    assert set(Api(client, made.json["key"]).get("me").json["key"]["scopes"]) == {"lists:read"}


def test_a_key_rotates_none_that_may_do_more_than_itself(
    api: Api, with_scopes: Callable[..., Api], client: Client, acme: Workspace
) -> None:
    wide = api.post("keys", {"name": "Wide", "scopes": ["campaigns:run"]}).json["id"]
    assert with_scopes("keys:write").post(f"keys/{wide}/rotate", {}).status_code == 403
    rolled = api.post(f"keys/{wide}/rotate", {"overlapHours": 0})
    assert (rolled.status_code, rolled.json["name"], rolled.json["scopes"]) == (201, "Wide", ["campaigns:run"])
    assert Api(client, rolled.json["key"]).get("me").status_code == 200
    assert api.post(f"keys/{rolled.json['id']}/rotate", {"overlapHours": 169}).status_code == 400


def test_a_key_speaks_for_the_member_of_the_key_that_made_it(acme: Workspace, client: Client) -> None:
    """When an integrator is demoted, neither of their keys opens anything."""
    bo = member(acme, role=Role.INTEGRATOR)
    team.grant(acme, owner(acme), bo.id, ["keys:write"])
    user = team.member(acme, BO)
    first = Api(client, api_keys.create(acme, "First", ["keys:write", "lists:read"], created_by=user)[1])
    made = first.post("keys", {"name": "Second", "scopes": ["lists:read"]}).json
    second = Api(client, made["key"])
    assert (made["maker"], second.get("lists").status_code) == ("Bo", 200)
    team.change_role(acme, owner(acme), bo.id, Role.REVIEWER)
    assert second.get("lists").status_code == first.get("keys").status_code == 403


def test_keys_of_the_server_make_keys_of_the_server(acme: Workspace, client: Client) -> None:
    server = Api(client, api_keys.create(acme, "Server", "all")[1])
    assert server.post("keys", {"name": "Script", "scopes": ["all"]}).json["maker"] == ""
