"""Changes of a campaign on its way over `/v1`: preview, change, the list of changes, and undo."""

from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.models.campaigns import Campaign, CampaignRevision
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, a_list, everyone, forward, message
from tests.support.clients import Api
from tests.support.movable import Movable

STEPS: list[dict[str, Any]] = [INVITE, message("First"), message("Second", days=2)]


@pytest.fixture
def campaign(acme: Workspace, clock: Movable) -> Campaign:
    return a_campaign(acme, [f"accepts-p{number}" for number in range(6)], STEPS)


def test_hours_senders_lists_and_rules_change_while_it_runs(api: Api, acme: Workspace, campaign: Campaign) -> None:
    path = f"campaigns/{campaign.id}"
    other = api.get("accounts").json["data"][0]["id"]
    other = other if other not in campaign.account_ids else api.get("accounts").json["data"][1]["id"]
    more = a_list(acme, ["accepts-more"], "More")
    changes = {
        "schedule": {"endTime": "20:00"},
        "accountIds": [other],
        "listIds": [campaign.list_id, more],
        "exclude": {"contactedDays": 3},
    }
    told = api.post(f"{path}/changes/preview", changes).json["changes"]
    assert [one["kind"] for one in told] == ["schedule", "senders", "lists", "exclusions"]
    assert (told[1]["counts"]["moved"], told[1]["sentences"]) == (6, ["6 people continue with another sender."])
    assert api.get(f"{path}/revisions").json["data"] == []
    answer = api.patch(path, changes)
    assert answer.status_code == 200
    assert answer.json["listIds"] == [campaign.list_id, more]
    assert (answer.json["listId"], answer.json["accountIds"]) == (campaign.list_id, [other])
    assert (answer.json["schedule"]["endTime"], answer.json["schedule"]["startTime"]) == ("20:00", "00:00")
    noted = api.get(f"{path}/revisions").json["data"]
    assert [one["kind"] for one in noted] == ["lists", "senders", "schedule", "exclusions"]
    assert noted[1]["effect"] == {"moved": 6}
    assert [(one["done"], one["progress"]) for one in noted] == [(True, None)] * 4
    with transaction():  # as it stands between two chunks
        session().execute(sa.update(CampaignRevision).where(CampaignRevision.kind == "senders").values(is_open=True))
    under_way = api.get(f"{path}/revisions").json["data"][1]
    assert (under_way["done"], under_way["progress"]) == (False, {"looked": 6, "people": 6})
    assert {one.account_id for one in everyone(campaign).values()} == {other}
    assert noted[2]["before"]["endTime"] == "23:59"


def test_a_campaign_is_found_by_each_of_its_lists(api: Api, acme: Workspace, campaign: Campaign) -> None:
    more, other = a_list(acme, ["accepts-more"], "More"), a_list(acme, ["accepts-other"], "Other")
    api.patch(f"campaigns/{campaign.id}", {"listIds": [campaign.list_id, more]})
    for list_id, found in ((campaign.list_id, [campaign.id]), (more, [campaign.id]), (other, [])):
        shown = api.get("campaigns", listId=list_id).json["data"]
        assert [one["id"] for one in shown] == found
        assert [one["listId"] for one in shown] == [campaign.list_id] * len(found)
    refused = api.delete(f"lists/{more}")
    assert (refused.status_code, refused.json["error"]["code"]) == (409, "conflict")


def test_any_step_is_removed_and_put_back_for_chosen_people(api: Api, acme: Workspace, campaign: Campaign) -> None:
    """Keys are ours: the steps are shown as they are sent."""
    path = f"campaigns/{campaign.id}"
    forward(acme, days=1)
    leads = [one["id"] for one in api.get(f"{path}/leads").json["data"]]
    shorter = {"sequence": [STEPS[0], STEPS[2]], "applyTo": "chosen", "campaignLeadIds": leads[:2]}
    effect = api.post(f"{path}/sequence/preview", shorter).json
    assert [one["change"] for one in effect["steps"]] == ["removed"]
    changed = api.patch(path, shorter)
    assert changed.status_code == 200
    assert [step.get("message") for step in changed.json["sequence"]] == [None, "Second"]
    assert all("key" not in step for step in changed.json["sequence"])
    (noted,) = api.get(f"{path}/revisions").json["data"]
    assert (noted["applyTo"], len(noted["before"]["sequence"])) == ("chosen", 3)
    api.post(f"{path}/revisions/1/undo", {})
    assert [step.get("message") for step in api.get(path).json["sequence"]] == [None, "First", "Second"]


def test_what_cannot_change_on_the_way_says_so(api: Api, campaign: Campaign) -> None:
    path = f"campaigns/{campaign.id}"
    assert api.patch(path, {"listId": campaign.list_id}).status_code == 409
    assert api.patch(path, {"listIds": [999]}).status_code == 400
    assert api.patch(path, {"accountIds": [campaign.account_ids[0]], "stranded": "leave"}).status_code == 400
    assert api.patch(path, {"schedule": {"days": []}}).status_code == 400
    api.post(f"{path}/cancel", {})
    assert api.patch(path, {"schedule": {"endTime": "20:00"}}).status_code == 409
    assert api.post(f"{path}/changes/preview", {"schedule": {"endTime": "20:00"}}).status_code == 409


def test_a_draft_may_have_several_lists(api: Api, acme: Workspace, campaign: Campaign) -> None:
    first, more = a_list(acme, ["accepts-one"], "One"), a_list(acme, ["accepts-two", "accepts-one"], "Two")
    new = {
        "name": "Draft",
        "listId": first,
        "accountIds": campaign.account_ids,
        "sequence": [{"type": "connection_request"}],
    }
    draft = api.post("campaigns", {**new, "listIds": [first, more]})
    assert (draft.status_code, draft.json["listIds"]) == (201, [first, more])
    path = f"campaigns/{draft.json['id']}"
    assert api.patch(path, {"listIds": [first]}).json["listIds"] == [first]
    assert api.patch(path, {"listIds": [first, more]}).json["listIds"] == [first, more]
    assert api.post(f"{path}/start", {}).json["stats"]["leads"] == 2


def test_the_steps_of_a_draft_change_without_saying_whom_they_apply_to(api: Api, acme: Workspace) -> None:
    """With `applyTo`, the refusal says how."""
    body = {"name": "Draft", "listId": a_list(acme, ["ada"]), "sequence": STEPS}
    made = api.post("campaigns", body | {"accountIds": [api.get("accounts").json["data"][0]["id"]]}).json
    path, steps = f"campaigns/{made['id']}", {"sequence": STEPS[:2]}
    refused = api.patch(path, steps | {"applyTo": "new"})
    assert refused.status_code == 409
    assert refused.json["error"]["message"] == "This campaign is a draft: send its steps without applyTo."
    assert len(api.patch(path, steps).json["sequence"]) == 2
