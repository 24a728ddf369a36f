"""The specification's part 4 as a table, and what holds for every endpoint."""

import re

import pytest
from flask import Flask

from app.api.framework.declarations import REFUSALS
from app.api.framework.endpoint import ENDPOINTS, endpoint
from app.api.workspace.me import show
from app.domain.workspace import api_keys
from app.resources import Me

# The specification's part 4, line by line: method, path, status of success, errors, and the scope of our own table.
SPECIFIED = """
POST    /autopilot/analyze                  200  E409       autopilot:write
PATCH   /autopilot                          200  E0         autopilot:write
PUT     /autopilot/alerts                   200  E0         autopilot:write
POST    /autopilot/sources/analytics        200  E409       sources:write
POST    /autopilot/sources/payments         200  E409       sources:write
POST    /autopilot/plays/{id}/templates     200  E404+409   autopilot:write
PUT     /autopilot/docs/{kind}              200  E404       autopilot:write
GET     /lists                              200  E0         lists:read
GET     /lists/{id}/leads                   200  E404       lists:read
POST    /lists/{id}/leads                   200  E404+409   lists:write
POST    /lists/{id}/enrich                  202  E404+409   enrichment:write
POST    /campaigns                          201  E409       campaigns:write
GET     /campaigns                          200  E0         campaigns:read
POST    /campaigns/{id}/resume              200  E404+409   campaigns:run
GET     /campaigns/{id}/leads               200  E404       campaigns:read
GET     /accounts                           200  E0         accounts:read
POST    /conversations/{id}/messages        202  E404+409   conversations:write
PATCH   /approvals/{id}                     200  E404       approvals:write
POST    /signals                            200  E409       signals:write
POST    /billing/cancel                     200  E409       billing:write
POST    /webhooks                           201  E409       webhooks:write
GET     /webhooks                           200  E0         webhooks:read
DELETE  /webhooks/{id}                      204  E404       webhooks:write
"""
ROWS = [row.split() for row in SPECIFIED.strip().splitlines()]
PAGED = {"/lists", "/lists/{id}/leads", "/campaigns", "/campaigns/{id}/leads", "/accounts", "/webhooks"}


def plain(path: str) -> str:
    """The path with the specification's placeholders."""
    return re.sub(r"<(?:id:)?(\w+)>", lambda found: "{id}" if found[0].startswith("<id:") else f"{{{found[1]}}}", path)


def test_every_endpoint_of_the_specification_is_as_specified() -> None:
    declared = {(one.method, plain(one.path)): one for one in ENDPOINTS}
    for method, path, status, errors, scope in ROWS:
        found = declared[method, path]
        assert (str(found.status), found.scope) == (status, scope), path
        assert {int(one) for one in errors.removeprefix("E").split("+")} - {0} <= set(found.statuses), path
        assert (found.page_of is not None) == (method == "GET" and path in PAGED), path
        assert (found.body is None) == (method in ("GET", "DELETE") or path.endswith("/resume")), path


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
