"""Starter sequences over `/v1`: each is a body that the campaigns endpoint takes."""

import pytest

from app.domain.senders import accounts
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.support.clients import Api

pytestmark = pytest.mark.usefixtures("clock")
FIELDS = "key name people idea channels sequence branches reasons missing".split()


def test_a_starter_is_the_body_of_a_new_campaign(acme: Workspace, api: Api) -> None:
    starters = api.get("starters", topic="invoice processing").json["starters"]
    assert len(starters) == 8
    body = {"listId": a_list(acme, ["accepts-ada"]), "accountIds": [one.id for one in accounts.every(acme)]}
    for one in starters:
        assert list(one) == FIELDS
        assert len(one["reasons"]) == len(one["sequence"])
        made = api.post("campaigns", body | {name: one[name] for name in ("name", "sequence", "branches")})
        assert made.status_code == 201, (one["key"], made.json)
        assert made.json["status"] == "draft"


def test_the_topic_is_checked_and_what_is_missing_is_named(api: Api) -> None:
    assert api.get("starters", topic="{{first_name}}").status_code == 400
    assert api.get("starters", topic="x" * 61).status_code == 400
    missing = {one["key"]: one["missing"] for one in api.get("starters").json["starters"]}
    assert missing["invite-only"] == []
    assert [one["kind"] for one in missing["hiring"]] == ["signal"]
