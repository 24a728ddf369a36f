"""Members and invitations in `/v1`: a key invites and changes whoever is no owner, for an owner."""

from app.domain.workspace import api_keys, team
from app.models.workspaces import Role, Workspace
from tests.conftest import PASSWORD
from tests.domain.workspace.test_team import BO, member
from tests.support.clients import Api, Client, paths
from tests.support.members import owner


def test_a_person_is_invited_joins_is_changed_and_removed(api: Api, acme: Workspace) -> None:
    made = api.post("members/invitations", {"email": BO, "role": "integrator"})
    assert (made.status_code, made.json["mailed"]) == (201, False)
    shown = {name: value for name, value in made.json.items() if name not in ("link", "mailed")}
    assert api.get("members").json["invitations"] == [shown]
    team.accept(made.json["link"].rpartition("/")[2], PASSWORD, "Bo")
    first, second = api.get("members").json["members"]
    assert (first["role"], second["name"], second["role"], second["keyScopes"]) == ("owner", "Bo", "integrator", [])
    path = f"members/{second['id']}"
    assert api.patch(path, {"keyScopes": ["campaigns:run"]}).json["keyScopes"] == ["campaigns:run"]
    assert api.patch(path, {"role": "reviewer"}).json["role"] == "reviewer"
    assert paths(api.patch(path, {"keyScopes": ["campaigns:run"]})) == ["keyScopes"]
    assert api.delete(path).status_code == 204
    assert len(api.get("members").json["members"]) == 1


def test_an_invitation_is_renewed_and_withdrawn(api: Api) -> None:
    made = api.post("members/invitations", {"email": BO, "role": "reviewer"}).json
    again = api.post(f"members/invitations/{made['id']}/resend")
    assert again.status_code == 201
    assert again.json["link"] != made["link"]
    assert team.find_invitation(made["link"].rpartition("/")[2]) is None
    assert api.delete(f"members/invitations/{again.json['id']}").status_code == 204
    assert api.get("members").json["invitations"] == []


def test_a_key_decides_nothing_about_owners(api: Api, acme: Workspace) -> None:
    second = member(acme, role=Role.OWNER)
    for one in (second.id, *(found["id"] for found in api.get("members").json["members"])):
        assert api.patch(f"members/{one}", {"role": "reviewer"}).status_code == 403
        assert api.delete(f"members/{one}").status_code == 403
    assert [one.role for one in team.members(acme)] == ["owner", "owner"]
    bo = member(acme, "cy@acme.example")
    assert api.patch(f"members/{bo.id}", {"role": "owner"}).status_code == 400


def test_only_an_owners_key_decides(acme: Workspace, client: Client) -> None:
    bo, other = member(acme, role=Role.INTEGRATOR), member(acme, "cy@acme.example")
    team.grant(acme, owner(acme), bo.id, ["members:write"])
    integrator = Api(client, api_keys.create(acme, "Bo", ["members:write"], created_by=team.member(acme, BO))[1])
    server = Api(client, api_keys.create(acme, "Server", "all")[1])
    for script in (integrator, server):
        assert script.get("members").status_code == 200
        assert script.post("members/invitations", {"email": "x@acme.example", "role": "reviewer"}).status_code == 403
        assert script.patch(f"members/{other.id}", {"role": "operator"}).status_code == 403
        assert script.delete(f"members/{other.id}").status_code == 403
