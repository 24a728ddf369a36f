"""A body that is wrong in many ways is told all of them at once, and leaves nothing behind."""

from typing import Any

import sqlalchemy as sa

from app.core.db import end_read, session
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from tests.support.clients import Api


def problems(api: Api, path: str, body: Any, method: str = "POST", **headers: str) -> dict[str, str]:
    answer = api.call(method, path, json=body, headers=headers or None)
    assert answer.status_code == 400, answer.text
    fields = answer.json["error"]["fields"]  # type: ignore[index]
    assert len({one["path"] for one in fields}) == len(fields)
    return {one["path"]: one["message"] for one in fields}


def test_every_problem_of_a_body_is_named_at_once(api: Api) -> None:
    """What is missing, has the wrong type or is unknown, also deep inside; a wrong type is one problem, not two."""
    found = problems(api, "/webhooks", {"url": "nope", "event": "x", "active": "yes", "colour": "red"})
    assert set(found) == {"name", "url", "event", "active", "colour"}
    assert found["name"] == "Required."
    assert found["active"] == "Use true or false."
    body = {"listId": 999, "accountIds": [], "sequence": [{"type": "dance"}]}
    found = problems(api, "/campaigns", body)
    assert {"name", "listId", "accountIds", "sequence[0].type"} <= set(found)
    found = problems(api, "/campaigns", {"name": 7, "listId": "x", "accountIds": [True], "sequence": [{"type": 1}]})
    assert set(found) == {"name", "listId", "accountIds[0]", "sequence[0].type"}


def test_nothing_is_left_behind(api: Api, acme: Workspace) -> None:
    right = {"name": "CRM", "url": "https://crm.example.com/hook", "event": "every_reply", "campaignIds": []}
    for key in ({}, {"Idempotency-Key": "once"}):
        before = session().scalar(sa.select(sa.func.count()).select_from(Webhook))
        assert set(problems(api, "/webhooks", right | {"more": 1}, **key)) == {"more"}
        end_read()
        assert session().scalar(sa.select(sa.func.count()).select_from(Webhook)) == before
        assert api.call("POST", "/webhooks", json=right, headers=key).status_code == 201


def test_a_strangers_thing_is_not_told_of(api: Api, rival_api: Api) -> None:
    """The verb's other refusals keep their place behind what is wrong with the body."""
    list_id = rival_api.post("/lists", {"name": "Theirs"}).json["id"]  # type: ignore[index]
    assert set(problems(api, f"/lists/{list_id}", {"name": 5}, "PATCH")) == {"name"}
    assert set(problems(api, "/lists/999999", {"name": 5}, "PATCH")) == {"name"}
