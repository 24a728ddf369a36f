"""Many leads of a list at once over `/v1`: remove, block and tag, and the undo of each."""

from app.domain.leads import lists
from app.domain.people.exclusions import never_contact
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.domain.leads.test_tags import founders
from tests.support.clients import Api

__all__ = ["founders"]


def people(api: Api, found: LeadList) -> dict[str, int]:
    return {one["publicId"]: one["id"] for one in api.get(f"lists/{found.id}/leads").json["data"]}


def test_removed_or_blocked_people_come_back_with_the_token(api: Api, acme: Workspace, founders: LeadList) -> None:
    known = people(api, founders)
    removed = api.post(f"lists/{founders.id}/leads/remove", {"leadIds": [known["ada"]]})
    assert (removed.status_code, removed.json["changed"]) == (200, 1)
    assert list(people(api, founders)) == ["bob"]
    again = api.post(f"lists/{founders.id}/leads/restore", {"undo": removed.json["undo"]})
    assert again.json == {"restored": 1, "kept": 0}
    assert people(api, founders) == known
    blocked = api.post(f"lists/{founders.id}/leads/block", {"leadIds": [known["ada"]]})
    assert blocked.json["changed"] == 1
    assert never_contact.count(acme) == 1
    again = api.post(f"lists/{founders.id}/leads/unblock", {"undo": blocked.json["undo"]})
    assert again.json == {"restored": 1, "kept": 0}
    assert never_contact.count(acme) == 0


def test_a_tag_names_the_leads_it_changed(api: Api, founders: LeadList) -> None:
    known = people(api, founders)
    path = f"lists/{founders.id}/leads/tag"
    assert api.post(path, {"leadIds": [known["ada"]], "add": ["vip"]}).json == {"leadIds": [known["ada"]]}
    assert api.post(path, {"leadIds": [*known.values()], "add": ["vip"]}).json == {"leadIds": [known["bob"]]}
    assert api.post(path, {"leadIds": [known["bob"]], "remove": ["vip"]}).json == {"leadIds": [known["bob"]]}


def test_leads_of_another_list_stay_as_they_are(api: Api, acme: Workspace, founders: LeadList) -> None:
    known, other = people(api, founders), lists.create_list(acme, "Other")
    for action in ("remove", "block", "tag"):
        body = {"leadIds": [known["ada"]]} | ({"add": ["x"]} if action == "tag" else {})
        assert not any(api.post(f"lists/{other.id}/leads/{action}", body).json.values())
    assert people(api, founders) == known
    assert never_contact.count(acme) == 0
