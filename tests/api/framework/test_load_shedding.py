"""Load shedding: who is refused while too many wait or run, and what they are told."""

import json
from contextlib import ExitStack

import pytest
import sqlalchemy as sa
from flask import Flask

from app import is_data
from app.api.framework import load_shedding
from app.api.framework.load_shedding import Refusals
from app.core.db import db
from app.core.metrics import REGISTRY
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client


@pytest.fixture
def refuse(app: Flask) -> Refusals:
    """What the server asks when there is no room."""
    return Refusals(app, is_data)


def test_a_crowd_is_told_to_come_back(limited: Client, acme: Workspace, rival: Workspace) -> None:
    """20 requests of a workspace are served at once, then 503; others are served, and so is the next."""
    ours, theirs = (Api(limited, api_keys.create(one, "k", "all")[1]) for one in (acme, rival))
    with limited.application.app_context(), ExitStack() as inside:
        for _ in range(load_shedding.MOST_OF_ONE):
            inside.enter_context(load_shedding.limit_concurrency(acme.id))
        refused = ours.get("me")
        assert (refused.status_code, refused.json["error"]["code"]) == (503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
        assert theirs.get("me").status_code == 200
    assert ours.get("me").status_code == 200


def test_a_script_is_told_in_its_language(refuse: Refusals) -> None:
    ids = set()
    for path in ("/v1/me", "/mcp", "/v1/lists/7/leads", "/v1/me"):
        headers, body = refuse("POST", path, {})
        told = dict(headers)
        error = json.loads(body)["error"]
        assert error["code"] == "unavailable"
        assert error["requestId"] == told["X-Request-Id"]
        assert (told["Retry-After"], told["Content-Type"]) == ("2", "application/json")
        ids.add(error["requestId"])
    assert len(ids) == 4


def test_a_page_says_that_it_tries_again(refuse: Refusals) -> None:
    """The button asks for the same page, and nothing on it is theirs; a form is not sent again by itself."""
    headers, body = refuse("GET", '/lists/<"7">', {})
    page, told = body.decode(), dict(headers)
    wanted = ("The service is busy", "Too many requests are waiting.", "Retrying in", "/lists/&lt;&quot;7&quot;&gt;")
    for part in wanted:
        assert part in page
    assert "Set-Cookie" not in told
    assert "script-src 'self'" in told["Content-Security-Policy"]
    form = refuse("POST", "/lists", {})[1].decode()
    assert "The service is busy" in form
    assert "Try again</a>" not in form


def test_a_part_of_a_page_is_a_message(refuse: Refusals) -> None:
    """What htmx asked for becomes a message on the page, which stays as it is."""
    headers, body = refuse("GET", "/campaigns", {"HX_REQUEST": "true", "HX_REQUEST_TYPE": "partial"})
    assert dict(headers)["HX-Reswap"] == "none"
    assert "Too many requests are waiting." in body.decode()
    assert "<html" not in body.decode()
    restored = {"HX_REQUEST": "true", "HX_HISTORY_RESTORE_REQUEST": "true"}
    assert "<html" in refuse("GET", "/campaigns", restored)[1].decode()


def test_a_refusal_costs_no_query_and_is_counted(refuse: Refusals, app: Flask, acme: Workspace) -> None:
    asked: list[str] = []
    before = REGISTRY.get_sample_value("overture_requests_refused_total") or 0
    sa.event.listen(db.engine, "before_cursor_execute", lambda *given: asked.append(given[2]))
    for path in ("/", "/login", "/v1/me", "/nowhere"):
        refuse("GET", path, {"AUTHORIZATION": "Bearer x", "COOKIE": "overture=x"})
    assert asked == []
    assert REGISTRY.get_sample_value("overture_requests_refused_total") == before + 4
