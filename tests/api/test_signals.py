"""Signals over `/v1`: as specified, charged once per key, and a history."""

from app.domain.billing import credits
from app.models.workspaces import Workspace
from tests.support.clients import Api

HIRING = {"kind": "hiring", "domain": "known-acme.com"}


def test_a_hit_is_charged_and_a_miss_is_not(api: Api, acme: Workspace) -> None:
    hit = api.post("signals", HIRING)
    assert (hit.status_code, set(hit.json)) == (200, {"signal", "found", "credits", "data", "repeat"})
    assert (hit.json["signal"], hit.json["found"], hit.json["credits"]) == ("hiring", True, 2)
    assert set(hit.json["data"]["openings"][0]) == {"title", "location", "department", "url", "postedAt"}
    miss = api.post("signals", {"kind": "news", "domain": "nothing.com"})
    assert miss.json == {"signal": "news", "found": False, "credits": 0, "data": {}, "repeat": False}
    assert credits.balance(acme).free == 998
    assert api.post("signals", HIRING).json == hit.json | {"credits": 0, "repeat": True}
    page = api.get("signals").json
    assert [one["signal"] for one in page["data"]] == ["news", "hiring"]
    kept = page["data"][1]
    assert kept["asked"] == {"domain": "known-acme.com", "fullName": "", "companyName": "", "jobTitle": ""}
    assert api.get(f"signals/{kept['id']}").json == kept
    assert [one["signal"] for one in api.get("signals", kind="hiring").json["data"]] == ["hiring"]
    assert api.get("signals", kind="weather").status_code == 400


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
