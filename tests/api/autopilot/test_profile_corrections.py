"""Corrections of the profile by API alone: previewed, made, followed, listed and taken back."""

from typing import Any

from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import launched, understood, work
from tests.support.clients import Api


def test_a_correction_is_previewed_made_and_taken_back(api: Api, acme: Workspace) -> None:
    play = launched(acme)
    old = api.get("autopilot").json["profile"]["sells"]
    seen = api.post("autopilot/profile/preview", {"sells": "rubber ducks"}).json
    assert seen["fields"][0] == {"field": "sells", "before": old, "after": "rubber ducks"}
    assert (seen["exact"], seen["campaignIds"], seen["kept"], seen["targets"]) == (True, [play.campaign_id], [], None)
    assert "rubber ducks" in seen["first"][0]["after"]
    assert api.get("autopilot").json["profile"]["sells"] == old
    assert api.get("autopilot/corrections").json["data"] == []

    api.patch("autopilot", {"profile": {"sells": "rubber ducks"}})
    work()
    (made,) = api.get("autopilot/corrections").json["data"]
    assert (made["number"], made["done"], made["undoes"]) == (1, True, None)
    (followed,) = made["plays"]
    assert (followed["campaignId"], followed["revision"], followed["error"]) == (play.campaign_id, 1, "")
    assert followed["texts"] == seen["texts"]
    said = str(api.get(f"campaigns/{play.campaign_id}").json["sequence"])
    assert "rubber ducks" in said
    assert api.get("autopilot/profile/kept").json == {"texts": []}

    back = api.post("autopilot/corrections/1/undo").json
    assert (back["number"], back["undoes"]) == (2, 1)
    work()
    assert api.get("autopilot").json["profile"]["sells"] == old
    assert "rubber ducks" not in str(api.get(f"campaigns/{play.campaign_id}").json["sequence"])
    assert api.post("autopilot/corrections/1/undo").status_code == 409
    assert api.post("autopilot/corrections/9/undo").status_code == 404


def test_a_preview_names_what_is_not_valid(api: Api, acme: Workspace) -> None:
    assert api.post("autopilot/profile/preview", {"sells": "ducks"}).status_code == 409
    understood(acme)
    refused: Any = api.post("autopilot/profile/preview", {"sells": "d" * 161}).json
    assert [one["path"] for one in refused["error"]["fields"]] == ["sells"]
    refused = api.post("autopilot/profile/preview", {"business": " "}).json
    assert [one["path"] for one in refused["error"]["fields"]] == ["business"]


def test_a_quotation_is_ticked_by_the_owner(api: Api, acme: Workspace) -> None:
    understood(acme)
    facts = api.get("autopilot").json["profile"]["facts"]
    assert {fact["quotable"] for fact in facts} == {False}
    given = [{"text": fact["text"], "quotable": True} for fact in facts[:1]]
    given += [{"text": fact["text"]} for fact in facts[1:]]
    found = api.patch("autopilot", {"profile": {"facts": given}}).json["profile"]["facts"]
    assert [fact["quotable"] for fact in found] == [True, *(False for _ in facts[1:])]
    assert found[0]["quote"] == facts[0]["quote"]
