"""The specification's part 4 as a table, and what holds for every endpoint."""

import pytest

from app.api.endpoint import ENDPOINTS, ERROR_SETS, Endpoint, endpoint
from app.api.me import show
from app.domain import keys
from app.resources import Me

# method, path, status of success, errors, scope
SPECIFIED = """
GET     /lists                              200  E0         lists:read
GET     /lists/<id:list_id>/leads           200  E404       lists:read
POST    /lists/<id:list_id>/leads           200  E404+409   lists:write
POST    /campaigns                          201  E409       campaigns:write
GET     /campaigns                          200  E0         campaigns:read
POST    /campaigns/<id:campaign_id>/resume  200  E404+409   campaigns:run
GET     /campaigns/<id:campaign_id>/leads   200  E404       campaigns:read
GET     /accounts                           200  E0         accounts:read
POST    /webhooks                           201  E409       webhooks:write
GET     /webhooks                           200  E0         webhooks:read
DELETE  /webhooks/<id:webhook_id>           204  E404       webhooks:write
"""
BY_NAME = {one.name: one for one in ENDPOINTS}


@pytest.mark.parametrize("row", SPECIFIED.strip().splitlines(), ids=lambda row: " ".join(row.split()[:2]))
def test_an_endpoint_is_as_specified(row: str) -> None:
    """To the letter: status, error set and scope."""
    method, path, status, errors, scope = row.split()
    (found,) = [one for one in ENDPOINTS if (one.method, one.path) == (method, path)]
    assert (str(found.status), found.errors, found.scope) == (status, errors, scope)


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: one.name)
def test_what_holds_for_every_endpoint(one: Endpoint) -> None:
    """A POST can be repeated under a key; a list is paged; writing needs more than reading; somebody described it."""
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
    """And reading is possible in every area."""
    assert {one.scope for one in ENDPOINTS if one.scope} <= set(keys.SCOPES)
    areas = {scope.partition(":")[0] for scope in keys.SCOPES}
    assert {f"{area}:read" for area in areas} <= set(keys.SCOPES)
