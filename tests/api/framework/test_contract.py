"""The specification's part 4 as a table, and what holds for every endpoint."""

import re

import pytest
from flask import Flask

from app.api.framework.endpoint import ENDPOINTS, ERROR_SETS, Endpoint, endpoint
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
BY_NAME = {one.name: one for one in ENDPOINTS}


def plain(path: str) -> str:
    """The path with the specification's placeholders."""
    return re.sub(r"<(?:id:)?(\w+)>", lambda found: "{id}" if found[0].startswith("<id:") else f"{{{found[1]}}}", path)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row[:2]))
def test_an_endpoint_is_as_specified(row: list[str]) -> None:
    """To the letter: status, error set and scope; what is a list there is a list here."""
    method, path, status, errors, scope = row
    (found,) = [one for one in ENDPOINTS if (one.method, plain(one.path)) == (method, path)]
    assert (str(found.status), found.errors, found.scope) == (status, errors, scope)
    assert (found.page_of is not None) == (method == "GET" and path in PAGED)
    assert (found.body is None) == (method in ("GET", "DELETE") or path.endswith("/resume"))


def test_the_table_is_whole() -> None:
    """23 endpoints, each once."""
    assert len(ROWS) == 23
    assert len({tuple(row[:2]) for row in ROWS}) == 23


def test_the_registered_routes_are_the_declared_ones(app: Flask) -> None:
    """Nothing answers under `/v1` that is not declared, but the document itself."""
    rules = {
        (method, rule.rule.removeprefix("/v1"))
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/v1") and not rule.endpoint.startswith("refused ")  # those answer 405
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert rules == {(one.method, one.path) for one in ENDPOINTS} | {("GET", "/openapi.json")}


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: one.name)
def test_what_holds_for_every_endpoint(one: Endpoint) -> None:
    """A POST can be repeated under a key; a list is paged; writing needs more than reading; someone described it."""
    assert ("409" in one.errors) >= (one.method == "POST")
    assert ("409" in one.errors) <= (one.method != "GET")
    assert one.scope is None or one.scope.endswith(":read") == (one.method == "GET")
    assert one.view.__doc__
    assert 200 <= one.status < 300
    assert set(ERROR_SETS["E0"]) <= set(one.statuses)


@pytest.mark.parametrize(
    "left_out",
    [
        {"scope": None, "returns": Me},
        {"returns": Me, "errors": "E0"},
        {"scope": None, "errors": "E0"},
        {"scope": "everything", "returns": Me, "errors": "E0"},
        {"scope": None, "returns": Me, "errors": "E500"},
        {"scope": None, "returns": Me, "errors": "E409"},
        {"scope": None, "returns": Me, "errors": "E404"},
        {"scope": None, "returns": Me, "errors": "E0", "page_of": Me},
        {"scope": None, "returns": None, "errors": "E0"},
        {"scope": None, "returns": Me, "errors": "E0", "body": Me},
    ],
)
def test_a_declaration_that_leaves_something_out_or_contradicts_itself_fails_at_once(left_out: dict) -> None:
    """Not at the first request."""
    before = len(ENDPOINTS)
    with pytest.raises(TypeError):
        endpoint("GET", "/nowhere", **left_out)(show)
    assert len(ENDPOINTS) == before


def test_an_address_is_declared_once() -> None:
    """Two views at one address would hide each other."""
    with pytest.raises(TypeError, match="twice"):
        endpoint("GET", "/me", scope=None, returns=Me, errors="E0")(show)


def test_every_scope_of_an_endpoint_is_in_the_table() -> None:
    """And reading is possible in every area, but for workspaces: a key belongs to one, and reads no other."""
    assert {one.scope for one in ENDPOINTS if one.scope} <= set(api_keys.SCOPES)
    areas = {scope.partition(":")[0] for scope in api_keys.SCOPES}
    assert {f"{area}:read" for area in areas} - {"workspaces:read"} <= set(api_keys.SCOPES)
