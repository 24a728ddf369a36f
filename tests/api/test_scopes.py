"""Which key may do what: the matrix is made from the declarations themselves."""

from collections.abc import Callable

import pytest

from app.api.endpoint import ENDPOINTS, Endpoint
from app.domain import keys
from tests.clients import Api

SCOPED = sorted({one.scope for one in ENDPOINTS if one.scope})


def ask(api: Api, one: Endpoint) -> int:
    """The status of a request to it, with ids of nothing."""
    path = one.path
    for name in one.ids:
        path = path.replace(f"<id:{name}>", "987654321")
    return api.call(one.method, path, json={} if one.body else None).status_code


def that_cover(scope: str) -> set[str]:
    """The scopes that include it."""
    area, _, right = scope.partition(":")
    return {scope, f"{area}:write"} if right == "read" else {scope}


@pytest.mark.parametrize("scope", SCOPED)
def test_a_key_with_only_that_scope_reaches_what_it_opens(scope: str, with_scopes: Callable[..., Api]) -> None:
    """Whatever the answer, it is not 403."""
    api = with_scopes(scope)
    opened = [one for one in ENDPOINTS if one.scope and scope in that_cover(one.scope)]
    assert opened
    assert [one.name for one in opened if ask(api, one) == 403] == []


@pytest.mark.parametrize("scope", SCOPED)
def test_a_key_with_every_other_scope_reaches_nothing_of_it(scope: str, with_scopes: Callable[..., Api]) -> None:
    """403, whether or not the thing exists and the body fits."""
    api = with_scopes(*set(keys.SCOPES) - that_cover(scope))
    closed = [one for one in ENDPOINTS if one.scope == scope]
    assert {one.name: ask(api, one) for one in closed} == {one.name: 403 for one in closed}


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
    assert answer.json["key"]["scopes"] == ["webhooks:read", "webhooks:write"]
