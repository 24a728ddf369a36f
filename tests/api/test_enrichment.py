"""Enrichment over `/v1`: queued at once, done in the background, paid for what is found."""

import pytest

from app.domain.billing import credits
from app.domain.platform import jobs
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.support.clients import Api, paths


@pytest.fixture
def people(acme: Workspace) -> int:
    """A list of three people of whom nothing is known but their profile, and one whose address is known."""
    known = {"publicId": "known-dee", "email": "dee@example.com"}
    return a_list(acme, [*({"publicId": one} for one in ("known-ada", "known-bob", "nothing-cy")), known])


def test_a_list_is_enriched_and_only_found_values_cost_credits(api: Api, people: int, acme: Workspace) -> None:
    answer = api.post(f"lists/{people}/enrich", {"what": "email"})
    assert (answer.status_code, answer.json) == (202, {"id": 1, "queued": 3, "maxCredits": 6})
    (run,) = api.get(f"lists/{people}/enrichments").json["data"]
    assert (run["state"], run["queued"], run["found"], run["credits"]) == ("queued", 3, 0, 0)
    assert api.get("billing").json["credits"] == {"balance": 1000, "held": 6, "available": 994}
    jobs.run_due()
    run = api.get(f"enrichments/{run['id']}").json
    assert (run["state"], run["found"], run["missed"], run["credits"]) == ("finished", 2, 1, 4)
    assert run["finishedAt"] is not None
    looked = api.get(f"enrichments/{run['id']}/lookups", limit=2).json
    first = looked["data"][0]
    assert (first["kind"], first["state"], first["source"], first["credits"]) == ("email", "found", "sandbox", 2)
    rest = api.get(f"enrichments/{run['id']}/lookups", cursor=looked["nextCursor"]).json["data"]
    assert [(one["state"], one["value"], one["credits"]) for one in rest] == [("missed", "", 0)]
    found = {lead["publicId"]: lead["email"] for lead in api.get(f"lists/{people}/leads").json["data"]}
    assert found["known-ada"] == "known.ada@people.example"
    assert (found["nothing-cy"], found["known-dee"]) == ("", "dee@example.com")
    assert credits.balance(acme).free == 996


def test_both_is_two_look_ups_for_each(api: Api, people: int) -> None:
    """Who has one of the two is looked up for the other; what is under way is not queued again."""
    assert api.post(f"lists/{people}/enrich", {"what": "both"}).json == {"id": 1, "queued": 7, "maxCredits": 38}
    assert api.post(f"lists/{people}/enrich", {"what": "both"}).json == {"id": None, "queued": 0, "maxCredits": 0}


def test_what_does_not_fit_is_named(api: Api, people: int) -> None:
    for body, expected in [
        ({}, ["what"]),
        ({"what": "fax"}, ["what"]),
        ({"what": "email", "maxCredits": 0}, ["maxCredits"]),
        ({"what": "email", "maxCredits": 1}, ["maxCredits"]),
        ({"what": "email", "when": "now"}, ["when"]),
    ]:
        assert paths(api.post(f"lists/{people}/enrich", body)) == expected
        assert api.get(f"lists/{people}/enrichments").json["data"] == []
