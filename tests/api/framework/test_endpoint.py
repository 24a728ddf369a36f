"""The order of the checks, and what every answer of `/v1` has."""

import re
from collections.abc import Callable

from flask import g
from sqlalchemy import event

from app.api.framework import authorization
from app.core.db import session, transaction
from app.core.errors import RateLimited
from app.domain.senders import accounts
from app.domain.workspace import api_keys
from app.models.accounts import Account
from app.models.campaigns import Campaign, CampaignStats
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_list, message
from tests.support.clients import Api, Client, fields
from tests.support.movable import Movable

NO_KEY = {"Authorization": ""}


def test_the_earlier_check_wins(api: Api, client: Client, acme: Workspace, with_scopes: Callable[..., Api]) -> None:
    """Size, address, key, suspension, scope, id, JSON, state: each request has all faults from its place on."""
    huge, broken = b"[" * 5_000_001, {"data": b"{", "content_type": "application/json"}
    no_one, reader = {"headers": NO_KEY}, with_scopes("campaigns:read")
    assert api.call("POST", "nowhere", data=huge, **no_one).status_code == 413
    assert api.call("POST", "nowhere", **no_one, **broken).status_code == 404
    assert api.call("PUT", "campaigns/x", **no_one, **broken).status_code == 405
    assert api.call("PATCH", "campaigns/x", **no_one, **broken).status_code == 401
    assert reader.call("PATCH", "campaigns/x", **broken).status_code == 403
    assert api.call("PATCH", "campaigns/x", **broken).status_code == 404
    assert api.call("PATCH", "campaigns/7", **broken).status_code == 400
    assert api.call("PATCH", "campaigns/7", json={"name": "New"}).status_code == 404
    with transaction():
        session().merge(acme).suspended_at = acme.created_at
    assert client.get("/v1/campaigns").status_code == 401
    suspended = reader.call("PATCH", "campaigns/x", **broken)
    assert (suspended.status_code, suspended.json["error"]["code"]) == (403, "workspace_suspended")


def test_an_unknown_address_is_answered_in_json(client: Client) -> None:
    for path in ("/v1", "/v1/", "/v1/nowhere", "/v1/lists/", "/v1//lists", "/v1/lists/1/nothing"):
        answer = client.get(path)
        assert (answer.status_code, answer.json["error"]["code"]) == (404, "not_found"), path
        assert re.fullmatch(r"req_[0-9A-Za-z]{22}", answer.headers["X-Request-Id"])
        assert answer.json["error"]["requestId"] == answer.headers["X-Request-Id"]


def test_no_one_guesses_or_keeps_what_an_answer_is(api: Api) -> None:
    """Whatever it is: a thing, nothing, a file or a refusal. Only the document, which is everyone's, may be kept."""
    made = api.post("lists", {"name": "Founders"}).json["id"]
    for method, path, status, kept in [
        ("GET", "lists", 200, "no-store"),
        ("GET", f"lists/{made}/leads.csv", 200, "no-store"),
        ("DELETE", f"lists/{made}", 204, "no-store"),
        ("GET", "lists/0", 404, "no-store"),
        ("GET", "nowhere", 404, "no-store"),
        ("GET", "openapi.json", 200, "public, max-age=300"),
    ]:
        answer = api.call(method, path)
        assert answer.status_code == status
        if method == "GET":
            assert api.call("HEAD", path).get_data() == b""
        assert answer.headers.getlist("X-Content-Type-Options") == ["nosniff"]
        assert answer.headers.getlist("Cache-Control") == [kept]
        assert ("Content-Type" in answer.headers) == (status != 204)


def test_another_method_is_answered_with_those_that_are_allowed(api: Api, client: Client) -> None:
    """And nothing is told to scripts of other sites. A word of a path, such as `bulk`, is not taken for an id."""
    for method in ("DELETE", "PUT", "PATCH", "OPTIONS", "TRACE"):
        answer = client.open("/v1/lists", method=method)
        assert answer.status_code == 405, method
        assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "POST"}
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]
    for method in ("GET", "PATCH", "DELETE", "OPTIONS"):
        answer = api.call(method, "approvals/bulk")
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST"), method


def test_what_cannot_be_an_id_is_not_found(api: Api) -> None:
    largest = ["9223372036854775807", "9223372036854775808", "1" * 400]
    for text in ("0", "-1", "01", "1.0", "1e3", "x", "%C2%B2", "%D9%A2%D9%A1", "+1", *largest):
        answer = api.get(f"campaigns/{text}")
        assert (answer.status_code, answer.json["error"]["code"]) == (404, "not_found"), text


def test_everyone_without_a_valid_key_gets_the_same_answer(api: Api, client: Client) -> None:
    """Nothing tells a wrong key from a missing one, but the challenge says whether one was sent."""
    key, other = api.key, api.key[:-1] + ("0" if api.key[-1] != "0" else "1")
    missing = client.get("/v1/me")
    assert missing.headers["WWW-Authenticate"] == 'Bearer realm="api"'
    wrong = ["Bearer", "Bearer ", f"Basic {key}", key, f"Bearer {key} {key}", f"Bearer {key}, Bearer {key}"]
    for header in ["", *wrong, f"Bearer {key}x", f"Bearer {other}", "Bearer ovt_live_00000000_" + "0" * 49]:
        answer = client.get("/v1/me", headers={"Authorization": header})
        expected = missing.json["error"] | {"requestId": answer.headers["X-Request-Id"]}
        assert (answer.status_code, answer.json["error"]) == (401, expected), header
        sent = ', error="invalid_token"' if header else ""
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="api"' + sent


def test_a_key_counts_only_in_its_header_whose_scheme_may_be_written_in_any_case(api: Api, client: Client) -> None:
    """Not in the query, not in a cookie; and the cookie of the pages opens nothing here."""
    for form in ("bearer {}", "BEARER  {}", "Bearer {} "):
        assert client.get("/v1/me", headers={"Authorization": form.format(api.key)}).status_code == 200, form
    client.set_cookie("api_key", api.key)
    client.set_cookie("overture", "eyJfdXNlcl9pZCI6IjE6MCJ9.aaaa.bbbb")
    assert client.get(f"/v1/me?api_key={api.key}&access_token={api.key}").status_code == 401


def test_a_broken_answer_leaves_no_effect_and_tells_nothing(api: Api, acme: Workspace) -> None:
    sender = accounts.every(acme)[0].id
    body = {"name": "C", "listId": a_list(acme, ["a"]), "accountIds": [sender], "sequence": [INVITE, message()]}

    def fail(*arguments: object) -> None:
        raise ZeroDivisionError("a secret detail")

    event.listen(CampaignStats, "before_insert", fail)
    try:
        answer = api.post("campaigns", body, idempotency_key="one")
    finally:
        event.remove(CampaignStats, "before_insert", fail)
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "internal")
    assert "secret" not in answer.get_data(as_text=True)
    assert session().query(Campaign).count() == 0
    assert api.post("campaigns", body, idempotency_key="one").status_code == 201


def test_a_page_that_breaks_is_an_error_in_json(api: Api, acme: Workspace) -> None:
    with transaction() as current:
        current.query(Account).filter_by(workspace_id=acme.id).update({"limits": []})
    answer = api.get("accounts")
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "internal")
    assert answer.json["error"]["requestId"] == answer.headers["X-Request-Id"]


def test_a_key_may_ask_so_often_and_no_oftener(limited: Client, acme: Workspace, clock: Movable) -> None:
    first, second = (Api(limited, api_keys.create(acme, name, "all")[1]) for name in ("one", "two"))
    missing, answers = first.get("nowhere"), [first.get("me") for _ in range(200)]
    assert missing.status_code == 404
    assert {answer.status_code for answer in answers} == {200}
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"default";q=200;w=10'}
    assert [answers[index].headers["RateLimit"] for index in (0, -1)] == ['"default";r=199;t=1', '"default";r=0;t=1']
    refused = first.get("me")
    assert (refused.status_code, refused.json["error"]["code"]) == (429, "rate_limited")
    assert (refused.headers["RateLimit"], refused.headers["Retry-After"]) == ('"default";r=0;t=1', "1")
    assert second.get("me").status_code == 200
    clock.forward(seconds=0.1)
    assert [first.get("me").status_code for _ in range(3)] == [200, 200, 429]


def test_what_costs_more_may_be_asked_for_less_often(limited: Client, acme: Workspace, clock: Movable) -> None:
    sent = {"Authorization": f"Bearer {api_keys.create(acme, 'one', 'all')[1]}"}

    def told() -> str:
        with limited.application.test_request_context("/v1/signals", headers=sent):
            g.api_headers = {}
            try:
                authorization.authorize("signals:write", costly=True)
            except RateLimited as refusal:
                return f"again in {refusal.retry_after}"
            return str(g.api_headers["RateLimit"])

    answers = [told() for _ in range(31)]
    assert answers[0] == '"default";r=199;t=1, "costly";r=29;t=1'
    assert answers[29:] == ['"default";r=170;t=1, "costly";r=0;t=1', "again in 1"]
    clock.forward(seconds=0.5)
    assert told().endswith('"costly";r=0;t=1')


def test_guessing_is_slowed_down_and_valid_keys_are_not(limited: Client, acme: Workspace, clock: Movable) -> None:
    assert [limited.get("/v1/me").status_code for _ in range(31)] == [401] * 30 + [429]
    assert Api(limited, api_keys.create(acme, "good", "all")[1]).get("me").status_code == 200
    clock.forward(seconds=2)
    assert [limited.get("/v1/me").status_code for _ in range(2)] == [401, 429]


def test_a_workspace_may_ask_so_often_with_all_its_keys(limited: Client, acme: Workspace, clock: Movable) -> None:
    scripts = [Api(limited, api_keys.create(acme, f"k{number}", "all")[1]) for number in range(3)]
    answers = [script.get("me") for script in scripts for _ in range(180)]
    assert [answer.status_code for answer in answers] == [200] * 500 + [429] * 40
    assert answers[-1].headers["RateLimit"].endswith('"workspace";r=0;t=1')
    clock.forward(seconds=1)
    assert [scripts[0].get("me").status_code for _ in range(19)] == [200] * 19


def test_what_programs_get_wrong_without_harm_is_taken_and_the_rest_is_named(api: Api, acme: Workspace) -> None:
    """A mark before the text and ids as text are read; a parameter that does not exist is refused by its name."""
    made = api.call("POST", "lists", data=b'\xef\xbb\xbf{"name": "Founders"}', content_type="application/json").json
    monitor = {"listId": str(made["id"]), "campaignId": "no"}
    refused = fields(api.post("monitors", monitor))
    assert "listId" not in refused
    assert refused["campaignId"] == "Use a whole number."
    asked = (api.get("lists", page=2), api.get(f"lists/{made['id']}", page=2), api.post("lists?page=2", {"name": "x"}))
    for answer in asked:
        assert fields(answer) == {"page": "Unknown query parameter. Remove it."}


def test_a_change_repeated_under_its_key_has_one_effect(api: Api) -> None:
    made = api.post("lists", {"name": "Founders"}).json["id"]
    for method, body, status in (("PATCH", {"name": "Owners"}, 200), ("DELETE", None, 204)):
        answers = [api.call(method, f"lists/{made}", json=body, headers={"Idempotency-Key": method}) for _ in range(2)]
        assert [one.status_code for one in answers] == [status, status]
        assert answers[1].headers["Idempotent-Replayed"] == "true"
    refused = api.post("approvals/bulk?dryRun=true", {"ids": [1], "action": "skip"}, idempotency_key="a b")
    assert "Idempotency-Key" in fields(refused)
