"""Every answer that a test here gets from `/v1` is held against what its endpoint declares."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask, Response, request
from pydantic import TypeAdapter, ValidationError

from app import resources
from app.api.endpoint import ENDPOINTS, Endpoint
from app.domain import keys
from app.models.workspaces import Workspace
from tests.clients import Api, Client

ALWAYS_POSSIBLE = (404, 405, 413, 415)
ENVELOPE = TypeAdapter(resources.ErrorEnvelope)


def declared() -> Endpoint | None:
    """The endpoint that answers the present request."""
    rule = request.url_rule.rule if request.url_rule else None
    method = "GET" if request.method == "HEAD" else request.method
    found = [one for one in ENDPOINTS if f"/v1{one.path}" == rule and one.method == method]
    return found[0] if found else None


def problem(response: Response) -> str:
    """What is wrong with an answer of `/v1`; '' when it is as declared."""
    found, body = declared(), response.get_data()
    where = f"{request.method} {request.path} {response.status_code}"
    if response.headers.get("Cache-Control") != "no-store" or "Set-Cookie" in response.headers:
        return f"{where}: may be kept, or sets a cookie"
    if not response.headers.get("X-Request-Id", "").startswith("req_"):
        return f"{where}: has no request id"
    if response.status_code == 204:
        return f"{where}: has a body" if body else ""
    if response.content_type != "application/json":
        return f"{where}: is {response.content_type}"
    shape: TypeAdapter[Any] = ENVELOPE
    if response.status_code < 400:
        assert found is not None
        shape = TypeAdapter(resources.Page[found.page_of] if found.page_of else found.returns)
        if response.status_code != found.status:
            return f"{where}: is not the declared status"
    elif found and response.status_code not in (*found.statuses, *ALWAYS_POSSIBLE):
        return f"{where}: is not a declared error"
    try:
        shape.validate_json(body, strict=True)
    except ValidationError as refusal:
        return f"{where}: {refusal}"
    return ""


@pytest.fixture(autouse=True)
def contract(app: Flask) -> Iterator[None]:
    """No answer breaks the contract."""
    problems: list[str] = []

    def look(response: Response) -> Response:
        if request.path.startswith("/v1") and (found := problem(response)):
            problems.append(found)
        return response

    looks = app.after_request_funcs.setdefault(None, [])
    looks.insert(0, look)  # runs last, when every header is there
    yield
    looks.remove(look)
    assert problems == []


@pytest.fixture
def with_scopes(client: Client, acme: Workspace) -> Callable[..., Api]:
    """A script of acme's that may do only what is named."""

    def make(*scopes: str) -> Api:
        return Api(client, keys.create(acme, "Some", scopes)[1])

    return make
