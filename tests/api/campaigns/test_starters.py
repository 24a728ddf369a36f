"""Starter sequences and saved templates over `/v1`: each is a body that the campaigns endpoint takes."""

import pytest

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.openapi import document
from app.core.db import session
from app.domain.platform import audit_log
from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.support.clients import Api

pytestmark = pytest.mark.usefixtures("clock")


def test_a_starter_is_the_body_of_a_new_campaign(acme: Workspace, api: Api) -> None:
    starters = api.get("starters", topic="invoice processing").json["starters"]
    assert len(starters) == 8
    body = {"listId": a_list(acme, ["accepts-ada"]), "accountIds": [one.id for one in accounts.every(acme)]}
    for one in starters:
        assert len(one["reasons"]) == len(one["sequence"])
        made = api.post("campaigns", body | {name: one[name] for name in ("name", "sequence", "branches")})
        assert made.status_code == 201, (one["key"], made.json)
        assert made.json["status"] == "draft"


@pytest.mark.parametrize(("path", "many"), [("/v1/starters", "starters"), ("/v1/templates", "data")])
def test_the_published_example_of_a_sequence_is_taken_by_a_new_campaign(
    acme: Workspace, api: Api, path: str, many: str
) -> None:
    """As the document says: send its `sequence` and `branches`."""
    answer = document(ENDPOINTS, "https://overture.example")["paths"][path]["get"]["responses"]["200"]
    (shown,) = answer["content"]["application/json"]["example"][many]
    body = {"listId": a_list(acme, ["accepts-ada"]), "accountIds": [one.id for one in accounts.every(acme)]}
    made = api.post("campaigns", body | {name: shown[name] for name in ("name", "sequence", "branches")})
    assert (made.status_code, len(made.json["sequence"])) == (201, 2)


def test_the_topic_is_checked_and_what_is_missing_is_named(api: Api) -> None:
    assert api.get("starters", topic="{{first_name}}").status_code == 400
    assert api.get("starters", topic="x" * 61).status_code == 400
    missing = {one["key"]: one["missing"] for one in api.get("starters").json["starters"]}
    assert missing["invite-only"] == []
    assert [one["kind"] for one in missing["hiring"]] == ["signal"]


def test_a_campaigns_steps_are_saved_and_begin_another_one(acme: Workspace, api: Api) -> None:
    """Once saved, a template changes with nothing; strangers see none of it."""
    nested = [
        {"at": 1, "otherwise": 3, "join": 4, "when": {"is": "has_email"}},
        {"at": 1, "otherwise": 2, "join": 3, "when": {"is": "tag", "value": "vip"}},
    ]
    split = {"sequence": [{"type": kind} for kind in ("view_profile", "follow", "like_post", "follow")]}
    split |= {"branches": nested, "listId": a_list(acme, ["accepts-ada"]), "accountIds": [accounts.every(acme)[0].id]}
    path = f"campaigns/{api.post('campaigns', split | {'name': 'First'}).json['id']}"
    made = api.post(f"{path}/templates", {"name": "  Gentle  start "})
    assert (made.status_code, made.json["name"], made.json["branches"]) == (201, "Gentle start", nested)
    api.patch(path, {"sequence": [{"type": "follow"}]})
    second = api.post(f"{path}/templates", {"name": "Follow"}).json
    assert api.get("templates").json["data"] == [second, made.json]
    body = split | {"name": "Next", **{name: made.json[name] for name in ("sequence", "branches")}}
    again = api.post("campaigns", body).json
    assert (again["sequence"], again["branches"]) == (split["sequence"], nested)
    assert api.post(f"{path}/templates", {"name": " "}).json["error"]["fields"][0]["path"] == "name"
    assert api.delete(f"templates/{second['id']}").status_code == 204
    assert api.get("templates").json["data"] == [made.json]
    audited = session().scalars(audit_log.page(acme, "template")).all()
    assert {(one.kind, one.subject) for one in audited} >= {
        ("template.created", "Follow"),
        ("template.deleted", "Follow"),
    }
