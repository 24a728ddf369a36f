"""What holds for every endpoint."""

import pytest
from flask import Flask

from app.api.framework.declarations import REFUSALS
from app.api.framework.endpoint import ENDPOINTS, endpoint
from app.api.workspace.me import show
from app.domain.workspace import api_keys
from app.resources import Me


def test_the_registered_routes_are_the_declared_ones(app: Flask) -> None:
    rules = {
        (method, rule.rule.removeprefix("/v1"))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/v1") and not rule.endpoint.startswith("refused ")  # those answer 405
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert rules == {(one.method, one.path) for one in ENDPOINTS} | {("GET", "/openapi.json")}


def test_a_post_has_a_conflict_writing_needs_more_than_reading_and_someone_described_it() -> None:
    for one in ENDPOINTS:
        assert (409 in one.statuses) == (one.method != "GET"), one.name
        assert (404 in one.statuses) == ("<" in one.path), one.name
        assert one.scope is None or one.scope.endswith(":read") == (one.method == "GET"), one.name
        assert one.view.__doc__, one.name
        assert 200 <= one.status < 300, one.name
        assert set(REFUSALS) <= set(one.statuses), one.name


def test_a_declaration_that_leaves_something_out_or_contradicts_itself_fails_at_once() -> None:
    """Not at the first request; and two views at one address would hide each other."""
    before = len(ENDPOINTS)
    for left_out in [
        {"returns": Me},
        {"scope": None},
        {"scope": None, "returns": Me, "words": {"kind": ("a",)}},
        {"scope": None, "returns": Me, "csv": 5},
        {"scope": None, "returns": Me, "example": {}},
        {"scope": "everything", "returns": Me},
        {"scope": None, "returns": Me, "page_of": Me},
        {"scope": None, "returns": None},
        {"scope": None, "returns": Me, "body": Me},
    ]:
        with pytest.raises(TypeError):
            endpoint("GET", "/nowhere", **left_out)(show)
    with pytest.raises(TypeError, match="twice"):
        endpoint("GET", "/me", scope=None, returns=Me)(show)
    assert len(ENDPOINTS) == before


def test_every_scope_of_an_endpoint_is_in_the_table() -> None:
    """And reading is possible in every area, but for workspaces: a key belongs to one, and reads no other."""
    assert {one.scope for one in ENDPOINTS if one.scope} <= set(api_keys.SCOPES)
    areas = {scope.partition(":")[0] for scope in api_keys.SCOPES}
    assert {f"{area}:read" for area in areas} - {"workspaces:read"} <= set(api_keys.SCOPES)
