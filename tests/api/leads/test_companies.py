"""Lists of companies over `/v1`: companies added, listed, exported and removed, and their people looked up."""

from typing import Any

import pytest

from tests.support.clients import Api


@pytest.fixture
def firms(api: Api) -> int:
    made = api.post("lists", {"name": "Firms", "type": "companies"}).json
    assert made["type"] == "companies"
    given = [{"name": "Wool Ltd", "website": "https://wool.example/about"}, {"name": "Iron"}, {"name": "wool"}]
    added = api.post(f"lists/{made['id']}/companies", {"companies": given}).json
    assert [added[name] for name in ("added", "updated", "skipped", "invalid")] == [2, 0, 1, 0]
    return int(made["id"])


def listed(api: Api, list_id: int, **query: Any) -> list[tuple[str, str]]:
    return [(one["name"], one["domain"]) for one in api.get(f"lists/{list_id}/companies", **query).json["data"]]


def test_companies_are_listed_found_exported_and_removed(api: Api, firms: int) -> None:
    assert listed(api, firms) == [("Wool Ltd", "wool.example"), ("Iron", "")]
    assert listed(api, firms, query="WOOL ex") == [("Wool Ltd", "wool.example")]
    (wool, _) = api.get(f"lists/{firms}/companies").json["data"]
    assert list(wool) == "id listId name domain createdAt".split()
    assert api.get(f"lists/{firms}").json["leadCount"] == 2
    exported = api.get(f"lists/{firms}/companies.csv").text.removeprefix("\ufeff").splitlines()
    assert exported == ["name,domain", "Wool Ltd,wool.example", "Iron,"]
    removed = api.post(f"lists/{firms}/companies/remove", {"companyIds": [wool["id"]]}).json
    assert removed["removed"] == 1
    assert api.post(f"lists/{firms}/companies/restore", {"undo": removed["undo"]}).json == {"restored": 1}
    assert api.post(f"lists/{firms}/companies/restore", {"undo": removed["undo"]}).status_code == 409
    wool = next(one for one in api.get(f"lists/{firms}/companies").json["data"] if one["name"] == wool["name"])
    api.post(f"lists/{firms}/companies/remove", {"companyIds": [wool["id"]]})
    assert listed(api, firms) == [("Iron", "")]


def test_what_is_wrong_is_told_by_its_place(api: Api, firms: int) -> None:
    given = [{"name": "Cotton", "website": "linkedin.com/company/cotton"}, {"website": "gmail.com"}]
    answer = api.post(f"lists/{firms}/companies", {"companies": given})
    assert (answer.status_code, answer.json["added"], answer.json["invalid"]) == (200, 1, 1)
    assert [(one["index"], one["field"]) for one in answer.json["problems"]] == [(0, "website"), (1, "")]
