"""The check that every answer of `/v1` goes through: it must notice what is not published."""

import json
from typing import Any

import pytest
from flask import Flask, Response
from werkzeug.test import EnvironBuilder, TestResponse

from app.models.workspaces import Workspace
from tests.support.clients import Api
from tests.support.contract import contract_of


def altered(answer: TestResponse, body: Any) -> TestResponse:
    """The same answer with another body."""
    changed = Response(json.dumps(body), answer.status_code, headers=[*answer.headers])
    request = EnvironBuilder(answer.request.path).get_request()
    return TestResponse([changed.get_data()], changed.status, changed.headers, request)


@pytest.fixture
def listed(api: Api, acme: Workspace) -> TestResponse:
    """A page with one list."""
    api.post("lists", {"name": "Founders"})
    return api.get("lists")


def test_a_published_answer_has_no_problem(app: Flask, listed: TestResponse) -> None:
    assert contract_of(app).problem(altered(listed, listed.json)) == ""


@pytest.mark.parametrize("change", [{"surprise": 1}, {"name": 5}, {"createdAt": "yesterday"}, {"id": None}])
def test_a_field_that_is_not_as_published_is_noticed(app: Flask, listed: TestResponse, change: dict[str, Any]) -> None:
    body = listed.json
    assert body is not None
    body["data"][0] |= change
    assert "data.0" in contract_of(app).problem(altered(listed, body))


def test_a_status_that_is_not_published_is_noticed(app: Flask, listed: TestResponse) -> None:
    listed.status_code = 418
    assert "is not among the published" in contract_of(app).problem(listed)
