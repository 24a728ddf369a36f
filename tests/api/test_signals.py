"""Signals over `/v1`: as specified, charged once per key, and a history."""

from app.core.db import session, transaction
from app.domain.billing import credits
from app.models.workspaces import Subscription, Workspace
from tests.domain.outreach import forward
from tests.support.clients import Api, paths

HIRING = {"kind": "hiring", "domain": "known-acme.com"}


def test_a_hit_is_charged_and_a_miss_is_not(api: Api, acme: Workspace) -> None:
    hit = api.post("signals", HIRING)
    assert (hit.status_code, set(hit.json)) == (200, {"signal", "found", "credits", "data", "repeat"})
    assert (hit.json["signal"], hit.json["found"], hit.json["credits"]) == ("hiring", True, 2)
    assert set(hit.json["data"]["openings"][0]) == {"title", "location", "department", "url", "postedAt"}
    miss = api.post("signals", {"kind": "news", "domain": "nothing.com"})
    assert miss.json == {"signal": "news", "found": False, "credits": 0, "data": {}, "repeat": False}
    assert credits.balance(acme).free == 998
    page = api.get("signals").json
    assert [one["signal"] for one in page["data"]] == ["news", "hiring"]
    kept = page["data"][1]
    assert kept["asked"] == {"domain": "known-acme.com", "fullName": "", "companyName": "", "jobTitle": ""}
    assert api.get(f"signals/{kept['id']}").json == kept
    assert [one["signal"] for one in api.get("signals", kind="hiring").json["data"]] == ["hiring"]
    assert api.get("signals", kind="weather").status_code == 400


def test_a_repeat_of_a_paid_signal_says_so(api: Api, rival_api: Api, acme: Workspace) -> None:
    """Within a week it costs nothing; a miss is asked anew each time, and a stranger pays for their own."""
    first, again = (api.post("signals", HIRING).json for _ in range(2))
    assert (first["repeat"], first["credits"]) == (False, 2)
    assert again == first | {"repeat": True, "credits": 0}
    assert [api.post("signals", {"kind": "news", "domain": "nothing.com"}).json["repeat"] for _ in range(2)] == [
        False
    ] * 2
    theirs = rival_api.post("signals", HIRING).json
    assert (theirs["repeat"], theirs["credits"]) == (False, 2)
    forward(acme, days=8)
    later = api.post("signals", HIRING).json
    assert (later["repeat"], later["credits"]) == (False, 2)


def test_a_change_of_job_needs_a_person(api: Api) -> None:
    """Their former company and title come back with the new ones."""
    asked = {"kind": "jobChange", "fullName": "known-ada lovelace", "companyName": "Engine Ltd", "jobTitle": "Analyst"}
    data = api.post("signals", asked).json["data"]
    assert data["from"] == {"company": "Engine Ltd", "title": "Analyst"}
    assert set(data["to"]) == {"company", "title", "startedAt"}
    assert paths(api.post("signals", {"kind": "jobChange", "domain": "acme.com"})) == ["fullName", "companyName"]


def test_what_does_not_fit_is_named(api: Api) -> None:
    for body, expected in [
        ({"kind": "weather", "domain": 5}, ["kind", "domain"]),
        ({"kind": "hiring"}, ["domain"]),
        ({"kind": "hiring", "domain": "acme"}, ["domain"]),
        ({"kind": "hiring", "domain": "acme.com", "depth": 2}, ["depth"]),
        ({"kind": "hiring", "domain": "acme.com", "maxCredits": -1}, ["maxCredits"]),
        ({"kind": "hiring", "domain": "acme.com\u0000"}, None),
    ]:
        answer = api.post("signals", body)
        assert (answer.status_code, answer.json["error"]["code"]) == (400, "invalid_request")
        if expected is not None:
            assert paths(answer) == expected


def test_a_failing_source_is_unavailable_and_frees_the_key(api: Api, acme: Workspace) -> None:
    """Nothing was charged, and nothing stands in the history."""
    body = {"kind": "hiring", "domain": "unreachable-acme.com"}
    for _ in range(2):
        answer = api.post("signals", body, idempotency_key="one")
        assert (answer.status_code, answer.json["error"]["code"]) == (503, "unavailable")
        assert "Try again in a minute" in answer.json["error"]["recovery"]
        assert int(answer.headers["Retry-After"]) > 0
    assert credits.balance(acme).free == 1000
    assert api.get("signals").json["data"] == []


def test_too_few_credits_and_too_low_a_bound(api: Api, acme: Workspace) -> None:
    bounded = api.post("signals", {"kind": "headcount", "domain": "known-acme.com", "maxCredits": 5})
    assert (bounded.status_code, bounded.json["error"]["code"]) == (403, "plan_limit_exceeded")
    credits.hold(acme, 999, ref="other", purpose="signals")
    answer = api.post("signals", HIRING)
    assert (answer.status_code, answer.json["error"]["code"]) == (403, "plan_limit_exceeded")
    assert "need 1 more" in answer.json["error"]["message"]


def test_an_ended_subscription(api: Api, acme: Workspace) -> None:
    """Reading stays open."""
    with transaction():
        session().merge(acme).subscription = Subscription.ENDED
    answer = api.post("signals", HIRING)
    assert (answer.status_code, answer.json["error"]["code"]) == (403, "subscription_required")
    assert api.get("signals").status_code == 200
    assert api.get("billing").status_code == 200
