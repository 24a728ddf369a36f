"""Every request with a valid key is in the request log, and none is slower or fails for it."""

from app.core.db import session
from app.domain.platform import request_log
from app.models.platform.requests import ApiRequest
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client


def logged() -> list[ApiRequest]:
    request_log.finish()
    return list(session().query(ApiRequest).order_by(ApiRequest.id))


def test_a_request_is_logged_without_its_answer(api: Api, acme: Workspace) -> None:
    """Method, path, status, key and name of the request; of an answer nothing is kept."""
    answer = api.get("lists", limit=5)
    (line,) = logged()
    assert (line.workspace_id, line.method, line.path, line.status) == (acme.id, "GET", "/v1/lists?limit=5", 200)
    assert (line.ref, line.refused) == (answer.headers["X-Request-Id"], False)
    assert (line.code, line.sent, line.answered) == ("", "", "")
    assert list(request_log.keys_of(acme)) == [line.key_id]


def test_a_refusal_is_kept_with_what_was_sent_and_said(api: Api) -> None:
    """So that its reader sees what was wrong."""
    answer = api.post("lists", {"nam": "Founders", "token": "s3cret"})
    (line,) = logged()
    assert (line.status, line.code, line.refused) == (400, "invalid_request", True)
    assert line.sent == '{"nam": "Founders", "token": "…"}'
    assert "Unknown field. Remove it." in line.answered
    assert answer.json["error"]["requestId"] == line.ref


def test_requests_of_no_one_are_not_kept(api: Api, client: Client) -> None:
    """Without a valid key they belong to no workspace."""
    client.get("/v1/me")
    api.get("nowhere")
    client.get("/v1/openapi.json")
    assert logged() == []


def test_secrets_of_sources_are_not_even_looked_at(api: Api) -> None:
    """Their bodies are never kept."""
    places = ("autopilot/sources/analytics", "autopilot/sources/payments", "mailboxes")
    others = ("autopilot/alerts", "services/hunter", "mailboxes/1/login")
    for method, paths in (("POST", places), ("PUT", others)):
        for path in paths:
            api.call(method, path, json={"nam": "s3cret"})
    assert [line for line in logged() if line.sent] == []
