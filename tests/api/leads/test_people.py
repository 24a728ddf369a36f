"""People over `/v1`: one person over all lists, and the merge of two."""

import pytest

from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list
from tests.support.clients import Api

ADA = {"publicId": "ada", "firstName": "Ada", "email": "ada@x.example", "customFields": {"tier": "A"}}


@pytest.fixture
def two(api: Api, acme: Workspace) -> tuple[int, int]:
    a_campaign(acme, [ADA], [INVITE], name="Spring")
    other = a_list(acme, [{"publicId": "augusta", "firstName": "Augusta", "phone": "+44 1"}], "Second")
    (augusta,) = api.get(f"lists/{other}/leads").json["data"]
    (ada,) = api.get("leads", publicId="ada").json["data"]
    return ada["personId"], augusta["personId"]


def test_a_person_says_where_each_value_came_from(api: Api, two: tuple[int, int]) -> None:
    found = api.get(f"people/{two[0]}").json
    assert (found["firstName"], found["email"], found["customFields"]) == ("Ada", "ada@x.example", {"tier": "A"})
    assert found["identities"] == [{"kind": "email", "value": "ada@x.example"}, {"kind": "profile", "value": "ada"}]
    assert {one["field"]: one["kind"] for one in found["sources"]}["customFields.tier"] == "api"
    assert ([one["name"] for one in found["lists"]], [one["name"] for one in found["campaigns"]]) == (
        ["Spring"],
        ["Spring"],
    )


def test_two_people_are_merged_and_separated(api: Api, two: tuple[int, int]) -> None:
    keep, gone = two
    looked = api.post(f"people/{keep}/merge", {"otherId": gone, "preview": True})
    assert (looked.status_code, looked.json["undo"]) == (200, "")
    fields = {one["field"]: (one["value"], one["other"], one["fromOther"]) for one in looked.json["fields"]}
    assert (fields["firstName"], fields["phone"]) == (("Ada", "Augusta", False), ("+44 1", "", True))
    assert api.get(f"people/{gone}").json["firstName"] == "Augusta"
    done = api.post(f"people/{keep}/merge", {"otherId": gone})
    assert done.json["undo"]
    found = api.get(f"people/{gone}").json
    assert (found["id"], found["phone"], len(found["leadIds"])) == (keep, "+44 1", 2)
    assert {one["value"] for one in found["history"]} == {"augusta", "Augusta"}
    undone = api.post(f"people/{keep}/unmerge", {"undo": done.json["undo"]})
    assert undone.json == {"personId": gone}
    assert api.get(f"people/{gone}").json["id"] == gone
    assert api.post(f"people/{keep}/unmerge", {"undo": done.json["undo"]}).status_code == 409


def test_the_company_of_a_person_is_corrected(api: Api, two: tuple[int, int]) -> None:
    """By a website or a name, to none, and back to what the data says; the fields stay."""
    path = f"people/{two[0]}"
    assert api.get(path).json["sameCompany"] == {
        "domain": "x.example",
        "name": "",
        "byHand": None,
        "others": 0,
        "held": False,
    }
    said = [
        ("https://Y.example/team", "y.example", ""),
        ("Wool GmbH", "", "wool"),
        ("", "", ""),
        (None, "x.example", ""),
    ]
    for company, domain, name in said:
        answer = api.put(f"{path}/company", {"company": company})
        same = answer.json["sameCompany"]
        assert (answer.status_code, same["domain"], same["name"], same["byHand"]) == (200, domain, name, company)
        assert answer.json["email"] == "ada@x.example"
    assert api.put(f"{path}/company", {"company": "gmail.com"}).status_code == 400
    assert api.put(f"{path}/company", {}).status_code == 400
