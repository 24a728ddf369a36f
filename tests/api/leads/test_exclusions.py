"""Who a campaign leaves out, in /v1: the rules of a campaign, the count before its start, and letting one lead in."""

from datetime import timedelta

import pytest

from app.core.db import end_read, transaction
from app.domain.senders import accounts
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import VIEW, a_campaign, a_list, person_id
from tests.support.clients import Api

pytestmark = pytest.mark.usefixtures("clock")
AS_THE_WORKSPACE = dict.fromkeys("contactedDays replied saidNo colleagueTalks customers companyDays tags".split())
FOLLOWS: dict[str, object] = {**AS_THE_WORKSPACE, "listIds": [], "campaignIds": []}


def replied(workspace: Workspace) -> None:
    found = person_id(workspace, "ignores-ada")
    with transaction() as current:
        current.merge(workspace).contact_rules = None
        current.get_one(Person, found).replied_at = workspace.now() - timedelta(days=200)
    end_read()


def test_the_rules_of_a_campaign_are_set_kept_and_given_back_to_the_workspace(
    api: Api, acme: Workspace, rival: Workspace
) -> None:
    listed, other, theirs = a_list(acme, ["ignores-ada"]), a_list(acme, ["b"], "Other"), a_list(rival, ["c"])
    senders = [account.id for account in accounts.every(acme)[:1]]
    end_read()
    body = {"name": "First", "listId": listed, "accountIds": senders, "sequence": [VIEW]}
    made = api.post("/campaigns", body | {"exclude": {"contactedDays": 0, "listIds": [other], "companyStop": True}})
    assert made.status_code == 201, made.text
    expected = FOLLOWS | {"contactedDays": 0, "listIds": [other], "companyStop": True}
    assert made.json["exclude"] == expected
    path = f"/campaigns/{made.json['id']}"
    changed = api.patch(path, {"exclude": {"contactedDays": None, "tags": ["vip"], "companyStop": False}})
    assert changed.json["exclude"] == FOLLOWS | {"listIds": [other], "tags": ["vip"], "companyStop": False}
    assert api.get(path).json["exclude"] == changed.json["exclude"]
    refused = api.patch(path, {"exclude": {"listIds": [theirs], "companyDays": 99999}})
    assert refused.status_code == 400
    assert {field["path"] for field in refused.json["error"]["fields"]} == {"exclude.listIds[0]", "exclude.companyDays"}


def test_the_preview_says_who_is_left_out_until_the_start(api: Api, acme: Workspace) -> None:
    replied(acme)
    campaign = a_campaign(acme, ["ignores-ada", "ignores-bob"], [VIEW], start=False)
    ada = api.get(f"/lists/{campaign.list_id}/leads").json["data"]
    lead_id = next(one["id"] for one in ada if one["publicId"] == "ignores-ada")
    found = api.post(f"/campaigns/{campaign.id}/preview", {"leadId": lead_id}).json["leftOut"]
    assert {name: found[name] for name in ("people", "checked", "total", "complete")} == {
        "people": 1,
        "checked": 2,
        "total": 2,
        "complete": True,
    }
    [reason] = found["reasons"]
    day = (acme.now() - timedelta(days=200)).date().isoformat()
    assert (reason["code"], reason["people"]) == ("replied_before", 1)
    assert reason["leads"] == [{"leadId": lead_id, "name": "Ada", "saw": day}]
    api.post(f"/campaigns/{campaign.id}/start")
    assert api.post(f"/campaigns/{campaign.id}/preview", {"leadId": lead_id}).json["leftOut"] is None
