"""Which key may do what: the matrix is made from the declarations themselves."""

from collections.abc import Callable

import pytest

from app.api.framework.declarations import ENDPOINTS, Endpoint
from app.domain.workspace import api_keys
from tests.api.stock import UNKNOWN_ID, options_of, path_of
from tests.support.clients import Api, Client

SCOPED = [one for one in ENDPOINTS if one.scope]


def refused(api: Api, one: Endpoint) -> bool:
    """Whether a request to it, with ids of nothing and a body that fits, is refused for the key's scopes."""
    answer = api.call(one.method, path_of(one, dict.fromkeys(one.ids, UNKNOWN_ID)), **options_of(one))
    return answer.status_code == 403 and answer.json["error"]["code"] == "forbidden"


def that_cover(scope: str) -> set[str]:
    """The scopes that include it."""
    areas = {name.removesuffix(":read") for name in api_keys.opening(scope)}
    wide = {f"{area}:{right}" for area in areas for right in ("read", "write")}
    return wide & set(api_keys.SCOPES) if scope.endswith(":read") else {scope}


@pytest.mark.parametrize("one", SCOPED, ids=lambda one: one.name)
def test_a_route_opens_with_its_scope_and_with_no_other(one: Endpoint, with_scopes: Callable[..., Api]) -> None:
    """Each scope that covers it is enough alone; all others together are not, whether or not the thing exists."""
    assert one.scope
    covering = that_cover(one.scope)
    for scope in covering:
        assert not refused(with_scopes(scope), one)
    assert refused(with_scopes(*set(api_keys.SCOPES) - covering), one)


@pytest.mark.parametrize("one", [one for one in ENDPOINTS if not one.scope], ids=lambda one: one.name)
def test_a_route_without_a_scope_is_open_to_every_key(one: Endpoint, with_scopes: Callable[..., Api]) -> None:
    """A key may always ask who it is."""
    assert not refused(with_scopes("webhooks:read"), one)


@pytest.mark.parametrize("one", ENDPOINTS, ids=lambda one: one.name)
def test_nothing_opens_without_a_key(one: Endpoint, client: Client) -> None:
    """Nor with one that is not valid, whatever else is sent."""
    path = "/v1" + path_of(one, dict.fromkeys(one.ids, UNKNOWN_ID))
    for headers in ({}, {"Authorization": "Bearer ovt_live_00000000_" + "0" * 49}):
        answer = client.open(path, method=one.method, headers=headers, **options_of(one))
        assert (answer.status_code, answer.json["error"]["code"]) == (401, "unauthorized")


def test_the_refusal_names_the_scope(with_scopes: Callable[..., Api]) -> None:
    """In the header of RFC 6750, and in words."""
    answer = with_scopes("campaigns:read").post("campaigns/1/resume")
    assert answer.status_code == 403
    assert answer.json["error"]["code"] == "forbidden"
    assert "campaigns:run" in answer.json["error"]["recovery"]
    assert answer.headers["WWW-Authenticate"] == (
        'Bearer realm="api", error="insufficient_scope", scope="campaigns:run"'
    )


def test_a_key_of_any_scope_may_ask_who_it_is(with_scopes: Callable[..., Api]) -> None:
    """The answer says what it may do."""
    answer = with_scopes("webhooks:write").get("me")
    assert answer.json["key"]["scopes"] == ["events:read", "webhooks:read", "webhooks:write"]


def test_events_open_with_their_own_scope_and_with_that_of_webhooks(with_scopes: Callable[..., Api]) -> None:
    """Keys that were made for webhooks go on reading them; a key for events reads no webhook."""
    for scope in ("events:read", "webhooks:read", "webhooks:write"):
        assert with_scopes(scope).get("events").status_code == 200
    assert with_scopes("events:read").get("webhooks").status_code == 403
