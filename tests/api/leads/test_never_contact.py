"""The never-contact list over `/v1`."""

from tests.support.clients import Api


def test_entries_are_added_found_and_removed(api: Api) -> None:
    entries = ["https://network.example/in/ada", "bob@x.example", "x.example", "Wool Ltd", "bad@"]
    added = api.post("never-contact", {"entries": entries, "reason": "client"})
    assert added.status_code == 200
    assert (added.json["added"], added.json["known"]) == (4, 0)
    assert api.get(f"never-contact/{added.json['ids'][0]}").json["reason"] == "client"
    assert [(row["index"], row["entry"]) for row in added.json["refused"]] == [(4, "bad@")]
    listed = api.get("never-contact").json["data"]
    assert [set(entry) for entry in listed] == [{"id", "kind", "value", "label", "reason", "createdAt"}] * 4
    assert [entry["kind"] for entry in listed] == ["company", "domain", "email", "person"]
    assert [entry["label"] for entry in api.get("never-contact", query="wool").json["data"]] == ["Wool Ltd"]
    assert [entry["value"] for entry in api.get("never-contact", kind="email").json["data"]] == ["bob@x.example"]
    assert api.delete(f"never-contact/{listed[0]['id']}").status_code == 204
    assert len(api.get("never-contact").json["data"]) == 3
