"""Lists and the people in them over `/v1`."""

from app.models.leads import LeadList
from tests.api.leads.conftest import path
from tests.support.clients import Api, paths


def test_an_added_lead_is_read_back(api: Api, founders: LeadList) -> None:
    profiles = [
        {"profileUrl": "https://network.example/in/Ada/", "firstName": "Ada", "customFields": {"tier": "A"}},
        {},
    ]
    added = api.post(path(founders, "leads"), {"profiles": profiles})
    said = "Send `profileUrl` or `publicId`. With `identity` set to “email”, an email address is enough."
    missing = [{"index": 1, "field": "", "message": said}]
    counts = {"added": 1, "updated": 0, "skipped": 0, "invalid": 1}
    assert (added.status_code, added.json) == (200, counts | {"problems": missing})
    page = api.get(path(founders, "leads"))
    assert set(page.json) == {"data", "nextCursor"}
    (ada,) = page.json["data"]
    assert (ada["publicId"], ada["profileUrl"]) == ("ada", "https://network.example/in/Ada/")
    assert (ada["listId"], ada["tags"], ada["customFields"], ada["email"]) == (founders.id, [], {"tier": "A"}, "")
    assert page.json["nextCursor"] == ""
    (listed,) = api.get("lists").json["data"]
    assert set(listed) == {"id", "name", "type", "leadCount", "createdAt", "lawfulBasis"}
    assert (listed["name"], listed["type"], listed["leadCount"]) == ("Founders", "people", 1)


def test_an_address_names_a_person_only_where_it_is_asked_for(api: Api, founders: LeadList) -> None:
    given = {"profiles": [{"email": "ada@engine.example", "firstName": "Ada"}]}
    assert api.post(path(founders, "leads"), given).json["invalid"] == 1
    assert api.post(path(founders, "leads"), given | {"identity": "email"}).json["added"] == 1
    (ada,) = api.get(path(founders, "leads")).json["data"]
    assert (ada["publicId"], ada["email"], ada["firstName"]) == ("", "ada@engine.example", "Ada")


def test_known_people_change_as_the_call_says(api: Api, founders: LeadList) -> None:
    ways = {"": ("Augusta", "1"), "fill": ("Ada", "1"), "overwrite": ("Augusta", "1"), "keep": ("Ada", "")}
    for merge in ways:
        person = {"publicId": f"ada-{merge or 'usual'}"}
        api.post(path(founders, "leads"), {"profiles": [person | {"firstName": "Ada"}]})
        again = [person | {"firstName": "Augusta", "phone": "1"}]
        api.post(path(founders, "leads"), {"profiles": again, **({"merge": merge} if merge else {})})
    found = api.get(path(founders, "leads")).json["data"]
    assert [(one["firstName"], one["phone"]) for one in found] == list(ways.values())


def test_a_list_is_created_renamed_and_deleted(api: Api) -> None:
    created = api.post("lists", {"name": " Founders ", "type": "companies"})
    assert (created.status_code, created.json["name"], created.json["type"]) == (201, "Founders", "companies")
    address = f"lists/{created.json['id']}"
    assert api.patch(address, {"name": "Owners"}).json["name"] == "Owners"
    assert api.get(address).json["name"] == "Owners"
    assert paths(api.post("lists", {"name": "", "type": "x"})) == ["name", "type"]
    assert paths(api.patch(address, {"name": "x" * 201})) == ["name"]
    assert (api.delete(address).status_code, api.get(address).status_code) == (204, 404)
