"""The never-contact list over `/v1`."""

from tests.support.clients import Api, paths


def test_entries_are_added_found_and_removed(api: Api) -> None:
    entries = ["https://network.example/in/ada", "bob@x.example", "x.example", "Wool Ltd", "bad@"]
    added = api.post("never-contact", {"entries": entries, "reason": "client", "until": "2099-12-31"})
    assert added.status_code == 200
    assert (added.json["added"], added.json["known"]) == (4, 0)
    assert api.get(f"never-contact/{added.json['ids'][0]}").json["reason"] == "client"
    assert [(row["index"], row["entry"]) for row in added.json["refused"]] == [(4, "bad@")]
    listed = api.get("never-contact").json["data"]
    assert [set(entry) for entry in listed] == [{"id", "kind", "value", "label", "reason", "until", "createdAt"}] * 4
    assert {entry["until"] for entry in listed} == {"2099-12-31"}
    assert [entry["kind"] for entry in listed] == ["company", "domain", "email", "person"]
    assert [entry["label"] for entry in api.get("never-contact", query="wool").json["data"]] == ["Wool Ltd"]
    assert [entry["value"] for entry in api.get("never-contact", kind="email").json["data"]] == ["bob@x.example"]
    assert api.delete(f"never-contact/{listed[0]['id']}").status_code == 204
    assert len(api.get("never-contact").json["data"]) == 3


def comparable(api: Api) -> list[dict[str, object]]:
    return [{**one, "id": 0, "label": "", "createdAt": ""} for one in api.get("never-contact").json["data"]]


def test_the_list_goes_out_as_a_file_and_comes_back(api: Api) -> None:
    assert paths(api.post("never-contact", {"entries": ["a.example"], "until": "2001-01-01"})) == ["until"]
    api.post(
        "never-contact", {"entries": ["bob@x.example", "company: acme.com"], "reason": "=client", "until": "2099-12-31"}
    )
    api.post("never-contact", {"entries": ["y.example"]})
    files = {
        "csv": api.get("never-contact.csv").get_data(),
        "xlsx": api.get("never-contact.csv", format="xlsx").get_data(),
    }
    rows = files["csv"].decode("utf-8-sig").splitlines()
    assert rows[:3] == [
        "kind,entry,reason,until,added",
        f"email,bob@x.example,'=client,2099-12-31,{rows[1][-10:]}",
        f"company,acme.com,'=client,2099-12-31,{rows[2][-10:]}",
    ]
    before = comparable(api)
    for content in files.values():
        for one in api.get("never-contact").json["data"]:
            api.delete(f"never-contact/{one['id']}")
        headers = {"Content-Type": "application/octet-stream"}
        added = api.call("POST", "never-contact/files", headers=headers, data=content)
        assert (added.status_code, added.json["added"], added.json["refused"]) == (200, 3, [])
        assert comparable(api) == before
    assert api.post("never-contact/files", {"values": ["a.example"]}).status_code == 415
    wrong = api.call("POST", "never-contact/files", headers=headers, data=b"PK\3\4")
    assert (wrong.status_code, paths(wrong)) == (400, ["file"])
