"""Leads across all lists over `/v1`: found, corrected, tagged, looked back at, given out and erased."""

from datetime import timedelta
from typing import Any

import pytest

from app.core import paging
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message, takes_in, the_account
from tests.support.clients import Api, paths
from tests.support.movable import Movable

ADA = {"publicId": "ada", "firstName": "Ada", "email": "ada@x.example", "companyName": "Wool Ltd"}
BOB = {"publicId": "bob", "firstName": "Bob", "email": "bob@y.example", "customFields": {"tier": "A", "floor": 3}}


def ids(answer: Any) -> list[int]:
    return [one["id"] for one in answer.json["data"]]


@pytest.fixture
def people(api: Api, acme: Workspace, rival: Workspace) -> dict[str, int]:
    """Ada and Bob in one list, Ada in a second one too; the stranger has an Ada as well."""
    a_list(rival, [ADA])
    first, second = a_list(acme, [ADA, BOB], "First"), a_list(acme, [ADA], "Second")
    ada, bob = ids(api.get(f"lists/{first}/leads"))
    (again,) = ids(api.get(f"lists/{second}/leads"))
    return {"ada": ada, "bob": bob, "again": again, "first": first, "second": second}


def test_a_lead_is_found_corrected_tagged_and_deleted(api: Api, people: dict[str, int]) -> None:
    assert ids(api.get("leads")) == [people["again"], people["bob"], people["ada"]]
    path = f"leads/{people['bob']}"
    changed = api.patch(path, {"position": " COO ", "customFields": {"tier": None, "desk": "7"}})
    assert changed.status_code == 200
    assert (changed.json["position"], changed.json["customFields"]) == ("COO", {"floor": 3, "desk": "7"})
    assert (changed.json["firstName"], api.get(path).json) == ("Bob", changed.json)
    assert paths(api.patch(path, {"customFields": {" ": None}})) == ["customFields"]
    assert api.put(f"{path}/tags", {"tags": ["VIP", "vip", "Hot  lead"]}).json["tags"] == ["VIP", "Hot lead"]
    assert api.delete(path).status_code == 204
    assert [api.call(*call).status_code for call in (("GET", path), ("DELETE", path))] == [404, 404]
    assert api.get(f"lists/{people['first']}").json["leadCount"] == 1


def test_leads_are_filtered_by_words_address_profile_list_and_tag(api: Api, people: dict[str, int]) -> None:
    api.put(f"leads/{people['bob']}/tags", {"tags": ["Émile", "vip"]})
    both = [people["again"], people["ada"]]
    assert ids(api.get("leads", query="ada wool")) == both
    assert ids(api.get("leads", email="ADA@x.example")) == both
    assert ids(api.get("leads", publicId="https://network.example/in/Ada/")) == both
    assert ids(api.get("leads", listId=people["second"])) == [people["again"]]
    assert ids(api.get("leads", tag="VIP")) == ids(api.get("leads", tag="émile")) == [people["bob"]]
    assert ids(api.get("leads", tag="v")) == ids(api.get("leads", email="ada")) == []
    assert ids(api.get("leads", publicId="ada", listId=people["second"])) == [people["again"]]
    assert ids(api.get("leads", listId=people["second"] + 999)) == []
    assert paths(api.get("leads", listId="x")) == ["listId"]


def test_leads_by_campaign_state_last_reply_and_tag(
    api: Api, acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    a_campaign(rival, ["accepts-ada"])
    steps = [INVITE, message("Hello"), message("Again", days=9)]
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob", "accepts-eve"], steps)
    forward(acme, days=3)
    ada, bob, eve = ids(api.get(f"lists/{campaign.list_id}/leads"))
    (again,) = ids(api.get(f"lists/{a_list(acme, ['accepts-ada'], 'More')}/leads"))
    api.put(f"leads/{bob}/tags", {"tags": ["Key  account", "ÉTÉ"]})
    first, of_bob, _ = api.get(f"campaigns/{campaign.id}/leads").json["data"]
    api.post(f"campaigns/{campaign.id}/leads/{of_bob['id']}/stop")
    clock.forward(hours=1)
    began = acme.now().isoformat()
    takes_in(acme, the_account(acme), Received("accepts-ada", "message", "Yes, please", acme.now(), "1"))
    here, everywhere = f"lists/{campaign.list_id}/leads", "leads"
    for path, adas in ((here, [ada]), (everywhere, [again, ada])):
        assert ids(api.get(path, repliedSince=began)) == adas
        assert ids(api.get(path, tag="key account")) == ids(api.get(path, tag="été")) == [bob]
        assert [ids(api.get(path, state=one)) for one in ("stopped", "finished", "active")] == [[bob], [ada], [eve]]
        assert ids(api.get(path, state="stopped", tag="été", query="bob")) == [bob]
        assert ids(api.get(path, state="active", tag="été")) == []
        assert ids(api.get(path, repliedSince=(acme.now() + timedelta(seconds=1)).isoformat())) == []
        assert paths(api.get(path, state="asleep", repliedSince="May")) == ["state", "repliedSince"]
    in_campaign = f"campaigns/{campaign.id}/leads"
    assert ids(api.get(in_campaign, repliedSince=began)) == [first["id"]]
    assert (
        ids(api.get(in_campaign, tag="ÉTÉ")) == ids(api.get(in_campaign, tag="été", state="stopped")) == [of_bob["id"]]
    )
    assert ids(api.get(in_campaign, tag="été", state="active")) == []
    api.put(f"leads/{bob}/tags", {"tags": []})
    assert ids(api.get(here, tag="été")) == ids(api.get(in_campaign, tag="été")) == []


def test_who_replies_again_in_a_campaign_is_found_by_the_last_reply(
    api: Api, acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An automatic note is no reply. Few and many are found alike."""
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob"], [INVITE, message("Hello")])
    forward(acme, days=3)
    path = f"campaigns/{campaign.id}/leads"
    ada, bob = ids(api.get(path))
    for person in ("accepts-ada", "accepts-bob"):
        takes_in(acme, the_account(acme), Received(person, "message", "Yes, please", acme.now(), f"1 {person}"))
    clock.forward(hours=1)
    later = acme.now().isoformat()
    takes_in(acme, the_account(acme), Received("accepts-ada", "message", "One more thing", acme.now(), "2"))
    away = Received("accepts-bob", "message", "I am out of the office.", acme.now(), "3", automatic=True)
    takes_in(acme, the_account(acme), away)
    for few in (paging.FEW, 0):
        monkeypatch.setattr(paging, "FEW", few)
        assert ids(api.get(path, repliedSince=later)) == [ada]
        assert ids(api.get(path, repliedSince=campaign.created_at.isoformat())) == [ada, bob]


def test_a_filter_that_many_match_gives_the_same_pages(
    api: Api, acme: Workspace, clock: Movable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many are asked one by one, few are looked up."""
    campaign = a_campaign(acme, ["accepts-ada", "accepts-bob", "accepts-eve"])
    ada, bob, eve = ids(api.get(f"lists/{campaign.list_id}/leads"))
    api.post(f"lists/{campaign.list_id}/leads/tag", {"leadIds": [ada, bob], "add": ["vip"]})
    takes_in(acme, the_account(acme), Received("accepts-ada", "message", "Yes, please", acme.now(), "1"))
    began = (acme.now() - timedelta(hours=1)).isoformat()
    asked = [{"tag": "VIP"}, {"state": "pending"}, {"repliedSince": began}, {"tag": "vip", "state": "pending"}]
    paths = [f"lists/{campaign.list_id}/leads", "leads", f"campaigns/{campaign.id}/leads"]
    few = [[ids(api.get(path, **one)) for one in asked] for path in paths]
    assert few[0] == [[ada, bob], [bob, eve], [ada], [bob]]
    monkeypatch.setattr(paging, "FEW", 0)
    assert [[ids(api.get(path, **one)) for one in asked] for path in paths] == few


def test_a_timeline_tells_what_was_done_and_is_read_page_by_page(api: Api, acme: Workspace) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("Hello {{first_name}}")])
    (ada,) = ids(api.get(f"lists/{campaign.list_id}/leads"))
    forward(acme, days=3)
    whole = api.get(f"leads/{ada}/timeline", limit=100).json["data"]
    said = next(entry for entry in whole if entry["kind"] == "message")
    assert (said["text"], said["campaign"]["id"], said["state"]) == ("Hello Ada", campaign.id, "sent")
    first = api.get(f"leads/{ada}/timeline", limit=1).json
    assert first["data"] + api.get(f"leads/{ada}/timeline", cursor=first["nextCursor"]).json["data"] == whole


def test_a_person_is_erased(api: Api, acme: Workspace, people: dict[str, int]) -> None:
    """In every list, and stays away when someone adds them again; the entry that bars them cannot be removed."""
    erased = api.post(f"leads/{people['ada']}/erase")
    assert (erased.status_code, erased.json["leads"], erased.json["finished"]) == (200, 2, False)
    assert ids(api.get("leads")) == [people["bob"]]
    assert api.post(f"leads/{people['again']}/erase").status_code == 404
    added = api.post(f"lists/{people['first']}/leads", {"profiles": [ADA, {**ADA, "publicId": "ada-again"}]})
    assert added.json == {"added": 0, "updated": 0, "skipped": 2, "invalid": 0, "problems": []}
    entries = api.get("never-contact", kind="erased").json["data"]
    assert [entry["label"] for entry in entries] == ["", ""]
    assert "ada" not in "".join(entry["value"] for entry in entries)
    assert api.delete(f"never-contact/{entries[0]['id']}").status_code == 409
    assert [api.get(f"lists/{people[name]}").json["leadCount"] for name in ("first", "second")] == [1, 0]
