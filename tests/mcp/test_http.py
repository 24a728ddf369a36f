"""`/mcp` over HTTP, as the protocol and the key check want it: what is answered, what is refused, what is logged."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.db import session
from app.domain.platform import rate_limits, request_log
from app.domain.workspace import api_keys, workspaces
from app.mcp import calls, stdio
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.mcp.conftest import Ask
from tests.support import assistants
from tests.support.movable import Movable

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = "application/json, text/event-stream"


@pytest.fixture
def key(acme: Workspace) -> str:
    """A key of acme's that may do everything."""
    return api_keys.create(acme, "Claude", ["all"])[1]


def post(client: FlaskClient, key: str, message: Any = HELLO, **headers: str) -> Any:
    sent = {"Authorization": f"Bearer {key}", "Accept": ACCEPT, **headers}
    return assistants.apart(client.post, "/mcp", json=message, headers=sent)


def test_an_assistant_is_greeted(client: FlaskClient, key: str) -> None:
    answer = post(client, key)
    assert answer.status_code == 200
    assert answer.mimetype == "application/json"
    found = answer.json["result"]
    assert (found["serverInfo"]["name"], found["protocolVersion"]) == ("overture", "2025-06-18")
    assert "approval" in found["instructions"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers
    assert "RateLimit" not in answer.headers  # off in tests
    answer = post(client, key, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (answer.status_code, answer.data) == (202, b"")  # a notification gets no answer


def test_without_a_valid_key_nothing_is_answered(client: FlaskClient, acme: Workspace) -> None:
    for given in ["", "ovt_test_nothing"]:
        answer = post(client, given)
        assert answer.status_code == 401
        assert answer.json["error"]["code"] == "unauthorized"
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_there_is_no_stream_and_no_session(client: FlaskClient, key: str) -> None:
    """A web thread must not wait for events that never come."""
    for method in ["GET", "DELETE", "PUT"]:
        answer = client.open("/mcp", method=method, headers={"Authorization": f"Bearer {key}", "Accept": ACCEPT})
        assert answer.status_code == 405
        assert "POST" in answer.headers["Allow"]
        assert answer.json["error"]["code"] == "not_supported"


def test_a_page_of_another_site_is_refused(client: FlaskClient, key: str) -> None:
    assert post(client, key, Origin="https://evil.example").status_code == 403
    assert post(client, key, Origin="http://[evil").status_code == 403
    assert post(client, key, Origin="http://localhost").status_code == 200


def test_a_message_that_is_too_large_or_none_is_refused(client: FlaskClient, key: str) -> None:
    assert post(client, key, {"jsonrpc": "2.0", "id": 1, "method": "ping", "x": "y" * 1_000_001}).status_code == 413
    for sent in [b"", b"{", b"[]", b'"x"', b"\xff"]:
        headers = {"Authorization": f"Bearer {key}", "Accept": ACCEPT, "Content-Type": "application/json"}
        assert assistants.apart(client.post, "/mcp", data=sent, headers=headers).status_code == 400


def test_the_official_client_connects_in_both_eras(live_server: str, key: str) -> None:
    async def work(mode: str) -> Any:
        async with assistants.over_http(live_server, key, mode) as assistant:
            return [one.name for one in await assistant.tools()], await assistant.call("list_lists")

    for mode in ("legacy", "auto"):
        names, found = assistants.run(partial(work, mode))
        assert "find_people" in names
        assert found == {"data": []}


def test_calls_stand_in_the_request_log(acme: Workspace, ask: Ask, with_key: Callable[..., Ask]) -> None:
    """With their tool; of refused ones also what was sent and what was answered."""
    ask("list_lists")
    with pytest.raises(assistants.Refused):
        with_key("lists:read")("create_list", name="Founders")
    request_log.finish()
    first, second = session().scalars(request_log.page(acme).order_by("id")).all()
    assert (first.method, first.path, first.status, first.sent) == ("MCP", "/mcp/list_lists", 200, "")
    assert (second.path, second.status, second.code, second.refused) == ("/mcp/create_list", 403, "forbidden", True)
    assert json.loads(second.sent) == {"arguments": {"name": "Founders"}}
    assert "lists:write" in second.answered


def test_a_key_that_calls_too_often_waits(make_app: Callable[..., Flask], clock: Movable) -> None:
    """As under `/v1`, and with the same tokens: 429 says how long. Over standard input the call itself is refused."""
    app = make_app(OVERTURE_RATE_LIMIT="on")
    with app.app_context():
        made = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
        key, plain = api_keys.create(made, "Claude", ["all"])
        assert post(app.test_client(), plain).headers["RateLimit"]
        while rate_limits.consume(rate_limits.USUAL, str(key.id)).allowed:
            pass
        late = post(app.test_client(), plain)
        assert (late.status_code, late.json["error"]["code"]) == (429, "rate_limited")
        assert int(late.headers["Retry-After"]) >= 1
        outcome = calls.call(partial(stdio.caller_of, plain), "list_lists", {}, stdio.RATES)
        assert outcome.structured["error"]["retryAfter"] >= 1
